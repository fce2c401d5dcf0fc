import { checkName, changedContent, failureDigest, isDeciding, validationEvents, type FinishedCall, type ValidationEvent } from '../../validation/index.js';

const MAX_EVENTS = 5;

/** A check that failed in the same way again and again. */
export type RepeatedFailure = {
  /** `target:…`, `assertion:…` or `command:…`. */
  readonly identity: string;
  readonly count: number;
  /** The newest of them, newest first. */
  readonly event_ids: readonly string[];
  /** Whether content changed between the first of them and the last. */
  readonly content_changed_between: boolean;
};

/**
 * The check of an attempt whose newest runs failed in exactly the same way, one after the
 * other; of several the one that ran last. It is told only where the parsers' whole output
 * proves it; in doubt it is null (spec 06 §9).
 */
export function repeatedFailure(attempt: readonly FinishedCall[]): RepeatedFailure | null {
  const runs = validationEvents(attempt).filter((event) => event.identity !== null && isDeciding(event)).toReversed();
  for (const identity of new Set(runs.map((run) => run.identity ?? ''))) {
    const repeated = sameFailures(runs.filter((run) => run.identity === identity));
    const newest = repeated[0];
    const first = repeated.at(-1);
    if (newest === undefined || first === undefined || repeated.length < 2) continue;
    const began = first.startSequence;
    const begunAgain = newest.startSequence;
    if (began === null || begunAgain === null) continue;
    return {
      identity: checkName(identity),
      count: repeated.length,
      event_ids: repeated.slice(0, MAX_EVENTS).map(({ event }) => event.event_id),
      content_changed_between: attempt.some((call) => changedContent(call) && call.sequence > began && call.sequence < begunAgain),
    };
  }
  return null;
}

/** Of one check's runs, newest first: those from the newest on that failed as it did. */
function sameFailures(runs: readonly ValidationEvent[]): readonly ValidationEvent[] {
  const [newest] = runs;
  const failures = newest === undefined ? null : failureSet(newest);
  if (failures === null) return [];
  const departs = runs.findIndex((run) => run.evidence.parser !== newest?.evidence.parser || failureSet(run) !== failures);
  return departs === -1 ? runs : runs.slice(0, departs);
}

/** What failed in a run, as one text that equals that of a run with the same failures; null when it is not wholly known. */
function failureSet({ evidence }: ValidationEvent): string | null {
  const { status, parser, evidence_reason_code: reason, failures, further_failures: further = [], failures_total: total } = evidence;
  if (status !== 'failed' || parser === null || reason !== 'complete_summary') return null;
  if (total === 0 || failures.length + further.length < total) return null;
  return [...failures.map(failureDigest), ...further].sort().join(' ');
}
