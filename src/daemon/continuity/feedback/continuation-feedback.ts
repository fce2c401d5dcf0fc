import type { JsonObject } from '../../../protocol/tool-result.js';
import type { BoardSnapshot } from '../../sessions/index.js';
import { changedPaths, DELTA_NOT_REQUESTED, isCheck, validationDelta, type AttemptBoundary } from '../../validation/index.js';
import { openMessages, type OpenMessages } from '../evidence/board-view.js';
import type { JobAggregate } from '../evidence/job-aggregate.js';
import type { TaskHistory } from '../evidence/task-history.js';
import { activity, isActionableFailure, type Activity } from './activity.js';
import { exploration } from './exploration.js';
import { jobsBlock } from './jobs-block.js';
import { needsCheck } from './needs-check.js';
import { nextActions } from './next-actions.js';
import { openFailures } from './open-failures.js';
import { VALIDATION_NOT_REQUESTED, validationBlock } from './validation-block.js';

const EXCERPT_CHARACTERS = 500;
const MAX_CHANGES = 100;
const MAX_OPEN_FAILURES = 20;

/** How many explored paths a start shows (spec 06 §7.3). */
export const STARTUP_EXPLORATION = 12;
/** How many explored paths the full feedback shows. */
export const FULL_EXPLORATION = 100;

/** A fresh Session has no previous attempt (spec 00, decision 48). */
export const FRESH_FEEDBACK: JsonObject = { status: 'not_applicable', reason_code: 'fresh_session' };

/** What the feedback is made of: all of it captured before. */
export interface FeedbackFacts {
  readonly history: TaskHistory;
  readonly jobs: JobAggregate;
  /** Null when the board cannot be read. */
  readonly board: BoardSnapshot | null;
}

/** What a caller wants of it. */
export interface FeedbackView {
  readonly explorationLimit: number;
  readonly atStartup: boolean;
  readonly validation: boolean;
}

/**
 * What the latest attempt of a Session left behind (spec 06 §7): a pure projection of
 * captured facts. It runs, reads, marks and writes nothing, and blocks whose source is not
 * known say so.
 */
export function continuationFeedback({ history, jobs, board }: FeedbackFacts, view: FeedbackView): JsonObject {
  const { boundary, attempt } = history;
  const done = activity(attempt);
  const explored = exploration(attempt, boundary.complete, view.explorationLimit);
  const failing = openFailures(attempt, MAX_OPEN_FAILURES);
  const paths = changedPaths(attempt);
  const unchecked = needsCheck(attempt);
  const open = board === null ? null : openMessages(board);
  const delta = view.validation ? validationDelta(history.validation.events) : DELTA_NOT_REQUESTED;
  return {
    ...statusOf(boundary),
    attempt: {
      boundary: { source: boundary.source, ...(boundary.reasonCode === null ? {} : { reason_code: boundary.reasonCode }) },
      event_range: eventRange(boundary),
      instruction: instructionBlock(boundary),
      activity: { ...done },
      changes: { paths: paths.slice(0, MAX_CHANGES), total: paths.length, truncated: paths.length > MAX_CHANGES },
      exploration: { ...explored },
      validation: view.validation ? validationBlock(history, failing, delta) : VALIDATION_NOT_REQUESTED,
      jobs: jobsBlock(jobs),
      guidance: guidanceBlock(open),
      outcome: outcomeBlock(done, jobs, open, unchecked),
    },
    validation_delta: delta,
    suggested_next_actions: nextActions({
      openFailures: failing.items,
      otherFailures: attempt.filter((call) => isActionableFailure(call) && !isCheck(call.event)).length,
      jobs,
      open,
      needsCheck: unchecked,
      exploration: view.atStartup ? explored : null,
    }),
    deterministic: true,
    llm_summary: false,
  };
}

function statusOf({ source, reasonCode }: AttemptBoundary): JsonObject {
  if (source === 'no_events') return { status: 'not_applicable', reason_code: 'empty_session' };
  return { status: source === 'unavailable' ? 'unknown' : 'available', ...(reasonCode === null ? {} : { reason_code: reasonCode }) };
}

function eventRange({ events, startSequence, endSequence, complete }: AttemptBoundary): JsonObject {
  return {
    start_event_id: events[0]?.event_id ?? null,
    end_event_id: events.at(-1)?.event_id ?? null,
    start_sequence: startSequence,
    end_sequence: endSequence,
    event_count: events.length,
    complete,
  };
}

function instructionBlock({ instruction }: AttemptBoundary): JsonObject {
  if (instruction?.instruction === undefined) return { status: 'not_observed' };
  const characters = [...instruction.instruction];
  return {
    status: 'available',
    excerpt: characters.slice(0, EXCERPT_CHARACTERS).join(''),
    truncated: characters.length > EXCERPT_CHARACTERS,
    recorded_at: instruction.timestamp,
    mode: instruction.requested_mode ?? null,
    previous_mode: instruction.previous_mode ?? null,
    resumed: instruction.previous_mode !== undefined,
  };
}

/** What waits on the board, counted: no bodies, and nothing is marked by it. */
function guidanceBlock(open: OpenMessages | null): JsonObject {
  if (open === null) return { status: 'unavailable', reason_code: 'guidance_unavailable' };
  const { guidance, risks, questions, todos, latest } = open;
  return {
    status: 'available',
    open_guidance: guidance,
    open_risks: risks,
    open_questions: questions,
    open_todos: todos,
    latest_kind: latest?.kind ?? null,
    latest_at: latest?.created_at ?? null,
    latest_message_id: latest?.message_id ?? null,
  };
}

function outcomeBlock(done: Activity, jobs: JobAggregate, open: OpenMessages | null, unchecked: boolean): JsonObject {
  const recovering = jobs.status === 'available' && jobs.recoveringCount > 0;
  const reasons = [
    ...(done.unresolved_failures > 0 ? ['unresolved_validation_failures'] : []),
    ...(done.actionable_failed_calls > done.unresolved_failures ? ['failed_tool_calls'] : []),
    ...(recovering ? ['jobs_recovering'] : []),
    ...(jobs.status === 'available' && jobs.terminalPendingCount > 0 ? ['jobs_terminal_pending'] : []),
    ...(open !== null && open.latest !== null ? ['open_guidance'] : []),
    ...(unchecked ? ['validation_not_run'] : []),
  ];
  return { status: done.unresolved_failures > 0 || recovering ? 'blocked' : 'in_progress', reasons };
}
