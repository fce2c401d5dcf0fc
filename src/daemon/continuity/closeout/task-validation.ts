import type { JsonObject } from '../../../protocol/tool-result.js';
import {
  plainChecks,
  validationDelta,
  validationSummaryView,
  type FinishedCall,
  type ValidationSummary,
} from '../../validation/index.js';
import type { TaskHistory } from '../evidence/task-history.js';
import type { OutcomeReason } from './task-outcome.js';

const MAX_EVENTS_NAMED = 5;
const MAX_EVENTS_SHOWN = 20;

/** How a task stands on validation, and what of it blocks or warns (spec 06 §11). */
export interface TaskValidation {
  readonly summary: ValidationSummary;
  readonly blockers: readonly OutcomeReason[];
  readonly advisories: readonly OutcomeReason[];
}

/**
 * A structured failure that nothing resolved blocks. Otherwise the evidence that counts is
 * what started after the last change of content; tests that ran as plain commands are
 * told as what they are (spec 00, decision 40).
 */
export function taskValidation({ validation: summary, calls }: TaskHistory): TaskValidation {
  const open = summary.unresolved.filter(({ evidence }) => evidence.status === 'failed');
  if (open.length > 0) return { summary, blockers: [failed(open)], advisories: [] };
  const advisory = advisoryOf(summary);
  return { summary, blockers: [], advisories: advisory === null ? [] : [{ reason: advisory, detail: detailOf(summary, calls) }] };
}

function advisoryOf({ current, events }: ValidationSummary): string | null {
  switch (current.status) {
    case 'passed':
    case 'failed':
    case 'mixed':
      return null;
    case 'stale':
      return 'validation_stale_after_changes';
    case 'inconclusive':
      return 'validation_inconclusive';
    case 'unknown':
      return 'validation_unknown';
    case 'not_run':
      return events.length > 0 && events.every(({ evidence }) => evidence.status === 'expected_result') ? 'validation_unknown' : 'validation_not_run';
  }
}

function failed(open: ValidationSummary['unresolved']): OutcomeReason {
  return {
    reason: 'validation_failed',
    detail: {
      count: open.length,
      newest: open.slice(-MAX_EVENTS_NAMED).map(({ event, evidence }) => ({
        event_id: event.event_id,
        tool_name: event.tool_name,
        kind: evidence.kind,
        evidence_kind: evidence.evidence_kind,
        failures: evidence.failures.slice(0, MAX_EVENTS_NAMED).map((failure) => ({ ...failure })),
        failures_total: evidence.failures_total,
        finished_at: event.finished_at,
      })),
    },
  };
}

function detailOf(summary: ValidationSummary, calls: readonly FinishedCall[]): JsonObject {
  const checks = plainChecks(calls);
  const latest = checks.at(-1);
  return {
    ...(summary.reason === null ? {} : { reason_code: summary.reason }),
    checks_outside_validators: checks.length,
    ...(latest === undefined
      ? {}
      : { latest_check: { outcome: latest.outcome, purpose: latest.purpose, after_last_change: latest.after_last_change } }),
  };
}

/** The standing as outputs show it. */
export function taskValidationView({ summary }: TaskValidation, calls: readonly FinishedCall[]): JsonObject {
  return { ...validationSummaryView(summary, calls, MAX_EVENTS_SHOWN), validation_delta: validationDelta(summary.events) };
}
