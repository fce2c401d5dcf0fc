import { RECOVERY_KINDS, type RecoveryKind } from '../../../protocol/error-kinds.js';
import { EXECUTION_STATES, type ExecutionState } from '../../../protocol/execution-state.js';
import type { ToolResult } from '../../../protocol/tool-result.js';
import type { CallRecord } from '../../kernel/ports.js';
import { closedLabel, labelText } from './closed-values.js';

/** Why a call failed, as labels. All null on success, whatever its output holds. */
export interface FailureLabels {
  readonly error_kind: string | null;
  readonly failure_kind: string | null;
  readonly recovery_kind: RecoveryKind | null;
}

export function failureLabels(result: ToolResult): FailureLabels {
  if (result.success) return { error_kind: null, failure_kind: null, recovery_kind: null };
  return {
    error_kind: labelText(result.output['error_kind']),
    failure_kind: labelText(result.output['failure_kind']),
    recovery_kind: closedLabel(result.output['recovery_kind'], RECOVERY_KINDS),
  };
}

/** The error kind of a failed result, when it has the form of one. */
export function callErrorKind(result: ToolResult): string | null {
  return failureLabels(result).error_kind;
}

/** The state of an execution: what the handler knows of its effect, before what the answer says of it. */
export function executionStateOf(call: Pick<CallRecord, 'outcomeFacts' | 'result'>): ExecutionState | null {
  return (
    closedLabel(call.outcomeFacts.effect?.executionState, EXECUTION_STATES) ??
    closedLabel(call.result.output['execution_state'], EXECUTION_STATES)
  );
}
