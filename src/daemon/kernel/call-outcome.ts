import type { ErrorKind } from '../../protocol/error-kinds.js';
import { errorKindOf, type ToolResult } from '../../protocol/tool-result.js';
import type { CallOutcome } from './ports.js';

/** How far a call came. */
export type CallStage = 'before_tool' | 'before_parse' | 'before_handler' | 'handler';

const DENIALS: ReadonlySet<ErrorKind> = new Set([
  'insufficient_scope',
  'permission_denied',
  'session_guard_denied',
  'session_closed',
  'session_authority_denied',
  'session_capability_upgrade_denied',
  'policy_rejected',
]);

/** Each way that a call can end is its own outcome (spec 00, decision 43). */
export function outcomeOf(stage: CallStage, result: ToolResult): CallOutcome {
  const kind = errorKindOf(result);
  if (kind === null) return 'success';
  if (stage === 'before_tool') return 'refused';
  if (kind === 'invalid_arguments') return 'invalid';
  if (DENIALS.has(kind)) return 'denied';
  if (stage !== 'handler') return 'refused';
  const state = result.output['execution_state'];
  if (kind === 'cancelled' || state === 'cancelled') return 'cancelled';
  if (kind === 'dispatch_hard_timeout' || kind === 'timeout' || state === 'timed_out') return 'timed_out';
  return 'tool_failed';
}

/** A tool that refused its input before any effect drops the permission that let it try (spec 04 §5). */
const HARD_DENIALS: ReadonlySet<ErrorKind> = new Set([
  'invalid_arguments',
  'policy_rejected',
  'sensitive_path',
  'invalid_path',
  'session_guard_denied',
  'session_closed',
  'session_project_mismatch',
  'session_authority_denied',
]);

export function isHardDenial(result: ToolResult): boolean {
  const kind = errorKindOf(result);
  return kind !== null && HARD_DENIALS.has(kind);
}
