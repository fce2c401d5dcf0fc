import { eventRow, type SessionEvent } from '../event-row.js';
import type { LedgerPart, LedgerSession } from '../ledger-rows.js';
import { messageRow } from '../message-row.js';
import { tombstoneRowOf } from './tombstone-row.js';

/*
 * Rows as the document writes them. The order of members is the order of the tables in
 * docs/ledger-format.md, whoever wrote the row and whenever, so that equal ledgers give
 * equal bytes. Maps and recorded inputs keep their own order.
 */

type Members = Readonly<Record<string, unknown>>;

const EVENT_ORDER = Object.keys(eventRow.shape);
const MESSAGE_ORDER = Object.keys(messageRow.shape);
const GUARDS_ORDER = ['deny_write_tools', 'deny_shell_tools'];
const CONTEXT_ORDER = ['default_cwd', 'default_shell', 'resource'];
/** Members of an event that are objects with an order of their own. */
const NESTED_ORDERS: Readonly<Record<string, readonly string[]>> = {
  persistent_shell: Object.keys(eventRow.shape.persistent_shell.unwrap().shape),
  effect_evidence: Object.keys(eventRow.shape.effect_evidence.unwrap().shape),
  validation_output_summary: Object.keys(eventRow.shape.validation_output_summary.unwrap().shape),
  permission: Object.keys(eventRow.shape.permission.unwrap().shape),
  requested_guards: GUARDS_ORDER,
  previous_guards: GUARDS_ORDER,
  execution_context: CONTEXT_ORDER,
  previous_execution_context: CONTEXT_ORDER,
};

/** A part of the ledger as compact JSON: one row of the document's `sessions`. */
export function documentRow(part: Exclude<LedgerPart, { readonly unreadable: unknown }>): string {
  return JSON.stringify('session' in part ? sessionRowOf(part.session) : tombstoneRowOf(part.tombstone));
}

/** A Session as the raw row that `restoreSession` judges, its members in their order. */
export function sessionRowOf(session: LedgerSession): Members {
  const { board } = session;
  return {
    session_id: session.sessionId,
    owner_authority_fingerprint: session.ownerFingerprint,
    project: session.project,
    title: session.title,
    mode: session.mode,
    guards: ordered(session.guards as unknown as Members, GUARDS_ORDER),
    execution_context: ordered({ ...session.executionContext }, CONTEXT_ORDER),
    lifecycle: session.lifecycle,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    events: session.events.map(orderedEvent),
    events_observed: session.eventsObserved,
    messages: session.messages.map(({ message }) => ordered(message, MESSAGE_ORDER)),
    message_observation_revision: board.observationRevision,
    message_observation_floor: board.observationFloor,
    message_observation_revisions: Object.fromEntries(
      session.messages.map(({ message, revision }) => [message.message_id, revision]),
    ),
    assignment_history_floors: sortedObject(board.assignmentHistoryFloors),
    assignment_history_tracking_complete: board.assignmentHistoryTrackingComplete,
    completion_assignment_fence_fingerprints: sortedObject(board.completionFences),
    completion_assignment_fence_tracking_complete: board.completionFenceTrackingComplete,
    ...(board.deliveryReplays.size === 0
      ? {}
      : {
          message_delivery_replays: sortedObject(
            board.deliveryReplays,
            ({ payloadFingerprint, messageId }) => ({ payload_fingerprint: payloadFingerprint, message_id: messageId }),
          ),
        }),
    ...(session.materializedValidationJobIds.length === 0
      ? {}
      : { materialized_validation_job_ids: session.materializedValidationJobIds }),
    ...(session.gitBaselineTree === null ? {} : { git_baseline_tree: session.gitBaselineTree }),
    ...(session.repositoryEditObserved ? { repository_edit_observed: true } : {}),
  };
}

function orderedEvent(event: SessionEvent): Members {
  const members: Members = event;
  const result: Record<string, unknown> = {};
  for (const name of EVENT_ORDER) {
    const value = members[name];
    if (value === undefined) continue;
    const order = NESTED_ORDERS[name];
    result[name] = order === undefined || value === null ? value : ordered(value as Members, order);
  }
  return result;
}

function ordered(members: Members, order: readonly string[]): Members {
  const result: Record<string, unknown> = {};
  for (const name of order) if (members[name] !== undefined) result[name] = members[name];
  return result;
}

/** A map by its keys: the tables that it comes from have no order of their own. */
function sortedObject<Value>(map: ReadonlyMap<string, Value>, shown: (value: Value) => unknown = (value) => value): Members {
  return Object.fromEntries(
    [...map]
      .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
      .map(([key, value]) => [key, shown(value)]),
  );
}
