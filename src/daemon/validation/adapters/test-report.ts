import { z } from 'zod';
import type { CreateParser, OutputEnd, OutputParser, ParserContext } from '../adapter.js';
import { Findings } from '../findings.js';
import type { ParsedOutput } from '../parsed-output.js';

const count = z.int().min(0);
const place = { file: z.string().nullable(), line: z.int().min(1).nullable() };

/** One line of the report that the reporters of this package write (reporters/report.mjs). */
const reportLine = z.union([
  z.strictObject({ wc_report: z.literal(1), runner: z.string() }),
  z.strictObject({ case: z.enum(['passed', 'skipped']) }),
  z.strictObject({ case: z.literal('failed'), name: z.string(), message: z.string().nullable(), ...place }),
  z.strictObject({ problem: z.string(), phase: z.enum(['load', 'run']), ...place }),
  z.strictObject({ unavailable: z.string() }),
  z.strictObject({ end: z.strictObject({ passed: count, failed: count, skipped: count }) }),
]);
type ReportLine = z.infer<typeof reportLine>;

/**
 * Reads the report of a test run: all of the run's stdout, since the report has a channel
 * of its own. It proves its counts only when it is whole: one begin, lines that are all
 * its own, and one end, as the last line, whose sums are those of the tests before it.
 */
export const parseTestReport: CreateParser = (context) => new TestReportParser(context);

class TestReportParser implements OutputParser {
  readonly streams = ['stdout'] as const;
  private readonly findings: Findings;
  private readonly seen = { passed: 0, failed: 0, skipped: 0 };
  private state: 'before' | 'open' | 'ended' = 'before';
  /** Whether something stood in the report that no reporter of ours writes there. */
  private isForeign = false;
  private sumsAgree = false;
  private unavailable: string | null = null;
  private readonly problems = { load: 0, run: 0 };

  constructor(context: ParserContext) {
    this.findings = new Findings(context);
  }

  line(_stream: 'stdout', text: string): void {
    const line = parsedLine(text);
    if (line === null) this.isForeign = true;
    else if ('wc_report' in line) this.begin();
    else if (this.state !== 'open') this.isForeign = true;
    else this.fact(line);
  }

  finish({ truncated }: OutputEnd): ParsedOutput {
    const { passed, failed, skipped } = this.seen;
    const reason = this.reason(truncated);
    return {
      counts: reason === 'complete_summary' ? { passed, failed, ignored: skipped, total: passed + failed + skipped } : null,
      reason,
      evidenceKind: failed > 0 || this.problems.run > 0 ? 'test_failure' : this.problems.load > 0 ? 'compile_error' : null,
      diagnostics: this.findings.diagnostics,
      failedTests: this.findings.failedTests,
      ...(this.unavailable === null ? {} : { unavailable: this.unavailable }),
    };
  }

  private begin(): void {
    if (this.state !== 'before') this.isForeign = true;
    this.state = 'open';
  }

  private fact(line: Exclude<ReportLine, { readonly wc_report: 1 }>): void {
    if ('case' in line) {
      this.seen[line.case] += 1;
      if (line.case === 'failed') this.findings.failedTest({ name: line.name, message: line.message, file: line.file, line: line.line });
    } else if ('problem' in line) {
      this.problems[line.phase] += 1;
      this.findings.diagnostic({ severity: 'error', code: null, message: line.problem, file: line.file, line: line.line, column: null });
    } else if ('unavailable' in line) {
      this.unavailable = line.unavailable;
    } else {
      const { seen } = this;
      this.state = 'ended';
      this.sumsAgree = line.end.passed === seen.passed && line.end.failed === seen.failed && line.end.skipped === seen.skipped;
    }
  }

  private reason(truncated: boolean): ParsedOutput['reason'] {
    if (truncated) return 'output_truncated';
    if (this.state === 'before') return 'no_complete_summary';
    return this.state === 'ended' && this.sumsAgree && !this.isForeign ? 'complete_summary' : 'incomplete_stream';
  }
}

function parsedLine(text: string): ReportLine | null {
  try {
    return reportLine.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
