import type { FailedTest } from '../../parsed-output.js';

const SOURCE_LINE = /^\s*(\S+\.go):(\d+): (.*)$/;
const VERDICT = /(?:^|[^\t ]|^\s+)--- (PASS|FAIL|SKIP): (\S+) \(/;
const PANIC = /^(?:panic: |fatal error: )/;
/** A place in a panic's stack trace. */
const FRAME = /^\t(\/\S+_test\.go):(\d+) /;
const MAX_MESSAGE_UNITS = 1_000;

type Verdict = 'pass' | 'fail' | 'skip';

/** A test from its start to its end. */
interface RunningTest {
  message: string | null;
  file: string | null;
  line: number | null;
  panicked: boolean;
  /** What its output says of its end; the event of it may never come. */
  said: Verdict | null;
  hasSubtests: boolean;
  failedSubtest: boolean;
}

export interface PackageCounts {
  passed: number;
  failed: number;
  ignored: number;
}

/**
 * The tests of one package while it runs. A test with subtests counts as what they are;
 * it is one more failure only when it failed and none of them did.
 */
export class PackageTests {
  readonly counts: PackageCounts = { passed: 0, failed: 0, ignored: 0 };
  private readonly running = new Map<string, RunningTest>();

  /** @param fail told each failure, files as the package's folder names them */
  constructor(private readonly fail: (test: FailedTest) => void) {}

  start(test: string): void {
    this.running.set(test, {
      message: null,
      file: null,
      line: null,
      panicked: false,
      said: null,
      hasSubtests: false,
      failedSubtest: false,
    });
    const parent = this.parent(test);
    if (parent !== null) parent.hasSubtests = true;
  }

  output(test: string, text: string): void {
    const entry = this.running.get(test);
    if (entry === undefined) return;
    const line = text.replace(/\n$/, '').slice(0, MAX_MESSAGE_UNITS);
    const said = VERDICT.exec(line);
    if (said?.[2] === test) {
      entry.said = said[1] === 'PASS' ? 'pass' : said[1] === 'FAIL' ? 'fail' : 'skip';
      return;
    }
    if (PANIC.test(line)) {
      // The panic is what ended it, whatever it logged before.
      entry.panicked = true;
      entry.message = line;
      entry.file = null;
      entry.line = null;
      return;
    }
    const place = entry.panicked ? FRAME.exec(line) : SOURCE_LINE.exec(line);
    if (place === null || entry.line !== null) return;
    entry.file = place[1] ?? null;
    entry.line = Number(place[2]);
    entry.message ??= place[3] ?? null;
  }

  end(test: string, verdict: Verdict): void {
    const entry = this.running.get(test);
    if (entry === undefined) return;
    this.running.delete(test);
    const { message, file, line } = entry;
    if (verdict === 'fail') {
      const parent = this.parent(test);
      if (parent !== null) parent.failedSubtest = true;
      if (entry.failedSubtest) return;
      this.counts.failed += 1;
      this.fail({ name: test, message, file, line });
    } else if (!entry.hasSubtests) {
      this.counts[verdict === 'pass' ? 'passed' : 'ignored'] += 1;
    }
  }

  /**
   * The package is over. Tests whose end was only printed are taken at their word; of the
   * others the one that panicked failed, and where none did, those that ran last did not finish.
   *
   * @returns whether the end of every test is known
   */
  finish(packageFailed: boolean): boolean {
    const open = [...this.running.keys()].reverse();
    let known = true;
    for (const test of open) {
      const entry = this.running.get(test);
      if (entry === undefined) continue;
      if (entry.panicked) this.end(test, 'fail');
      else if (entry.said !== null) this.end(test, entry.said);
      else if (packageFailed && !entry.hasSubtests) {
        known = false;
        this.running.delete(test);
        this.fail({ name: test, message: 'it did not finish', file: entry.file, line: entry.line });
        const parent = this.parent(test);
        if (parent !== null) parent.failedSubtest = true;
      } else {
        known = false;
        this.running.delete(test);
      }
    }
    return known;
  }

  private parent(test: string): RunningTest | null {
    for (let cut = test.lastIndexOf('/'); cut > 0; cut = test.lastIndexOf('/', cut - 1)) {
      const parent = this.running.get(test.slice(0, cut));
      if (parent !== undefined) return parent;
    }
    return null;
  }
}
