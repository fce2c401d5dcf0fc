import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { MESSAGE_ID_PATTERN } from '../../../protocol/ids.js';
import { messageRow, type SessionMessage } from '../message-row.js';
import { placeOf, RowRefused, type RestoreNote } from './restore-notes.js';
import { storedText } from './stored-text.js';

/** Code points of a body and of a resolution, and of a tag; how many tags (spec 02 §A1). */
const MESSAGE_CHARACTERS = 8_000;
const TAG_CHARACTERS = 64;
const TAGS = 16;

const COMPLETION_ID = /^[0-9a-f]{64}$/;
/** What stands for a completion id that proves nothing: it never matches a key, and is never taken for none. */
export const INVALID_COMPLETION_ID = 'invalid';

/** A message in a document: a bad id or another Session's costs the message alone. */
const messageInDocument = messageRow.safeExtend({
  message_id: z.string(),
  session_id: z.string(),
});

/** What is left of a row's messages, oldest first. */
export interface RestoredMessages {
  readonly messages: readonly SessionMessage[];
  /** Ids of messages that the row had and that are not retained, as far as they are ids. */
  readonly lost: ReadonlySet<string>;
  readonly notes: readonly RestoreNote[];
}

/**
 * The messages of a Session row (spec 01 §4): elements of other Sessions or with bad ids
 * are left out, all copies of an id that comes twice are, and so are the oldest beyond
 * `limit`.
 *
 * @throws RowRefused when one breaks the closed shape
 */
export function restoreMessages(raw: readonly unknown[], sessionId: SessionId, limit: number): RestoredMessages {
  const notes: RestoreNote[] = [];
  const own: { readonly message: SessionMessage; readonly at: string }[] = [];
  const copies = new Map<string, number>();
  const lost = new Set<string>();
  for (const [index, value] of raw.entries()) {
    const at = `messages[${index}]`;
    const message = parseMessage(value, at);
    const foreign = message.session_id !== sessionId;
    if (foreign || !MESSAGE_ID_PATTERN.test(message.message_id)) {
      notes.push({ reason: foreign ? 'foreign_session_id' : 'bad_message_id', at });
      lost.add(message.message_id);
      continue;
    }
    copies.set(message.message_id, (copies.get(message.message_id) ?? 0) + 1);
    own.push({ message, at });
  }
  const messages: SessionMessage[] = [];
  for (const { message, at } of own) {
    if ((copies.get(message.message_id) ?? 0) > 1) {
      notes.push({ reason: 'duplicate_message_id', at });
      lost.add(message.message_id);
    } else messages.push(boundMessage(message, at, notes));
  }
  const excess = Math.max(0, messages.length - limit);
  if (excess > 0) notes.push({ reason: 'beyond_message_limit', at: 'messages' });
  for (const message of messages.splice(0, excess)) lost.add(message.message_id);
  return { messages, lost, notes };
}

function parseMessage(raw: unknown, at: string): SessionMessage {
  const parsed = messageInDocument.safeParse(withoutSilence(raw));
  if (!parsed.success) {
    throw new RowRefused({ reason: 'malformed_message', at: placeOf(parsed.error.issues[0]?.path ?? [], at) });
  }
  return parsed.data;
}

/** Another writer may say what ours leaves unsaid: that no acknowledgement is required. */
function withoutSilence(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || !('requires_ack' in raw) || raw.requires_ack !== false) return raw;
  const { requires_ack: _unsaid, ...said } = raw;
  return said;
}

function boundMessage(message: SessionMessage, at: string, notes: RestoreNote[]): SessionMessage {
  const bounded = {
    ...message,
    message: storedText(message.message, MESSAGE_CHARACTERS),
    tags: message.tags.slice(0, TAGS).map((tag) => storedText(tag, TAG_CHARACTERS)),
    resolution: message.resolution === null ? null : storedText(message.resolution, MESSAGE_CHARACTERS),
  };
  const same =
    bounded.message === message.message &&
    bounded.resolution === message.resolution &&
    bounded.tags.length === message.tags.length &&
    bounded.tags.every((tag, index) => tag === message.tags[index]);
  if (!same) notes.push({ reason: 'text_bounded_or_redacted', at });
  const { completion_id: completionId } = message;
  if (completionId === undefined || completionId === INVALID_COMPLETION_ID || COMPLETION_ID.test(completionId)) {
    return bounded;
  }
  notes.push({ reason: 'malformed_completion_id', at: `${at}.completion_id` });
  return { ...bounded, completion_id: INVALID_COMPLETION_ID };
}
