import type { EvidenceKind, EvidenceReasonCode, TestCounts } from '../kernel/validation-evidence.js';

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
  /** Failures after those, as far as they are told apart; they serve to compare two runs and are not shown. */
  readonly further?: readonly Item[];
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
  /** Set when the tool itself turned out not to be installed: the run proves nothing and is a `capability_unavailable`. */
  readonly unavailable?: string;
}
