import type { SessionEvent } from '../../sessions/index.js';
import { isCheck, purposeOf, type FinishedCall } from '../../validation/index.js';
import { isActionableFailure } from './activity.js';

/** A check that fails now: nothing later made it pass. */
export interface OpenFailure {
  readonly event_id: string;
  /** What people call it: its assertion's name, the tests or errors that its output names, else tool and purpose. */
  readonly name: string;
  readonly tool_name: string;
  readonly exit_code: number | null;
  readonly failure_kind: string | null;
  readonly finished_at: number | null;
}

/** Failing checks, newest first, and how many there are. */
export interface OpenFailures {
  readonly items: readonly OpenFailure[];
  readonly total: number;
}

/** The failing checks among some calls; at most `limit` of them are told. */
export function openFailures(calls: readonly FinishedCall[], limit: number): OpenFailures {
  const failing = calls.filter(isOpenCheckFailure);
  const items = failing
    .toReversed()
    .slice(0, limit)
    .map(({ event }) => ({
      event_id: event.event_id,
      name: nameOf(event),
      tool_name: event.tool_name,
      exit_code: event.exit_code,
      failure_kind: event.failure_kind,
      finished_at: event.finished_at,
    }));
  return { items, total: failing.length };
}

/** Whether a check failed, whatever ran it, and nothing later of the same check passed. */
export function isOpenCheckFailure(call: FinishedCall): boolean {
  return isActionableFailure(call) && isCheck(call.event);
}

function nameOf(event: SessionEvent): string {
  if (event.assertion_name !== undefined) return event.assertion_name;
  const evidence = event.validation_output_summary?.evidence;
  const [first] = evidence?.failures ?? [];
  if (evidence === undefined || first === undefined) return `${event.tool_name} (${purposeOf(event) ?? 'check'})`;
  const more = evidence.failures_total - 1;
  const place = first.kind === 'test' || first.file === null ? first.name : `${first.name} in ${first.file}`;
  return more > 0 ? `${place} and ${more} more` : place;
}
