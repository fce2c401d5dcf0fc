import type { ValidationStatus } from '../../kernel/validation-evidence.js';
import type { SessionEvent } from '../../sessions/index.js';

/**
 * What one finished call, or the end of a Job, is as evidence (spec 06 §3):
 * - `passed`: it did what was asked;
 * - `gap`: it ended well and did not prove as many tests as were asked for;
 * - `expected`: a negative or observed result that was declared before; it passes nothing;
 * - `admitted`: it goes on as a Job, which is no verdict;
 * - `mismatch`, `unexpected_success`: the declared expectation did not hold;
 * - `harmless_failure`: it failed and provably changed and started nothing;
 * - `failure`: it failed, and its effect is known or possible.
 */
export type CallVerdict =
  | 'passed'
  | 'gap'
  | 'expected'
  | 'admitted'
  | 'mismatch'
  | 'unexpected_success'
  | 'harmless_failure'
  | 'failure';

/** Refusals that come before any effect, whatever the tool. */
const REFUSED_BEFORE_EFFECT: ReadonlySet<string> = new Set([
  'invalid_arguments',
  'insufficient_scope',
  'permission_denied',
  'policy_rejected',
  'not_started',
  'unknown_project',
  'unknown_project_ref',
  'ambiguous_project',
  'unknown_session_id',
  'session_retention_expired',
  'session_authority_denied',
  'session_project_mismatch',
  'session_closed',
  'session_guard_denied',
  'confirmation_required',
]);

/** What `failure_expectation_result` decides by itself; other values leave it to the status. */
const BY_EXPECTATION: Readonly<Record<string, CallVerdict>> = {
  expectation_mismatch: 'mismatch',
  unexpected_success: 'unexpected_success',
  matched_expected_failure: 'expected',
  matched_expected_result: 'expected',
};

/** What a structured validation decided by itself. */
const BY_EVIDENCE: Readonly<Record<ValidationStatus, CallVerdict>> = {
  passed: 'passed',
  failed: 'failure',
  evidence_gap: 'gap',
  expected_result: 'expected',
  expectation_mismatch: 'mismatch',
};

/** Judges one finished event by its structured members alone. */
export function callVerdict(event: SessionEvent): CallVerdict {
  const declared = BY_EXPECTATION[event.failure_expectation_result ?? 'none'];
  const evidence = event.validation_output_summary?.evidence;
  if (evidence?.status === 'evidence_gap') return 'gap';
  if (declared !== undefined) return declared;
  if (evidence !== undefined) return BY_EVIDENCE[evidence.status];
  const state = event.effect_evidence?.execution_state;
  if (event.status !== 'failed') return state === 'queued' || state === 'running' ? 'admitted' : 'passed';
  return isHarmless(event) ? 'harmless_failure' : 'failure';
}

/** Whether a failed call is proven to have started and changed nothing; in doubt it is not. */
function isHarmless(event: SessionEvent): boolean {
  if (event.error_kind !== null && REFUSED_BEFORE_EFFECT.has(event.error_kind)) return true;
  const effect = event.effect_evidence;
  if (effect?.execution_state === 'outcome_unknown') return false;
  if (event.read_like && !event.shell_like) return true;
  if (effect === undefined) return false;
  if (effect.execution_state === 'not_started' || effect.command_started === false) return true;
  return effect.state_changed === false && effect.command_started !== true;
}
