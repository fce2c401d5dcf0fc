import { HAND_OFF_GRACE_MS } from '../../protocol/execution-limits.js';

/** Kept free at the end of a bounded answer for the hand-off itself, in milliseconds. */
const ANSWER_MARGIN_MS = 2_000;

export interface HandOffInputs {
  readonly timeoutMs: number;
  /** What the caller asked to wait, 1 or more, within its tool's own bound; undefined takes the usual grace. */
  readonly syncWaitSecs: number | undefined;
  /** The bound on the answer, or null. */
  readonly answerWithinMs: number | null;
}

/** How long a foreground execution is waited for, in milliseconds. */
export interface HandOff {
  /** What was effectively waited for at most, after every cut. */
  readonly syncWaitMs: number;
  /** When the execution becomes a Job; null is never, since its own time-out comes first. */
  readonly afterMs: number | null;
}

/**
 * When work that has not ended goes on as a Job (spec 00, decision 24): after ten
 * seconds, or the wait that the caller asked for; never later than its answer is due, and
 * never beyond its own time-out.
 */
export function handOff({ timeoutMs, syncWaitSecs, answerWithinMs }: HandOffInputs): HandOff {
  const asked = syncWaitSecs === undefined ? HAND_OFF_GRACE_MS : syncWaitSecs * 1_000;
  const syncWaitMs = Math.min(asked, timeoutMs, answerWithinMs === null ? Infinity : answerDueMs(answerWithinMs));
  return { syncWaitMs, afterMs: syncWaitMs < timeoutMs ? syncWaitMs : null };
}

/** When a bounded answer must be on its way, in milliseconds from the call's begin. */
export function answerDueMs(answerWithinMs: number): number {
  return Math.max(0, answerWithinMs - ANSWER_MARGIN_MS);
}
