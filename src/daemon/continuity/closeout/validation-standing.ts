import type { JsonObject } from '../../../protocol/tool-result.js';
import type { SessionSnapshot } from '../../sessions/index.js';
import { plainChecks, plainChecksView, type PlainCheck } from '../evidence/checks-outside-validators.js';
import type { FinishedCall } from '../evidence/finished-calls.js';
import type { OutcomeReason } from './task-outcome.js';

/** How a task stands on validation, as far as its events carry it. */
export interface ValidationStanding {
  readonly status: 'not_run' | 'unknown';
  readonly reason: string;
  readonly checks: readonly PlainCheck[];
  readonly advisories: readonly OutcomeReason[];
}

/**
 * No validator has run in this version, so the standing is `not_run`; tests that ran as
 * plain commands are listed as what they are (spec 00, decision 40). Validator evidence
 * that a newer version left is not judged: `unknown`.
 */
export function validationStanding(snapshot: SessionSnapshot, calls: readonly FinishedCall[]): ValidationStanding {
  const checks = plainChecks(calls);
  if (snapshot.events.some(({ kind }) => kind === 'validation_job_terminal')) {
    return standing('unknown', 'validator_evidence_not_read', 'validation_unknown', checks);
  }
  const reason = checks.length > 0 ? 'checks_ran_outside_validators' : 'no_validation_tool_invoked';
  return standing('not_run', reason, 'validation_not_run', checks);
}

function standing(
  status: ValidationStanding['status'],
  reason: string,
  advisory: string,
  checks: readonly PlainCheck[],
): ValidationStanding {
  const latest = checks.at(-1);
  const detail: JsonObject = {
    reason_code: reason,
    checks_outside_validators: checks.length,
    ...(latest === undefined
      ? {}
      : { latest_check: { outcome: latest.outcome, purpose: latest.purpose, after_last_change: latest.after_last_change } }),
  };
  return { status, reason, checks, advisories: [{ reason: advisory, detail }] };
}

/** The standing as outputs show it. */
export function validationView({ status, reason, checks }: ValidationStanding): JsonObject {
  return { available: true, status, reason, checks_outside_validators: plainChecksView(checks) };
}
