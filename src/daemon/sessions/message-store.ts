import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { MessageId } from '../../protocol/ids.js';
import type { DeliveryReplay, LedgerBoard, LedgerMessage } from './ledger-rows.js';
import { messageRow } from './message-row.js';
import { UnreadableRowError, type SessionHead } from './session-head.js';

/** A board that nothing happened on. */
export const EMPTY_BOARD: LedgerBoard = {
  observationRevision: 0,
  observationFloor: 0,
  assignmentHistoryFloors: new Map(),
  assignmentHistoryTrackingComplete: true,
  completionFences: new Map(),
  completionFenceTrackingComplete: true,
  deliveryReplays: new Map(),
};

type Owner = Pick<SessionHead, 'number' | 'sessionId'>;

const count = z.int().nonnegative();
const flag = z.union([z.literal(0), z.literal(1)]);
const hex64 = z.string().regex(/^[0-9a-f]{64}$/);
const boardColumns = z.object({
  observation_revision: count,
  observation_floor: count,
  assignment_history_tracking_complete: flag,
  completion_fence_tracking_complete: flag,
});
const todoColumns = z.object({
  message_id: z.string(),
  assignment_history_floor: count.nullable(),
  completion_fence: hex64.nullable(),
});
const deliveryColumns = z.object({ delivery: z.string(), payload_fingerprint: hex64, message_id: z.string() });

/** The rows of message boards. Writes run inside a commit; the rules of boards are their writers'. */
export class MessageStore {
  private readonly insertMessage;
  private readonly selectMessages;
  private readonly countMessages;
  private readonly selectBoard;
  private readonly replaceBoard;
  private readonly selectTodos;
  private readonly insertTodo;
  private readonly selectDeliveries;
  private readonly insertDelivery;

  constructor(database: Database) {
    this.insertMessage = database.prepare(
      `INSERT INTO session_messages (session_number, message_number, message_id, created_at, kind, status, priority,
         message, tags, reply_to, resolved_at, resolution, requires_ack, first_ack_observed_at, author_session_id,
         resolved_by_message_id, completion_id, closure_kind, superseded_by_message_id, supersedes_message_id,
         last_revision)
       SELECT @session_number, coalesce(max(message_number) + 1, 0), @message_id, @created_at, @kind, @status, @priority,
         @message, @tags, @reply_to, @resolved_at, @resolution, @requires_ack, @first_ack_observed_at, @author_session_id,
         @resolved_by_message_id, @completion_id, @closure_kind, @superseded_by_message_id, @supersedes_message_id,
         @last_revision
       FROM session_messages WHERE session_number = @session_number`,
    );
    this.selectMessages = database.prepare<[number]>(
      'SELECT * FROM session_messages WHERE session_number = ? ORDER BY message_number',
    );
    this.countMessages = database.prepare<[], number>('SELECT count(*) FROM session_messages').pluck();
    this.selectBoard = database.prepare<[number]>('SELECT * FROM session_boards WHERE session_number = ?');
    this.replaceBoard = database.prepare(
      `INSERT OR REPLACE INTO session_boards (session_number, observation_revision, observation_floor,
         assignment_history_tracking_complete, completion_fence_tracking_complete) VALUES (?, ?, ?, ?, ?)`,
    );
    this.selectTodos = database.prepare<[number]>(
      'SELECT * FROM session_todos WHERE session_number = ? ORDER BY message_id',
    );
    this.insertTodo = database.prepare(
      `INSERT INTO session_todos (session_number, message_id, assignment_history_floor, completion_fence)
       VALUES (?, ?, ?, ?)`,
    );
    this.selectDeliveries = database.prepare<[number]>(
      'SELECT * FROM session_deliveries WHERE session_number = ? ORDER BY delivery',
    );
    this.insertDelivery = database.prepare(
      'INSERT INTO session_deliveries (session_number, delivery, payload_fingerprint, message_id) VALUES (?, ?, ?, ?)',
    );
  }

  /** Adds a message behind all others of its Session. */
  append(owner: Pick<SessionHead, 'number'>, { message, revision }: LedgerMessage): void {
    this.insertMessage.run({
      session_number: owner.number,
      message_id: message.message_id,
      created_at: message.created_at,
      kind: message.kind,
      status: message.status,
      priority: message.priority,
      message: message.message,
      tags: JSON.stringify(message.tags),
      reply_to: message.reply_to,
      resolved_at: message.resolved_at,
      resolution: message.resolution,
      requires_ack: message.requires_ack === true ? 1 : 0,
      first_ack_observed_at: message.first_ack_observed_at ?? null,
      author_session_id: message.author_session_id ?? null,
      resolved_by_message_id: message.resolved_by_message_id ?? null,
      completion_id: message.completion_id ?? null,
      closure_kind: message.closure_kind ?? null,
      superseded_by_message_id: message.superseded_by_message_id ?? null,
      supersedes_message_id: message.supersedes_message_id ?? null,
      last_revision: revision,
    });
  }

  /**
   * The retained messages of a Session, oldest first.
   *
   * @throws UnreadableRowError
   */
  messages({ number, sessionId }: Owner): LedgerMessage[] {
    return readable(`message of ${sessionId}`, () =>
      this.selectMessages.all(number).map((row) => messageOfRow(row as MessageColumns, sessionId)),
    );
  }

  /** How many messages all Sessions retain. */
  count(): number {
    return this.countMessages.get() ?? 0;
  }

  /** Writes what a board says beside its messages; an empty one leaves no row. */
  insertBoard({ number }: Pick<SessionHead, 'number'>, board: LedgerBoard): void {
    const complete = board.assignmentHistoryTrackingComplete;
    const fencesComplete = board.completionFenceTrackingComplete;
    if (board.observationRevision > 0 || board.observationFloor > 0 || !complete || !fencesComplete) {
      const { observationRevision, observationFloor } = board;
      this.replaceBoard.run(number, observationRevision, observationFloor, complete ? 1 : 0, fencesComplete ? 1 : 0);
    }
    for (const id of new Set([...board.assignmentHistoryFloors.keys(), ...board.completionFences.keys()])) {
      this.insertTodo.run(
        number,
        id,
        board.assignmentHistoryFloors.get(id) ?? null,
        board.completionFences.get(id) ?? null,
      );
    }
    for (const [delivery, { payloadFingerprint, messageId }] of board.deliveryReplays) {
      this.insertDelivery.run(number, delivery, payloadFingerprint, messageId);
    }
  }

  /**
   * What a board says beside its messages; its maps are in the order of their keys.
   *
   * @throws UnreadableRowError
   */
  board({ number, sessionId }: Owner): LedgerBoard {
    return readable(`message board of ${sessionId}`, () => {
      const row = this.selectBoard.get(number);
      const said = row === undefined ? null : boardColumns.parse(row);
      const todos = this.selectTodos.all(number).map((todo) => todoColumns.parse(todo));
      const deliveries = this.selectDeliveries.all(number).map((delivery) => deliveryColumns.parse(delivery));
      return {
        observationRevision: said?.observation_revision ?? 0,
        observationFloor: said?.observation_floor ?? 0,
        assignmentHistoryFloors: entries(todos, (todo) => todo.assignment_history_floor),
        assignmentHistoryTrackingComplete: said?.assignment_history_tracking_complete !== 0,
        completionFences: entries(todos, (todo) => todo.completion_fence),
        completionFenceTrackingComplete: said?.completion_fence_tracking_complete !== 0,
        deliveryReplays: new Map(deliveries.map((row) => [row.delivery, replayOf(row)])),
      };
    });
  }
}

/** A row of `session_messages`. */
export type MessageColumns = Record<string, unknown> & {
  readonly tags: string;
  readonly requires_ack: number;
  readonly last_revision: number;
};

/** Null means that the member is absent. */
const OPTIONAL: ReadonlySet<string> = new Set([
  'first_ack_observed_at',
  'author_session_id',
  'resolved_by_message_id',
  'completion_id',
  'closure_kind',
  'superseded_by_message_id',
  'supersedes_message_id',
]);
/** Columns that are no members of the message, or say them in another way. */
const NO_MEMBERS: ReadonlySet<string> = new Set(['session_number', 'message_number', 'last_revision', 'requires_ack']);

/**
 * The message of a row.
 *
 * @throws Error when the row is not what this program writes
 */
export function messageOfRow(row: MessageColumns, sessionId: string): LedgerMessage {
  const said = Object.entries(row).filter(
    ([name, value]) => !NO_MEMBERS.has(name) && !(OPTIONAL.has(name) && value === null),
  );
  const message = messageRow.parse({
    ...Object.fromEntries(said),
    session_id: sessionId,
    tags: JSON.parse(row.tags) as unknown,
    ...(row.requires_ack === 1 ? { requires_ack: true } : {}),
  });
  return { message, revision: count.parse(row.last_revision) };
}

function entries<Row extends { readonly message_id: string }, Value>(
  rows: readonly Row[],
  valueOf: (row: Row) => Value | null,
): ReadonlyMap<MessageId, Value> {
  const map = new Map<MessageId, Value>();
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== null) map.set(row.message_id as MessageId, value);
  }
  return map;
}

function replayOf(row: z.output<typeof deliveryColumns>): DeliveryReplay {
  return { payloadFingerprint: row.payload_fingerprint, messageId: row.message_id as MessageId };
}

function readable<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UnreadableRowError(what, error);
  }
}
