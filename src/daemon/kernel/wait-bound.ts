/** Kept free at the end of a bounded answer, in milliseconds. */
const ANSWER_MARGIN_MS = 1_000;

/**
 * How long an observer really waits, in whole seconds: what it asked for, cut so that
 * the answer comes within its bound (decision 24).
 */
export function effectiveWaitSecs(askedSecs: number, answerWithinMs: number | null): number {
  if (answerWithinMs === null) return askedSecs;
  return Math.max(0, Math.min(askedSecs, Math.floor((answerWithinMs - ANSWER_MARGIN_MS) / 1_000)));
}

/** Ends a wait when nobody wants its answer any more: cancelled, or the caller is gone. */
export function waitSignal({ signal, disconnected }: { readonly signal: AbortSignal; readonly disconnected: AbortSignal }): AbortSignal {
  return AbortSignal.any([signal, disconnected]);
}
