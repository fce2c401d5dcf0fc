import { z } from 'zod';
import type { MessageId } from '../../protocol/ids.js';
import type { BoardStatements } from './board-statements.js';
import type { DeliveryReplay, LedgerMessage } from './ledger-rows.js';
import { messageOfRow, type MessageColumns } from './message-store.js';
import { messageRow, type SessionMessage } from './message-row.js';
import { UnreadableRowError, type SessionHead } from './session-head.js';

/** What a list of messages asks for; members that are absent do not narrow it. */
export interface MessageFilter {
  readonly kind?: string;
  readonly status?: string;
  readonly messageId?: string;
  readonly replyTo?: string;
}

/** A message as far as it is looked at before it is removed. */
export interface RetainedMessage {
  readonly messageId: MessageId;
  readonly kind: SessionMessage['kind'];
  readonly replyTo: MessageId | null;
  readonly revision: number;
}

/** What a board says of its own history. */
export interface BoardState {
  readonly revision: number;
  readonly floor: number;
  readonly assignmentHistoryComplete: boolean;
}

/** How many messages of a kind are in a state. */
export type KindCount = Readonly<z.infer<typeof kindRow>>;

/** What is remembered of a todo: null members say nothing. */
export interface TodoState {
  /** The highest revision of a reply that was removed. */
  readonly historyFloor: number | null;
  /** 64 hex over the fence that it was completed under. */
  readonly completionFence: string | null;
}

type Owner = Pick<SessionHead, 'number' | 'sessionId'>;

const count = z.int().nonnegative();
const stateRow = z.object({
  observation_revision: count,
  observation_floor: count,
  assignment_history_tracking_complete: z.union([z.literal(0), z.literal(1)]),
});
const todoRow = z.object({ assignment_history_floor: count.nullable(), completion_fence: z.string().nullable() });
const retainedRow = z.object({
  message_id: z.string(),
  kind: z.string(),
  reply_to: z.string().nullable(),
  last_revision: count,
});
const kindRow = messageRow.pick({ kind: true, status: true }).extend({ count });
const deliveryRow = z.object({ payload_fingerprint: z.string(), message_id: z.string() });

const NOTHING_HAPPENED: BoardState = { revision: 0, floor: 0, assignmentHistoryComplete: true };

/**
 * The message board of one Session, a row at a time. It decides nothing: what a message
 * may become and what is evicted are the rules of whoever writes. Writes run inside a
 * commit; reads outside of one see what is committed.
 */
export class SessionBoard {
  constructor(
    private readonly sql: BoardStatements,
    private readonly owner: Owner,
  ) {}

  /** @throws UnreadableRowError, as every read */
  state(): BoardState {
    const row = this.sql.state.get(this.owner.number);
    if (row === undefined) return NOTHING_HAPPENED;
    const said = this.readable(() => stateRow.parse(row));
    return {
      revision: said.observation_revision,
      floor: said.observation_floor,
      assignmentHistoryComplete: said.assignment_history_tracking_complete === 1,
    };
  }

  count(): number {
    return this.sql.count.get(this.owner.number) ?? 0;
  }

  has(id: string): boolean {
    return this.sql.has.get(this.owner.number, id) !== undefined;
  }

  message(id: string): LedgerMessage | null {
    const row = this.sql.message.get(this.owner.number, id);
    return row === undefined ? null : this.decoded(row);
  }

  /** The messages whose last change is newer than `revision`, in the order of their changes. */
  changedAfter(revision: number, limit: number): LedgerMessage[] {
    return this.sql.changedAfter.all(this.owner.number, revision, limit).map((row) => this.decoded(row));
  }

  /** Direct replies, oldest first. */
  replies(id: string, limit: number): LedgerMessage[] {
    return this.sql.replies.all(this.owner.number, id, limit).map((row) => this.decoded(row));
  }

  countReplies(id: string): number {
    return this.sql.countReplies.get(this.owner.number, id) ?? 0;
  }

  /** The messages that match, newest first, and how many there are. */
  newest(filter: MessageFilter, limit: number): { readonly messages: LedgerMessage[]; readonly matched: number } {
    const asked = {
      number: this.owner.number,
      kind: filter.kind ?? null,
      status: filter.status ?? null,
      messageId: filter.messageId ?? null,
      replyTo: filter.replyTo ?? null,
    };
    return {
      messages: this.sql.newest.all({ ...asked, limit }).map((row) => this.decoded(row)),
      matched: this.sql.countMatching.get(asked) ?? 0,
    };
  }

  /** How much of each kind is retained. */
  countKinds(): KindCount[] {
    return this.sql.countKinds.all(this.owner.number).map((row) => this.readable(() => kindRow.parse(row)));
  }

  /** The open messages that ask for an acknowledgement, by creation and then by id, and whether one was ever seen. */
  openAckRequired(): { readonly messageId: MessageId; readonly acknowledged: 0 | 1 }[] {
    return this.sql.openAckRequired.all(this.owner.number);
  }

  /** The oldest retained messages. */
  oldest(limit: number): RetainedMessage[] {
    return this.sql.oldest.all(this.owner.number, limit).map((row) => {
      const said = this.readable(() => retainedRow.parse(row));
      return {
        messageId: said.message_id as MessageId,
        kind: said.kind as SessionMessage['kind'],
        replyTo: said.reply_to as MessageId | null,
        revision: said.last_revision,
      };
    });
  }

  todo(id: string): TodoState {
    const row = this.sql.todo.get(this.owner.number, id);
    if (row === undefined) return { historyFloor: null, completionFence: null };
    const said = this.readable(() => todoRow.parse(row));
    return { historyFloor: said.assignment_history_floor, completionFence: said.completion_fence };
  }

  delivery(delivery: string): DeliveryReplay | null {
    const row = this.sql.delivery.get(this.owner.number, delivery);
    if (row === undefined) return null;
    const said = this.readable(() => deliveryRow.parse(row));
    return { payloadFingerprint: said.payload_fingerprint, messageId: said.message_id as MessageId };
  }

  /** Takes the next revision; whatever is written with it is what changed. */
  advance(): number {
    return this.sql.advance.get(this.owner.number) ?? 0;
  }

  append(message: SessionMessage): void {
    this.sql.messages.append(this.owner, { message, revision: this.advance() });
  }

  /** Writes what a message can become after it was posted, with the next revision. */
  update(message: SessionMessage): void {
    this.sql.update.run({
      session_number: this.owner.number,
      message_id: message.message_id,
      status: message.status,
      resolved_at: message.resolved_at,
      resolution: message.resolution,
      first_ack_observed_at: message.first_ack_observed_at ?? null,
      resolved_by_message_id: message.resolved_by_message_id ?? null,
      completion_id: message.completion_id ?? null,
      closure_kind: message.closure_kind ?? null,
      superseded_by_message_id: message.superseded_by_message_id ?? null,
      last_revision: this.advance(),
    });
  }

  /** Removes a message with what is remembered of it; the floors say that it was there. */
  remove({ messageId, replyTo, revision }: RetainedMessage): void {
    const { number } = this.owner;
    this.sql.remove.run(number, messageId);
    this.sql.removeTodo.run(number, messageId);
    this.sql.removeDeliveries.run(number, messageId);
    this.sql.raiseFloor.run(revision, number);
    const thread = replyTo === null ? null : this.message(replyTo);
    if (thread?.message.kind === 'todo') this.sql.raiseTodoFloor.run(number, thread.message.message_id, revision);
  }

  setCompletionFence(todo: string, fence: string): void {
    this.sql.setTodoFence.run(this.owner.number, todo, fence);
  }

  insertDelivery(delivery: string, { payloadFingerprint, messageId }: DeliveryReplay): void {
    this.sql.insertDelivery.run(this.owner.number, delivery, payloadFingerprint, messageId);
  }

  private decoded(row: unknown): LedgerMessage {
    return this.readable(() => messageOfRow(row as MessageColumns, this.owner.sessionId));
  }

  private readable<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      throw new UnreadableRowError(`message board of ${this.owner.sessionId}`, error);
    }
  }
}
