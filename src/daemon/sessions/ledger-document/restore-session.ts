import { parseProjectId, type AuthorityFingerprint, type SessionId } from '../../../protocol/ids.js';
import type { LedgerSession } from '../ledger-rows.js';
import { INSTRUCTION_CHARACTERS } from '../limits.js';
import { capabilityOf } from '../mode-guards.js';
import { restoreAssignments } from './restore-assignments.js';
import { restoreExecutionContext } from './restore-context.js';
import { restoreDeliveries } from './restore-deliveries.js';
import { restoreEvents } from './restore-events.js';
import { restoreMessages } from './restore-messages.js';
import { placeOf, RowRefused, type Restored, type RestoreNote } from './restore-notes.js';
import { restoreObservation } from './restore-observation.js';
import { sessionRowShape, type SessionRowShape } from './session-row.js';
import { storedText } from './stored-text.js';

/** How much of a row is kept, newest first. */
export interface RestoreLimits {
  readonly eventsPerSession: number;
  readonly messagesPerSession: number;
}

/** Markers of Jobs whose terminal event was written (spec 06 §6). */
const JOB_MARKERS = 64;
const JOB_MARKER = /^[\x21-\x7e]{1,128}$/;
const TREE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Judges one Session row of a document by the rules of restore (spec 01 §4): what its
 * schema refuses costs the row, what a rule names costs the element or the member alone,
 * and each is noted. It touches nothing, and it throws nothing.
 *
 * @param raw any JSON value that is no tombstone
 */
export function restoreSession(raw: unknown, limits: RestoreLimits): Restored<LedgerSession> {
  const parsed = sessionRowShape.safeParse(raw);
  if (!parsed.success) {
    return { row: null, notes: [{ reason: 'malformed_session_row', at: placeOf(parsed.error.issues[0]?.path ?? []) }] };
  }
  try {
    return restoreParts(parsed.data, limits);
  } catch (error) {
    if (error instanceof RowRefused) return { row: null, notes: [error.note] };
    throw error;
  }
}

function restoreParts(row: SessionRowShape, limits: RestoreLimits): Restored<LedgerSession> {
  const sessionId = row.session_id as SessionId;
  const project = row.project === null ? null : parseProjectId(row.project);
  const { events, notes: eventNotes } = restoreEvents(row.events, sessionId, limits.eventsPerSession);
  const { messages, lost, notes: messageNotes } = restoreMessages(row.messages, sessionId, limits.messagesPerSession);
  const observation = restoreObservation(messages, lost, row);
  const { notes: assignmentNotes, ...assignments } = restoreAssignments(messages, lost.size > 0, row);
  const deliveries = restoreDeliveries(row.message_delivery_replays, messages);
  const context = restoreExecutionContext({ ...NO_CONTEXT, ...row.execution_context }, project !== null);
  const { mode, guards } = capabilityOf({ mode: row.mode, guards: row.guards });
  const title = row.title === null ? null : storedText(row.title, INSTRUCTION_CHARACTERS);
  const jobs = row.materialized_validation_job_ids.filter((id) => JOB_MARKER.test(id));
  const tree = row.git_baseline_tree !== null && TREE.test(row.git_baseline_tree) ? row.git_baseline_tree : null;
  const eventsObserved = Math.max(row.events_observed, events.length);
  const updatedAt = Math.max(row.updated_at, row.created_at);
  const sameGuards =
    guards.deny_write_tools === row.guards.deny_write_tools && guards.deny_shell_tools === row.guards.deny_shell_tools;

  const ownNotes: readonly (RestoreNote | false)[] = [
    title !== row.title && { reason: 'text_bounded_or_redacted', at: 'title' },
    !sameGuards && { reason: 'guards_rederived', at: 'guards' },
    eventsObserved !== row.events_observed && { reason: 'events_observed_too_low', at: 'events_observed' },
    updatedAt !== row.updated_at && { reason: 'updated_before_created', at: 'updated_at' },
    jobs.length < row.materialized_validation_job_ids.length && {
      reason: 'malformed_job_marker',
      at: 'materialized_validation_job_ids',
    },
    jobs.length > JOB_MARKERS && { reason: 'beyond_job_marker_limit', at: 'materialized_validation_job_ids' },
    tree !== row.git_baseline_tree && { reason: 'malformed_baseline_tree', at: 'git_baseline_tree' },
  ];
  return {
    row: {
      sessionId,
      ownerFingerprint: row.owner_authority_fingerprint as AuthorityFingerprint,
      project,
      title,
      mode,
      guards,
      executionContext: context.context,
      lifecycle: row.lifecycle,
      createdAt: row.created_at,
      updatedAt,
      eventsObserved,
      events,
      messages: observation.messages,
      board: {
        observationRevision: observation.revision,
        observationFloor: observation.floor,
        ...assignments,
        deliveryReplays: deliveries.replays,
      },
      materializedValidationJobIds: jobs.slice(-JOB_MARKERS),
      gitBaselineTree: tree,
      repositoryEditObserved: row.repository_edit_observed,
      chain: null,
    },
    notes: [
      ...ownNotes.filter((note) => note !== false),
      ...context.notes,
      ...eventNotes,
      ...messageNotes,
      ...observation.notes,
      ...assignmentNotes,
      ...deliveries.notes,
    ],
  };
}

const NO_CONTEXT = { default_cwd: undefined, default_shell: undefined, resource: undefined };
