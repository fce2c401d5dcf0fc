import { percentile, type Samples } from './samples.js';

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

/** Calls of one tool that ended the same way. */
export interface CallGroup {
  readonly succeeded: boolean;
  readonly outcome: string | null;
  /** Null for calls without a telemetry record. */
  readonly telemetryVersion: number | null;
  readonly errorKind: string | null;
  readonly executionState: string | null;
  readonly calls: number;
  readonly durations: Samples;
  readonly sizes: Samples;
}

/** What is counted of one tool, a group at a time. */
export class Calls {
  calls = 0;
  success = 0;
  unknown = 0;
  unmeasured = 0;
  readonly outcomes = new Map<string, number>();
  readonly errorKinds = new Map<string, number>();
  readonly durations: Samples[] = [];
  readonly sizes: Samples[] = [];

  add(group: CallGroup): void {
    const { calls, succeeded, outcome, errorKind } = group;
    this.calls += calls;
    if (isUnknown(group)) this.unknown += calls;
    else if (succeeded) this.success += calls;
    if (outcome !== null) raise(this.outcomes, outcome, calls);
    if (group.telemetryVersion === null) {
      this.unmeasured += calls;
      return;
    }
    if (!succeeded) raise(this.errorKinds, errorKind ?? '(none)', calls);
    this.durations.push(group.durations);
    this.sizes.push(group.sizes);
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
    duration_ms: spread(parts.flatMap((part) => part.durations)),
    result_bytes: spread(parts.flatMap((part) => part.sizes)),
    outcomes: together(parts.map((part) => part.outcomes)),
    error_kinds: together(parts.map((part) => part.errorKinds)),
  };
}

/** The outcome class `unknown`, which is derived when it is read (spec 05 §6). */
function isUnknown({ errorKind, executionState }: CallGroup): boolean {
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

function raise(map: Map<string, number>, key: string, by: number): void {
  map.set(key, (map.get(key) ?? 0) + by);
}
