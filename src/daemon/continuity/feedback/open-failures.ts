import { isCheck, purposeOf } from '../evidence/check-identity.js';
import type { FinishedCall } from '../evidence/finished-calls.js';
import { isActionableFailure } from './activity.js';

/** A check that fails now: nothing later made it pass. */
export interface OpenFailure {
  readonly event_id: string;
  /** What people call it: its assertion's name, else tool and purpose. */
  readonly name: string;
  readonly tool_name: string;
  readonly exit_code: number | null;
  readonly failure_kind: string | null;
  readonly finished_at: number | null;
}

/** The failing checks among some calls, newest first, at most `limit` of them. */
export function openFailures(calls: readonly FinishedCall[], limit: number): readonly OpenFailure[] {
  return calls
    .filter((call) => isActionableFailure(call) && isCheck(call.event))
    .toReversed()
    .slice(0, limit)
    .map(({ event }) => ({
      event_id: event.event_id,
      name: event.assertion_name ?? `${event.tool_name} (${purposeOf(event) ?? 'check'})`,
      tool_name: event.tool_name,
      exit_code: event.exit_code,
      failure_kind: event.failure_kind,
      finished_at: event.finished_at,
    }));
}
