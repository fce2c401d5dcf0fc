import { isCheck, lastContentChange, type FinishedCall } from '../../validation/index.js';

const DECIDED: ReadonlySet<FinishedCall['verdict']> = new Set(['passed', 'unexpected_success', 'failure', 'mismatch']);

/** Whether content changed and no check that decides something provably started since. */
export function needsCheck(calls: readonly FinishedCall[]): boolean {
  const lastChange = lastContentChange(calls);
  if (lastChange === null) return false;
  return !calls.some(
    ({ event, verdict, startSequence }) =>
      isCheck(event) && DECIDED.has(verdict) && startSequence !== null && startSequence > lastChange,
  );
}
