import { isCheck, type FinishedCall } from '../../validation/index.js';

/** What an attempt did, in numbers. */
export interface Activity {
  /** Calls that write, run, use Git or validate. */
  readonly meaningful_tool_calls: number;
  readonly successful_tool_calls: number;
  readonly failed_tool_calls: number;
  /** Failures that somebody has to look at. */
  readonly actionable_failed_calls: number;
  readonly expected_results: number;
  readonly resolved_failures: number;
  readonly unresolved_failures: number;
}

/** Counts the calls of an attempt. */
export function activity(calls: readonly FinishedCall[]): Activity {
  const count = (matches: (call: FinishedCall) => boolean): number => calls.filter(matches).length;
  // The end of a Job is no call of its own.
  const countCalls = (matches: (call: FinishedCall) => boolean): number =>
    count((call) => call.event.kind === 'tool_call_finished' && matches(call));
  return {
    meaningful_tool_calls: countCalls(({ event }) => event.write_like || event.shell_like || event.git_like || isCheck(event)),
    successful_tool_calls: countCalls(({ event }) => event.status === 'succeeded'),
    failed_tool_calls: countCalls(({ event }) => event.status === 'failed'),
    actionable_failed_calls: count(isActionableFailure),
    expected_results: count(({ verdict }) => verdict === 'expected'),
    resolved_failures: count(({ resolvedBy }) => resolvedBy !== null),
    unresolved_failures: count((call) => isActionableFailure(call) && isCheck(call.event)),
  };
}

/** A failure that had, or may have had, an effect, and that no later pass resolved. */
export function isActionableFailure({ verdict, resolvedBy }: FinishedCall): boolean {
  return (verdict === 'failure' || verdict === 'mismatch') && resolvedBy === null;
}
