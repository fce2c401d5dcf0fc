import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { MessageId, ProjectId, WindowKey } from '../../protocol/ids.js';

/** What is kept of one principal (spec 02 §C10); the oldest go first. */
const MESSAGES_MAX = 512;
const DISCOVERIES_MAX = 1_024;

/** A message between windows, or between one and the operator. */
export interface WindowMessage {
  readonly messageId: MessageId;
  /** Null is the operator. */
  readonly sender: WindowKey | null;
  readonly recipient: WindowKey | null;
  readonly kind: string;
  readonly priority: string;
  readonly message: string;
  readonly tags: readonly string[];
  readonly requiresAck: boolean;
  readonly replyTo: MessageId | null;
  readonly createdAtMs: number;
}

/** The same with what was seen of it since. */
export interface KeptMessage extends WindowMessage {
  readonly projectionCount: number;
  readonly firstAckObservedAtMs: number | null;
}

/** A keyed message, and what its key stands for. */
export interface KeyedDelivery {
  /** 64 hex over sender and key. */
  readonly delivery: string;
  readonly payloadFingerprint: string;
}

const row = z.object({
  message_id: z.string(),
  sender_window: z.string().nullable(),
  recipient_window: z.string().nullable(),
  kind: z.string(),
  priority: z.string(),
  message: z.string(),
  tags: z.string(),
  requires_ack: z.union([z.literal(0), z.literal(1)]),
  reply_to: z.string().nullable(),
  created_at_ms: z.int(),
  projection_count: z.int(),
  first_ack_observed_at_ms: z.int().nullable(),
});

/** The messages and discoveries of peers. Writes run inside a commit. */
export class WindowMessageStore {
  private readonly insertMessage;
  private readonly pruneMessages;
  private readonly selectDelivery;
  private readonly selectDue;
  private readonly selectAckable;
  private readonly selectMessage;
  private readonly selectReplies;
  private readonly markProjected;
  private readonly markAcknowledged;
  private readonly insertDiscovery;
  private readonly pruneDiscoveries;
  private readonly selectRoutes;

  constructor(database: Database) {
    this.insertMessage = database.prepare(
      `INSERT INTO window_messages (message_id, principal_key, sender_window, recipient_window, kind, priority, message, tags,
         requires_ack, reply_to, created_at_ms, delivery, payload_fingerprint)
       VALUES (@messageId, @principal, @sender, @recipient, @kind, @priority, @message, @tags,
         @requiresAck, @replyTo, @createdAtMs, @delivery, @payloadFingerprint)`,
    );
    this.pruneMessages = database.prepare(
      `DELETE FROM window_messages WHERE principal_key = @principal AND message_number <=
         (SELECT message_number FROM window_messages WHERE principal_key = @principal
          ORDER BY message_number DESC LIMIT 1 OFFSET ${MESSAGES_MAX})`,
    );
    this.selectDelivery = database.prepare<[string, string], Record<string, unknown>>(
      'SELECT * FROM window_messages WHERE principal_key = ? AND delivery = ?',
    );
    this.selectDue = database.prepare(
      `SELECT * FROM window_messages
       WHERE principal_key = @principal AND recipient_window = @window
         AND message_id NOT IN (SELECT value FROM json_each(@acknowledged))
         AND CASE WHEN requires_ack = 1 THEN sender_window IS NOT NULL OR first_ack_observed_at_ms IS NULL
                  ELSE projection_count = 0 END
       ORDER BY projection_count > 0, message_number LIMIT @limit`,
    );
    this.selectAckable = database
      .prepare<[string, string, string], MessageId>(
        `SELECT message_id FROM window_messages WHERE principal_key = ? AND recipient_window = ? AND requires_ack = 1
           AND message_id IN (SELECT value FROM json_each(?)) ORDER BY message_number`,
      )
      .pluck();
    this.selectMessage = database.prepare<[string, string]>(
      'SELECT * FROM window_messages WHERE principal_key = ? AND message_id = ?',
    );
    this.selectReplies = database.prepare<[]>(
      'SELECT * FROM window_messages WHERE recipient_window IS NULL OR sender_window IS NULL ORDER BY message_number',
    );
    this.markProjected = database.prepare(
      `UPDATE window_messages SET projection_count = projection_count + 1, last_projected_at_ms = @at,
         first_projected_at_ms = coalesce(first_projected_at_ms, @at) WHERE message_id = @messageId`,
    );
    this.markAcknowledged = database.prepare(
      'UPDATE window_messages SET first_ack_observed_at_ms = coalesce(first_ack_observed_at_ms, ?) WHERE message_id = ?',
    );
    this.insertDiscovery = database.prepare(
      'INSERT OR IGNORE INTO peer_discoveries (principal_key, observer_window, peer_window, project) VALUES (?, ?, ?, ?)',
    );
    this.pruneDiscoveries = database.prepare(
      `DELETE FROM peer_discoveries WHERE principal_key = @principal AND discovery_number <=
         (SELECT discovery_number FROM peer_discoveries WHERE principal_key = @principal
          ORDER BY discovery_number DESC LIMIT 1 OFFSET ${DISCOVERIES_MAX})`,
    );
    this.selectRoutes = database
      .prepare<[object], WindowKey>(
        `SELECT peer_window FROM peer_discoveries WHERE principal_key = @principal AND observer_window = @window
         UNION SELECT observer_window FROM peer_discoveries WHERE principal_key = @principal AND peer_window = @window
         UNION SELECT recipient_window FROM window_messages
           WHERE principal_key = @principal AND sender_window = @window AND recipient_window IS NOT NULL
         UNION SELECT sender_window FROM window_messages
           WHERE principal_key = @principal AND recipient_window = @window AND sender_window IS NOT NULL`,
      )
      .pluck();
  }

  append(principal: string, message: WindowMessage, keyed: KeyedDelivery | null): void {
    this.insertMessage.run({
      ...message,
      principal,
      tags: JSON.stringify(message.tags),
      requiresAck: message.requiresAck ? 1 : 0,
      delivery: keyed?.delivery ?? null,
      payloadFingerprint: keyed?.payloadFingerprint ?? null,
    });
    this.pruneMessages.run({ principal });
  }

  /** The message that a key has delivered, while it is retained. */
  delivered(principal: string, delivery: string): (KeptMessage & Pick<KeyedDelivery, 'payloadFingerprint'>) | null {
    const found = this.selectDelivery.get(principal, delivery);
    if (found === undefined) return null;
    return { ...kept(found), payloadFingerprint: String(found['payload_fingerprint']) };
  }

  message(principal: string, id: string): KeptMessage | null {
    const found = this.selectMessage.get(principal, id);
    return found === undefined ? null : kept(found);
  }

  /** What a window has to be shown: what it has not seen first, then the oldest. */
  due(principal: string, window: WindowKey, acknowledged: readonly string[], limit: number): KeptMessage[] {
    return this.selectDue.all({ principal, window, acknowledged: JSON.stringify(acknowledged), limit }).map(kept);
  }

  /** Which of the ids are messages to the window that ask for an acknowledgement. */
  ackable(principal: string, window: WindowKey, ids: readonly string[]): MessageId[] {
    return ids.length === 0 ? [] : this.selectAckable.all(principal, window, JSON.stringify(ids));
  }

  /** What the operator said, and what windows said to the operator, in the order of time. */
  withOperator(): KeptMessage[] {
    return this.selectReplies.all().map(kept);
  }

  noteProjected(messageId: MessageId, at: number): void {
    this.markProjected.run({ messageId, at });
  }

  noteAcknowledged(messageId: MessageId, at: number): void {
    this.markAcknowledged.run(at, messageId);
  }

  noteDiscovery(principal: string, observer: WindowKey, peer: WindowKey, project: ProjectId): void {
    this.insertDiscovery.run(principal, observer, peer, project);
    this.pruneDiscoveries.run({ principal });
  }

  /** The windows that a window may write to: whom it found, who found it, and whom it has exchanged messages with. */
  routes(principal: string, window: WindowKey): WindowKey[] {
    return this.selectRoutes.all({ principal, window });
  }
}

function kept(found: unknown): KeptMessage {
  const said = row.parse(found);
  return {
    messageId: said.message_id as MessageId,
    sender: said.sender_window as WindowKey | null,
    recipient: said.recipient_window as WindowKey | null,
    kind: said.kind,
    priority: said.priority,
    message: said.message,
    tags: z.array(z.string()).parse(JSON.parse(said.tags)),
    requiresAck: said.requires_ack === 1,
    replyTo: said.reply_to as MessageId | null,
    createdAtMs: said.created_at_ms,
    projectionCount: said.projection_count,
    firstAckObservedAtMs: said.first_ack_observed_at_ms,
  };
}
