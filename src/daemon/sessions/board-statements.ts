import type { Database } from 'better-sqlite3';
import type { MessageId } from '../../protocol/ids.js';
import type { MessageStore } from './message-store.js';

/** The statements of one database; every board shares them. */
export class BoardStatements {
  readonly state;
  readonly advance;
  readonly raiseFloor;
  readonly count;
  readonly message;
  readonly has;
  readonly changedAfter;
  readonly replies;
  readonly countReplies;
  readonly newest;
  readonly countMatching;
  readonly countKinds;
  readonly openAckRequired;
  readonly oldest;
  readonly update;
  readonly remove;
  readonly todo;
  readonly raiseTodoFloor;
  readonly setTodoFence;
  readonly removeTodo;
  readonly delivery;
  readonly insertDelivery;
  readonly removeDeliveries;

  constructor(
    database: Database,
    readonly messages: MessageStore,
  ) {
    const ofSession = 'session_number = ?';
    const matching = `session_number = @number AND (@kind IS NULL OR kind = @kind) AND (@status IS NULL OR status = @status)
      AND (@messageId IS NULL OR message_id = @messageId) AND (@replyTo IS NULL OR reply_to = @replyTo)`;
    this.state = database.prepare<[number]>(`SELECT * FROM session_boards WHERE ${ofSession}`);
    this.advance = database
      .prepare<[number], number>(
        `INSERT INTO session_boards (session_number, observation_revision, observation_floor,
           assignment_history_tracking_complete, completion_fence_tracking_complete) VALUES (?, 1, 0, 1, 1)
         ON CONFLICT (session_number) DO UPDATE SET observation_revision = observation_revision + 1
         RETURNING observation_revision`,
      )
      .pluck();
    this.raiseFloor = database.prepare(
      `UPDATE session_boards SET observation_floor = max(observation_floor, ?) WHERE ${ofSession}`,
    );
    this.count = database.prepare<[number], number>(`SELECT count(*) FROM session_messages WHERE ${ofSession}`).pluck();
    this.message = database.prepare<[number, string]>(`SELECT * FROM session_messages WHERE ${ofSession} AND message_id = ?`);
    this.has = database
      .prepare<[number, string], number>(`SELECT 1 FROM session_messages WHERE ${ofSession} AND message_id = ?`)
      .pluck();
    this.changedAfter = database.prepare<[number, number, number]>(
      `SELECT * FROM session_messages WHERE ${ofSession} AND last_revision > ? ORDER BY last_revision LIMIT ?`,
    );
    this.replies = database.prepare<[number, string, number]>(
      `SELECT * FROM session_messages WHERE ${ofSession} AND reply_to = ? ORDER BY message_number LIMIT ?`,
    );
    this.countReplies = database
      .prepare<[number, string], number>(`SELECT count(*) FROM session_messages WHERE ${ofSession} AND reply_to = ?`)
      .pluck();
    this.newest = database.prepare(
      `SELECT * FROM session_messages WHERE ${matching} ORDER BY message_number DESC LIMIT @limit`,
    );
    this.countMatching = database.prepare<[object], number>(`SELECT count(*) FROM session_messages WHERE ${matching}`).pluck();
    this.countKinds = database.prepare<[number]>(
      `SELECT kind, status, count(*) AS count FROM session_messages WHERE ${ofSession} GROUP BY kind, status`,
    );
    this.openAckRequired = database.prepare<[number], { messageId: MessageId; acknowledged: 0 | 1 }>(
      `SELECT message_id AS messageId, first_ack_observed_at IS NOT NULL AS acknowledged
       FROM session_messages WHERE ${ofSession} AND status = 'open' AND requires_ack = 1 ORDER BY created_at, message_id`,
    );
    this.oldest = database.prepare<[number, number]>(
      `SELECT message_id, kind, reply_to, last_revision FROM session_messages WHERE ${ofSession} ORDER BY message_number LIMIT ?`,
    );
    this.update = database.prepare(
      `UPDATE session_messages SET status = @status, resolved_at = @resolved_at, resolution = @resolution,
         first_ack_observed_at = @first_ack_observed_at, resolved_by_message_id = @resolved_by_message_id,
         completion_id = @completion_id, closure_kind = @closure_kind,
         superseded_by_message_id = @superseded_by_message_id, last_revision = @last_revision
       WHERE session_number = @session_number AND message_id = @message_id`,
    );
    this.remove = database.prepare(`DELETE FROM session_messages WHERE ${ofSession} AND message_id = ?`);
    this.todo = database.prepare<[number, string]>(
      `SELECT assignment_history_floor, completion_fence FROM session_todos WHERE ${ofSession} AND message_id = ?`,
    );
    this.raiseTodoFloor = database.prepare(
      `INSERT INTO session_todos (session_number, message_id, assignment_history_floor) VALUES (?, ?, ?)
       ON CONFLICT (session_number, message_id) DO UPDATE SET
         assignment_history_floor = max(coalesce(assignment_history_floor, 0), excluded.assignment_history_floor)`,
    );
    this.setTodoFence = database.prepare(
      `INSERT INTO session_todos (session_number, message_id, completion_fence) VALUES (?, ?, ?)
       ON CONFLICT (session_number, message_id) DO UPDATE SET completion_fence = excluded.completion_fence`,
    );
    this.removeTodo = database.prepare(`DELETE FROM session_todos WHERE ${ofSession} AND message_id = ?`);
    this.delivery = database.prepare<[number, string]>(
      `SELECT payload_fingerprint, message_id FROM session_deliveries WHERE ${ofSession} AND delivery = ?`,
    );
    this.insertDelivery = database.prepare(
      'INSERT INTO session_deliveries (session_number, delivery, payload_fingerprint, message_id) VALUES (?, ?, ?, ?)',
    );
    this.removeDeliveries = database.prepare(`DELETE FROM session_deliveries WHERE ${ofSession} AND message_id = ?`);
  }
}
