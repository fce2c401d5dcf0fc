import { percentile, Samples } from './samples.js';

export interface Spread {
  readonly samples: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

/** How calls of one tool went; the totals of a query have the same members. */
export interface CallStatistics {
  readonly calls: number;
  readonly success: number;
  readonly failed: number;
  /** Nobody knows how they ended: the outcome is unknown, or the hard bound cut them off. */
  readonly unknown: number;
  /** Rows without a telemetry record; they are in no percentile. */
  readonly unmeasured: number;
  readonly duration_ms: Spread;
  /** Sizes of the results; calls that were refused before they had one are not among them. */
  readonly result_bytes: Spread;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Of the calls that did not succeed; `(none)` where the failure named no kind. */
  readonly error_kinds: Readonly<Record<string, number>>;
}

/** What is known of one call, in the order of the columns that it is read from. */
export type Measures = [
  startedAt: number,
  operation: string | null,
  succeeded: 0 | 1,
  durationMs: number,
  outcome: string | null,
  telemetryVersion: number | null,
  resultBytes: number | null,
  errorKind: string | null,
  executionState: string | null,
];

/** What is counted of one tool, a call at a time. */
export class Calls {
  calls = 0;
  success = 0;
  unknown = 0;
  unmeasured = 0;
  readonly outcomes = new Map<string, number>();
  readonly errorKinds = new Map<string, number>();
  readonly durations = new Samples();
  readonly sizes = new Samples();

  add([, , succeeded, durationMs, outcome, version, resultBytes, errorKind, executionState]: Measures): void {
    this.calls += 1;
    if (isUnknown(errorKind, executionState)) this.unknown += 1;
    else this.success += succeeded;
    if (outcome !== null) raise(this.outcomes, outcome);
    if (version === null) {
      this.unmeasured += 1;
      return;
    }
    if (succeeded === 0) raise(this.errorKinds, errorKind ?? '(none)');
    this.durations.add(durationMs);
    if (resultBytes !== null) this.sizes.add(resultBytes);
  }
}

/** The statistics of several counts taken together. */
export function statistics(parts: readonly Calls[]): CallStatistics {
  const sum = (of: (calls: Calls) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const [calls, success, unknown] = [sum((part) => part.calls), sum((part) => part.success), sum((part) => part.unknown)];
  return {
    calls,
    success,
    failed: calls - success - unknown,
    unknown,
    unmeasured: sum((part) => part.unmeasured),
    duration_ms: spread(parts.map((part) => part.durations)),
    result_bytes: spread(parts.map((part) => part.sizes)),
    outcomes: together(parts.map((part) => part.outcomes)),
    error_kinds: together(parts.map((part) => part.errorKinds)),
  };
}

/** The outcome class `unknown`, which is derived when it is read (spec 05 §6). */
function isUnknown(errorKind: string | null, executionState: string | null): boolean {
  return (
    errorKind === 'outcome_unknown' || errorKind === 'dispatch_hard_timeout' || executionState === 'outcome_unknown'
  );
}

function spread(collections: readonly Samples[]): Spread {
  return {
    samples: collections.reduce((sum, { count }) => sum + count, 0),
    p50: percentile(collections, 50),
    p95: percentile(collections, 95),
  };
}

function together(counts: readonly ReadonlyMap<string, number>[]): Readonly<Record<string, number>> {
  const all = new Map<string, number>();
  for (const part of counts) for (const [key, count] of part) raise(all, key, count);
  return Object.fromEntries(all);
}

function raise(map: Map<string, number>, key: string, by = 1): void {
  map.set(key, (map.get(key) ?? 0) + by);
}
