import type { TelemetryClass } from '../../../protocol/tool-definition.js';
import { errorKindOf, type JsonObject } from '../../../protocol/tool-result.js';
import type { CallRecord } from '../../kernel/ports.js';
import { isJsonMap } from '../json-value.js';
import { closedLabel } from './closed-values.js';

/** The only conflicts that are told apart; a newer kind is a rejection like any other. */
const CONFLICT_KINDS = [
  'multiple_matches',
  'match_not_found',
  'occurrence_out_of_range',
  'overlapping_edits',
  'sha256_mismatch',
] as const;
/** What only a unified diff can end with. */
const DIFF_OUTCOMES = ['policy_blocked', 'not_applicable', 'malformed', 'apply_failed'] as const;

type EditFacts =
  | { readonly edit_surface: 'canonical'; readonly edit_outcome: string; readonly edit_conflict_kind?: string }
  | { readonly edit_surface: 'advanced' };

/** How an edit ended, by the structured fields of its result alone (spec 05 §6). */
export function editFacts(call: CallRecord, telemetryClass: TelemetryClass | undefined): EditFacts | null {
  if (telemetryClass === 'edit_advanced') return { edit_surface: 'advanced' };
  if (telemetryClass !== 'edit' && telemetryClass !== 'edit_diff') return null;
  const conflict = conflictKind(call);
  return {
    edit_surface: 'canonical',
    edit_outcome: call.result.success ? successOutcome(call.result.output) : failureOutcome(call, telemetryClass, conflict),
    ...(conflict === null ? {} : { edit_conflict_kind: conflict }),
  };
}

function successOutcome(output: JsonObject): string {
  if (output['dry_run'] === true) {
    return output['would_change'] === true ? 'dry_run_would_change' : 'dry_run_no_change';
  }
  return output['changed'] === true ? 'applied' : 'no_change';
}

function failureOutcome(call: CallRecord, telemetryClass: TelemetryClass, conflict: string | null): string {
  if (isUncertain(call)) return 'uncertain';
  if (conflict !== null) return 'conflict';
  const finer = closedLabel(call.outcomeFacts.telemetry?.['edit_outcome'], DIFF_OUTCOMES);
  return telemetryClass === 'edit_diff' && finer !== null ? finer : 'rejected';
}

/** Something may have been written: it was seen, it could not be undone, or nobody knows. */
function isUncertain({ result }: CallRecord): boolean {
  const { output } = result;
  const kind = errorKindOf(result);
  return (
    kind === 'outcome_unknown' ||
    kind === 'dispatch_hard_timeout' ||
    output['failure_kind'] === 'outcome_unknown' ||
    output['execution_state'] === 'outcome_unknown' ||
    output['rollback_complete'] === false ||
    output['changed'] === true ||
    output['state_changed'] === true ||
    output['state_changed'] === null
  );
}

function conflictKind({ result }: CallRecord): string | null {
  if (result.success) return null;
  const recovery = result.output['conflict_recovery'];
  const told = result.output['conflict_kind'] ?? (isJsonMap(recovery) ? recovery['conflict_kind'] : undefined);
  return closedLabel(told ?? result.output['error_kind'], CONFLICT_KINDS);
}
