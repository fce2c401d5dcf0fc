import type { MessageId } from '../../protocol/ids.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { AcceptedAck } from '../kernel/collaboration-ports.js';
import type { SessionView } from '../kernel/ports.js';
import type { SessionBoard, SessionMessage } from '../sessions/index.js';
import { ackRef } from './ack-ref.js';

const BODIES_MAX = 3;
const BODY_BYTES_MAX = 3_072;

/**
 * What an answer says of a board's open messages that ask for an acknowledgement (spec 02
 * §B): the oldest of those that were not acknowledged with this very request. Nothing is
 * remembered of what was shown: without an acknowledgement the same is shown again.
 */
export function sessionAttention(board: SessionBoard, session: SessionView, ack: AcceptedAck | null): JsonObject | null {
  // Nobody can deal with a message of a closed Session any more.
  const open = session.lifecycle === 'closed' ? [] : board.openAckRequired().map(({ messageId }) => messageId);
  if (open.length === 0 && ack === null) return null;
  const accepted = new Set(ack?.accepted ?? []);
  const waiting = open.filter((id) => !accepted.has(id));
  const { shown, truncated } = projected(board, waiting);
  const covered = new Set([...open.filter((id) => accepted.has(id)), ...waiting.slice(0, shown.length)]);
  const ref = ackRef(session, open, covered);
  return {
    requires_ack: waiting.length > 0,
    ...(ref === null ? {} : { ack_ref: ref }),
    messages: shown,
    omitted_count: waiting.length - shown.length,
    truncated: truncated || shown.length < waiting.length,
    ack: { accepted_count: accepted.size, ignored_count: ack?.ignored ?? 0 },
  };
}

/** The first few bodies, which together stay under their bound. */
function projected(board: SessionBoard, waiting: readonly MessageId[]): { readonly shown: JsonObject[]; readonly truncated: boolean } {
  const shown: JsonObject[] = [];
  let bytesLeft = BODY_BYTES_MAX;
  let truncated = false;
  for (const id of waiting.slice(0, BODIES_MAX)) {
    const message = board.message(id)?.message;
    if (message === undefined || bytesLeft <= 0) break;
    const body = firstBytes(message.message, bytesLeft);
    bytesLeft -= Buffer.byteLength(body);
    const cut = body.length < message.message.length;
    truncated ||= cut;
    shown.push(bodyOf(message, body, cut));
  }
  return { shown, truncated };
}

function bodyOf(message: SessionMessage, body: string, cut: boolean): JsonObject {
  return {
    message_id: message.message_id,
    kind: message.kind,
    priority: message.priority,
    created_at: message.created_at,
    message: body,
    message_truncated: cut,
  };
}

/** As many whole code points as fit. */
function firstBytes(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  let end = bytes;
  // A continuation byte behind the cut says that its character began before it.
  while (end > 0 && ((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return whole.subarray(0, end).toString('utf8');
}
