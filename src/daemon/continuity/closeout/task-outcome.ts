import type { JsonObject } from '../../../protocol/tool-result.js';
import type { FinishedCall } from '../../validation/index.js';
import { isActionableFailure } from '../feedback/activity.js';
import type { CloseoutFacts } from './closeout-facts.js';
import { hygieneAdvisories } from './hygiene.js';
import type { TaskValidation } from './task-validation.js';

const MAX_EVENTS_NAMED = 5;

/** One reason with what it rests on. */
export interface OutcomeReason {
  readonly reason: string;
  readonly detail: JsonObject;
}

/** The judgement on a task (spec 06 §11): any blocker fails it, any advisory warns. */
export interface TaskOutcome {
  readonly status: 'pass' | 'warn' | 'fail';
  readonly blockers: readonly OutcomeReason[];
  readonly advisories: readonly OutcomeReason[];
}

/** Judges captured facts. What was not looked at is said, and never counts as clean. */
export function taskOutcome(
  facts: CloseoutFacts,
  calls: readonly FinishedCall[],
  validation: TaskValidation,
): TaskOutcome {
  const blockers = [
    ...workspaceBlockers(facts),
    ...jobBlockers(facts),
    ...failureBlockers(calls),
    ...validation.blockers,
    ...outputBlockers(facts),
  ];
  const advisories = [
    ...workspaceAdvisories(facts),
    ...hygieneAdvisories(facts.hygiene),
    ...jobAdvisories(facts),
    ...outputAdvisories(facts),
    ...validation.advisories,
  ];
  return {
    status: blockers.length > 0 ? 'fail' : advisories.length > 0 ? 'warn' : 'pass',
    blockers,
    advisories,
  };
}

function workspaceBlockers({ workspace }: CloseoutFacts): OutcomeReason[] {
  if (workspace.status !== 'observed') return [];
  const { repository, counts, protected_files: protectedFiles } = workspace.changes;
  return [
    ...(repository.conflicted ? [reason('workspace_conflicts', { conflicted: counts.conflicted })] : []),
    ...(protectedFiles > 0 ? [reason('sensitive_path_risk', { protected_files: protectedFiles })] : []),
  ];
}

function workspaceAdvisories({ workspace }: CloseoutFacts): OutcomeReason[] {
  switch (workspace.status) {
    case 'not_applicable':
      return [];
    case 'not_requested':
      return [reason('workspace_not_checked', { reason_code: 'not_requested' })];
    case 'failed':
      return [reason('workspace_observation_failed', { reason_code: workspace.reasonCode })];
    case 'observed': {
      const { repository, counts } = workspace.changes;
      return repository.dirty ? [reason('workspace_dirty', { ...counts })] : [];
    }
  }
}

function jobBlockers({ jobs }: CloseoutFacts): OutcomeReason[] {
  if (jobs.status === 'unavailable' || jobs.blockingCount === 0) return [];
  return [reason('blocking_active_jobs', { count: jobs.blockingCount })];
}

function jobAdvisories({ jobs }: CloseoutFacts): OutcomeReason[] {
  if (jobs.status === 'unavailable') return [reason('jobs_observation_failed', { reason_code: jobs.reasonCode })];
  if (jobs.terminalPendingCount === 0) return [];
  return [reason('jobs_terminal_pending', { count: jobs.terminalPendingCount })];
}

function failureBlockers(calls: readonly FinishedCall[]): OutcomeReason[] {
  const open = calls.filter(isActionableFailure);
  // Failing validations are a blocker of their own.
  const failures = open.filter(({ event, verdict }) => verdict === 'failure' && event.validation_output_summary?.evidence === undefined);
  const mismatches = open.filter(({ verdict }) => verdict === 'mismatch');
  return [
    ...(failures.length === 0 ? [] : [reason('unexpected_tool_failures', named(failures))]),
    ...(mismatches.length === 0 ? [] : [reason('expectation_mismatches', named(mismatches))]),
  ];
}

function outputBlockers({ outputs }: CloseoutFacts): OutcomeReason[] {
  if (outputs?.status !== 'checked') return [];
  const absent = outputs.receipts.filter(({ status }) => status !== 'present').map(({ path }) => path);
  return absent.length === 0 ? [] : [reason('declared_outputs_missing', { paths: absent })];
}

function outputAdvisories({ outputs }: CloseoutFacts): OutcomeReason[] {
  if (outputs?.status !== 'failed') return [];
  return [reason('declared_outputs_not_checked', { reason_code: outputs.reasonCode })];
}

/** The newest of some calls, by kind and number and never by their text. */
function named(calls: readonly FinishedCall[]): JsonObject {
  return {
    count: calls.length,
    newest: calls.slice(-MAX_EVENTS_NAMED).map(({ event }) => ({
      event_id: event.event_id,
      tool_name: event.tool_name,
      error_kind: event.error_kind,
      failure_kind: event.failure_kind,
      exit_code: event.exit_code,
      finished_at: event.finished_at,
    })),
  };
}

function reason(name: string, detail: JsonObject): OutcomeReason {
  return { reason: name, detail };
}
