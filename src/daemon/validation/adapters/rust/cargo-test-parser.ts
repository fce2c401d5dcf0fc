import type { TestCounts, EvidenceReasonCode } from '../../../kernel/validation-evidence.js';
import type { CreateParser, OutputEnd, OutputParser, ParserContext } from '../../adapter.js';
import { Findings, withoutColour } from '../../findings.js';
import type { ParsedOutput } from '../../parsed-output.js';
import { FailureReport } from './failure-report.js';
import { RustcDiagnostics } from './rustc-diagnostics.js';
import { inWorkspace } from './workspace-folder.js';

const RUNNING = /^running (\d+) tests?$/;
const SUMMARY = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; (\d+) filtered out(?:;|$)/;
const SECTION = /^---- (.+) stdout ----$/;
const LISTED = /^ {4}(\S.*)$/;
/** How many failures of one harness are looked at; the others are counted. */
const MAX_REPORTS = 1_000;
/** What cargo says when it starts a harness. */
const HARNESS = /^\s+(?:Running (?:unittests |tests\/|benches\/|examples\/|.* \(target)|Doc-tests )/;

/** Between two harnesses, among a harness's tests, in the captured output of those that failed, or in their list. */
type Place = 'outside' | 'tests' | 'failures' | 'list';

/**
 * Reads `cargo test` as it prints for people: a block a harness on stdout, compiler and
 * harness names on stderr. A summary counts only where its numbers add up to what its
 * block announced, so that what a test prints passes for none, short of a whole forged
 * block; and as many blocks must be summed up as cargo started.
 */
class CargoTestParser implements OutputParser {
  private readonly findings: Findings;
  private readonly diagnostics: RustcDiagnostics;
  private readonly counts = { passed: 0, failed: 0, ignored: 0 };
  private place: Place = 'outside';
  private announced = 0;
  private begun = 0;
  private summedUp = 0;
  private harnesses = 0;
  private report: FailureReport | null = null;
  /** Failures of the open block by name, told when its end says which of them are its own. */
  private reports = new Map<string, FailureReport>();
  private listed = new Set<string>();

  constructor(context: ParserContext) {
    this.findings = new Findings(context);
    this.diagnostics = new RustcDiagnostics(this.findings);
  }

  line(stream: 'stdout' | 'stderr', raw: string): void {
    if (stream === 'stdout') this.harnessLine(withoutColour(raw));
    else this.cargoLine(raw);
  }

  finish({ truncated, exitCode }: OutputEnd): ParsedOutput {
    this.diagnostics.end();
    if (this.place !== 'outside') this.tellFailures(this.reports.keys(), this.reports.size);
    const reason = this.reason(truncated);
    const failed = exitCode !== 0;
    return {
      counts: reason === 'complete_summary' ? this.total() : null,
      reason,
      evidenceKind: !failed
        ? null
        : this.findings.failedTests.total > 0
          ? 'test_failure'
          : this.diagnostics.failedToCompile
            ? 'compile_error'
            : null,
      diagnostics: this.findings.diagnostics,
      failedTests: this.findings.failedTests,
    };
  }

  private cargoLine(line: string): void {
    if (HARNESS.test(withoutColour(line))) this.harnesses += 1;
    else this.diagnostics.line(line);
  }

  private harnessLine(line: string): void {
    const running = this.place === 'outside' || this.place === 'tests' ? RUNNING.exec(line) : null;
    if (running !== null) {
      this.announced = Number(running[1]);
      this.begun += 1;
      this.place = 'tests';
      return;
    }
    if (this.place === 'outside' || this.closes(line)) return;
    if (line === 'failures:') this.nextPart();
    else if (this.place !== 'tests') this.failureLine(line);
  }

  /** The captured output comes first, the list of names after it. */
  private nextPart(): void {
    this.place = this.place === 'tests' ? 'failures' : 'list';
    this.report = null;
    this.listed.clear();
  }

  private failureLine(line: string): void {
    const name = SECTION.exec(line)?.[1];
    if (name !== undefined) {
      // What looked like the list was a failed test's own output.
      this.place = 'failures';
      this.report = null;
      if (this.reports.size === MAX_REPORTS) return;
      this.report = new FailureReport(name);
      this.reports.set(name, this.report);
      return;
    }
    if (this.place === 'failures') {
      this.report?.line(line);
      return;
    }
    const listed = LISTED.exec(line)?.[1];
    if (listed !== undefined && this.listed.size < MAX_REPORTS) this.listed.add(listed);
  }

  /** Whether the line is the summary of the open block. */
  private closes(line: string): boolean {
    const summary = SUMMARY.exec(line);
    if (summary === null) return false;
    const [passed = 0, failed = 0, ignored = 0, measured = 0] = summary.slice(1).map(Number);
    if (passed + failed + ignored + measured !== this.announced) return false;
    // The list of what failed stands before the summary; without it this is captured output.
    if (this.place !== (failed > 0 ? 'list' : 'tests')) return false;
    this.counts.passed += passed + measured;
    this.counts.failed += failed;
    this.counts.ignored += ignored;
    this.summedUp += 1;
    this.tellFailures(this.listed, failed);
    this.place = 'outside';
    return true;
  }

  private tellFailures(names: Iterable<string>, total: number): void {
    let told = 0;
    for (const name of names) {
      if (told === total) break;
      this.findings.failedTest((this.reports.get(name) ?? new FailureReport(name)).result());
      told += 1;
    }
    this.findings.moreFailedTests(total - told);
    this.reports.clear();
    this.listed.clear();
    this.report = null;
  }

  private reason(truncated: boolean): EvidenceReasonCode {
    if (truncated) return 'output_truncated';
    if (this.begun === 0) return this.harnesses > 0 ? 'partial_harness_summary' : 'no_complete_summary';
    // Without cargo's own lines (`--quiet` in its configuration) the blocks stand for themselves.
    const expected = Math.max(this.begun, this.harnesses);
    return this.summedUp === expected ? 'complete_summary' : 'partial_harness_summary';
  }

  private total(): TestCounts {
    const { passed, failed, ignored } = this.counts;
    return { passed, failed, ignored, total: passed + failed + ignored };
  }
}

export const createCargoTestParser: CreateParser = (context) => new CargoTestParser(inWorkspace(context));
