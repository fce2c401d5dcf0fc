/** Why a validator's run is no pass, as its output says it (spec 03 §7). */
export const EVIDENCE_KINDS = [
  'compile_error',
  'test_failure',
  'format_diff',
  'timeout',
  'process_exit',
  'unknown',
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** How well the output proves its counts (spec 06 §3). */
export const EVIDENCE_REASON_CODES = [
  /** Everything that was begun was summed up. */
  'complete_summary',
  /** A part of the output is lost. */
  'output_truncated',
  /** Some harness began and never came to its summary. */
  'partial_harness_summary',
  /** Nothing in the output is a summary. */
  'no_complete_summary',
  /** The stream of events ends in the middle. */
  'incomplete_stream',
] as const;
export type EvidenceReasonCode = (typeof EVIDENCE_REASON_CODES)[number];

/** How many tests ended how. `total` is their sum; `passed + failed` have run. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly total: number;
}

/** One finding of a compiler, linter or formatter. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  /** The tool's own code: `E0308`, `F401`, `TS2322`. */
  readonly code: string | null;
  /** One line, at most 240 characters. */
  readonly message: string;
  /** Relative to the project's root; null when it is outside, or not said. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

/** One test that failed. */
export interface FailedTest {
  /** As its framework names it, the same from run to run. */
  readonly name: string;
  readonly message: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

/** Some of many: the first ones, and how many there were. */
export interface Bounded<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** What a parser made of a whole output. */
export interface ParsedOutput {
  /** Null when the output does not prove how many tests ran. */
  readonly counts: TestCounts | null;
  readonly reason: EvidenceReasonCode;
  /** What went wrong as far as the output says; null when it says nothing bad. */
  readonly evidenceKind: Exclude<EvidenceKind, 'timeout' | 'process_exit'> | null;
  readonly diagnostics: Bounded<Diagnostic>;
  readonly failedTests: Bounded<FailedTest>;
}
