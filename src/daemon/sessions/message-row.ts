import { z } from 'zod';
import { MESSAGE_ID_PATTERN, SESSION_ID_PATTERN } from '../../protocol/ids.js';
import { SECONDS_MAX } from './limits.js';

export const MESSAGE_KINDS = [
  'note',
  'proposal',
  'question',
  'answer',
  'decision',
  'risk',
  'progress',
  'guidance',
  'todo',
] as const;

const seconds = z.int().nonnegative().max(SECONDS_MAX);
const messageId = z.string().regex(MESSAGE_ID_PATTERN);

/**
 * One message of a Session's board, the ledger's version 2 (spec 01 §4). It is closed, as
 * an event is. An optional member that says nothing (no acknowledgement required, no
 * author) is absent; the bounds of text are the writer's and a restore's.
 */
export const messageRow = z.strictObject({
  message_id: messageId,
  session_id: z.string().regex(SESSION_ID_PATTERN),
  created_at: seconds,
  kind: z.enum(MESSAGE_KINDS),
  status: z.enum(['open', 'resolved']),
  priority: z.enum(['low', 'normal', 'high']),
  message: z.string(),
  tags: z.array(z.string()),
  reply_to: messageId.nullable(),
  resolved_at: seconds.nullable(),
  resolution: z.string().nullable(),

  requires_ack: z.literal(true).optional(),
  first_ack_observed_at: seconds.optional(),
  author_session_id: z.string().regex(SESSION_ID_PATTERN).optional(),
  resolved_by_message_id: messageId.optional(),
  completion_id: z.string().optional(),
  closure_kind: z.enum(['withdrawn', 'superseded']).optional(),
  superseded_by_message_id: messageId.optional(),
  supersedes_message_id: messageId.optional(),
});

/** A message as it is stored and shown. */
export type SessionMessage = z.infer<typeof messageRow>;
