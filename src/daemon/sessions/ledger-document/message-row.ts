import { z } from 'zod';
import { SESSION_ID_PATTERN } from '../../../protocol/ids.js';

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

export const MESSAGE_ID_PATTERN = /^wc_msg_([A-Za-z0-9_-]{16}|[0-9a-f]{32})$/;

const seconds = z.int().nonnegative();
const messageId = z.string().regex(MESSAGE_ID_PATTERN);
const sessionId = z.string().regex(SESSION_ID_PATTERN);

/** One message of a Session's board, as the document holds it (spec 01 §4). It is closed. */
export const messageRow = z.strictObject({
  message_id: messageId,
  session_id: sessionId,
  created_at: seconds,
  kind: z.enum(MESSAGE_KINDS),
  status: z.enum(['open', 'resolved']),
  priority: z.enum(['low', 'normal', 'high']),
  message: z.string(),
  tags: z.array(z.string()),
  reply_to: messageId.nullable(),
  resolved_at: seconds.nullable(),
  resolution: z.string().nullable(),

  requires_ack: z.boolean().optional(),
  first_ack_observed_at: seconds.optional(),
  author_session_id: sessionId.optional(),
  resolved_by_message_id: messageId.optional(),
  completion_id: z.string().optional(),
  closure_kind: z.enum(['withdrawn', 'superseded']).optional(),
  superseded_by_message_id: messageId.optional(),
  supersedes_message_id: messageId.optional(),
});

export type MessageRow = z.infer<typeof messageRow>;
