import { z } from 'zod';
import type { GitChangedFile, GitHunk } from '../../../protocol/runner/git.js';
import type { JsonObject } from '../../../protocol/tool-result.js';
import { changedPaths, isCheck, type FinishedCall } from '../../validation/index.js';
import { openMessages } from '../evidence/board-view.js';
import { isActionableFailure } from '../feedback/activity.js';
import { continuationFeedback, FULL_EXPLORATION } from '../feedback/continuation-feedback.js';
import { jobsBlock } from '../feedback/jobs-block.js';
import { needsCheck } from '../feedback/needs-check.js';
import { nextActions } from '../feedback/next-actions.js';
import { openFailures } from '../feedback/open-failures.js';
import { handoffBriefSchema } from '../handoff/brief.js';
import { handoffBrief } from '../handoff/build-brief.js';
import type { HandoffFacts, WorkspaceLook } from '../handoff/handoff-facts.js';
import { gitView, workspaceStatus } from '../workspace-view.js';
import type { CloseoutFacts, OutputCheck, WorkspaceCheck } from './closeout-facts.js';
import { evidenceIntegrity, historyStatus } from './evidence-quality.js';
import { hygieneView } from './hygiene.js';
import { taskOutcome, type OutcomeReason } from './task-outcome.js';
import { taskValidation, taskValidationView } from './task-validation.js';

const MAX_PATHS = 100;
const MAX_OPEN_FAILURES = 20;

/** Which parts a caller wants. */
export interface CloseoutParts {
  readonly summaryOnly: boolean;
  readonly validation: boolean;
  readonly handoff: boolean;
}

const reasons = z.array(z.looseObject({ reason: z.string() }));

/** The answer of `finish_coding_task` (spec 06 §11). */
export const closeoutOutputSchema = z.object({
  session_id: z.string(),
  project: z.string().nullable(),
  lifecycle: z.enum(['active', 'closed']),
  mode: z.enum(['normal', 'read_only']),
  task_outcome: z.object({
    status: z.enum(['pass', 'warn', 'fail']),
    blocking: z.boolean(),
    blocking_reasons: z.array(z.string()),
    warning_reasons: z.array(z.string()),
  }),
  hard_blockers: reasons,
  advisories: reasons,
  evidence_history: z.object({ status: z.enum(['clean', 'mixed_resolved', 'mixed_unresolved', 'failed']) }),
  evidence_integrity: z.object({ status: z.enum(['clean', 'warning', 'error']), reasons: z.array(z.string()) }),
  informational_notes: z.array(z.string()),
  suggested_next_actions: z.array(z.string()),
  workspace: z.looseObject({ status: z.string() }),
  jobs: z.looseObject({ status: z.enum(['available', 'unavailable']) }),
  validation: z.looseObject({}),
  hygiene: z.looseObject({ status: z.enum(['clean', 'findings', 'not_checked', 'not_applicable', 'unavailable']) }),
  handoff_brief: handoffBriefSchema.optional(),
  outputs: z.looseObject({ status: z.enum(['checked', 'failed']) }).optional(),
  facts: z.looseObject({}).optional(),
  continuation_feedback: z.looseObject({}).optional(),
});

/** The closeout of captured facts. It is a report: nothing is closed, completed or changed by it. */
export function closeoutOutput(facts: CloseoutFacts, parts: CloseoutParts): JsonObject {
  const { history, jobs, board } = facts;
  const { snapshot, calls } = history;
  const { session } = snapshot;
  const validation = taskValidation(history);
  const outcome = taskOutcome(facts, calls, validation);
  const integrity = evidenceIntegrity(calls, validation.summary.zeroTestsRun);
  return {
    session_id: session.sessionId,
    project: session.project,
    lifecycle: session.lifecycle,
    mode: session.mode,
    task_outcome: {
      status: outcome.status,
      blocking: outcome.blockers.length > 0,
      blocking_reasons: outcome.blockers.map(({ reason }) => reason),
      warning_reasons: outcome.advisories.map(({ reason }) => reason),
    },
    hard_blockers: outcome.blockers.map(reasonView),
    advisories: outcome.advisories.map(reasonView),
    evidence_history: { status: historyStatus(calls) },
    evidence_integrity: { ...integrity },
    informational_notes: notes(facts),
    suggested_next_actions: nextActions({
      openFailures: openFailures(calls, MAX_OPEN_FAILURES).items,
      otherFailures: calls.filter((call) => isActionableFailure(call) && !isCheck(call.event)).length,
      jobs,
      open: board === null ? null : openMessages(board),
      needsCheck: needsCheck(calls),
      exploration: null,
    }),
    workspace: workspaceView(facts.workspace, parts.summaryOnly),
    jobs: jobsBlock(jobs),
    validation: parts.validation ? taskValidationView(validation, calls) : { status: 'not_requested', reason: 'validation_not_requested' },
    hygiene: hygieneView(facts.hygiene),
    ...(facts.outputs === null ? {} : { outputs: outputsView(facts.outputs) }),
    ...(parts.summaryOnly
      ? {}
      : {
          facts: ledgerFacts(facts),
          continuation_feedback: continuationFeedback(
            { history, jobs, board },
            { explorationLimit: FULL_EXPLORATION, atStartup: false, validation: parts.validation },
          ),
          ...(parts.handoff ? { handoff_brief: handoffBrief(handoffFacts(facts)) } : {}),
        }),
  };
}

/** The same facts as a handoff has them. Its nested looks are its own, so that only the reports' fence is checked (spec 06 §11). */
function handoffFacts({ history, board, workspace, jobs, validation, reports, reportsChanged }: CloseoutFacts): HandoffFacts {
  const raced = { session: false, reports: reportsChanged };
  return { snapshot: history.snapshot, history, board, workspace: workspaceLook(workspace), jobs, validation, reports, raced };
}

function workspaceLook(workspace: WorkspaceCheck): WorkspaceLook {
  switch (workspace.status) {
    case 'not_requested':
      return { status: 'not_requested' };
    case 'not_applicable':
      return { status: 'unavailable', reasonCode: 'session_without_project' };
    case 'failed':
      return { status: 'unavailable', reasonCode: workspace.reasonCode };
    case 'observed':
      return { status: 'available', git: workspace.changes.repository };
  }
}

function reasonView({ reason, detail }: OutcomeReason): JsonObject {
  return { reason, ...detail };
}

function ledgerFacts({ history: { snapshot, calls } }: CloseoutFacts): JsonObject {
  const paths = changedPaths(calls);
  const count = (verdict: FinishedCall['verdict']): number => calls.filter((call) => call.verdict === verdict).length;
  return {
    events_observed: snapshot.eventsObserved,
    events_retained: snapshot.events.length,
    instructions: snapshot.events.filter(({ kind }) => kind === 'task_instruction').length,
    tool_calls: calls.filter(({ event }) => event.kind === 'tool_call_finished').length,
    job_ends: calls.filter(({ event }) => event.kind === 'validation_job_terminal').length,
    passed: count('passed'),
    failed: count('failure') + count('mismatch'),
    resolved: calls.filter(({ resolvedBy }) => resolvedBy !== null).length,
    harmless_failures: count('harmless_failure'),
    expected_results: count('expected'),
    evidence_gaps: count('gap'),
    admitted_jobs: count('admitted'),
    repository_edit_observed: snapshot.repositoryEditObserved,
    changed_paths: paths.slice(0, MAX_PATHS),
    changed_paths_total: paths.length,
    changed_paths_truncated: paths.length > MAX_PATHS,
  };
}

function workspaceView(workspace: WorkspaceCheck, summaryOnly: boolean): JsonObject {
  switch (workspace.status) {
    case 'not_requested':
    case 'not_applicable':
      return { status: workspace.status };
    case 'failed':
      return { status: 'unavailable', reason_code: workspace.reasonCode };
    case 'observed': {
      const { repository, counts, files, diff_stat, hunks, more_hunks, protected_files } = workspace.changes;
      return {
        status: workspaceStatus(repository),
        git: gitView(repository),
        counts: { ...counts },
        diff_stat: { ...diff_stat },
        protected_files,
        ...(summaryOnly ? {} : { files: files.map(fileView), files_truncated: files.length < counts.changed }),
        ...(summaryOnly || hunks === null ? {} : { hunks: hunks.map(hunkView), more_hunks }),
      };
    }
  }
}

function fileView({ from_path: from, path_is_lossy: lossy, ...file }: GitChangedFile): JsonObject {
  return { ...file, ...(from === undefined ? {} : { from_path: from }), ...(lossy === undefined ? {} : { path_is_lossy: lossy }) };
}

function hunkView({ from_path: from, ...hunk }: GitHunk): JsonObject {
  return { ...hunk, ...(from === undefined ? {} : { from_path: from }) };
}

function outputsView(outputs: OutputCheck): JsonObject {
  if (outputs.status === 'failed') {
    return { status: 'failed', reason_code: outputs.reasonCode, paths: outputs.paths };
  }
  return { status: 'checked', receipts: outputs.receipts.map((receipt) => ({ ...receipt })) };
}

function notes({ history: { snapshot }, workspace, jobs }: CloseoutFacts): readonly string[] {
  const evicted = snapshot.firstRetainedSequence;
  return [
    ...(snapshot.session.lifecycle === 'closed' ? ['The Session was closed before; it stays closed.'] : []),
    ...(evicted > 0 ? [`${evicted} older events have left the bounded ledger; the facts describe what is retained.`] : []),
    ...(jobs.status === 'available' && jobs.unsuccessfulCount > 0
      ? [`${jobs.unsuccessfulCount} of the Session's Jobs ended without success; list_jobs names them.`]
      : []),
    ...(workspace.status === 'observed' && !workspace.changes.repository.is_repository
      ? ['The project is in no Git repository; its changes could not be compared with anything.']
      : []),
  ];
}
