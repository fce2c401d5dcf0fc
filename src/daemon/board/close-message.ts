import type { MessageId } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { SessionView } from '../kernel/ports.js';
import type { BoardChange, SessionBoard, SessionMessage } from '../sessions/index.js';
import { evict } from './eviction.js';
import { boundedText } from './message-fields.js';
import { freeId, type PostParts } from './post-message.js';
import { invalidMessage, messageNotOpen, sessionClosed, unknownMessage } from './refusals.js';

/*
 * The ways that a message is closed without an answer (spec 02 §A3): resolved by whoever
 * dealt with it, withdrawn or replaced by an operator. None is ever opened again.
 */

/** What a message became; `replayed` says that it was so before. */
export interface ClosedMessage {
  readonly message: SessionMessage;
  readonly replayed: boolean;
}

type Closing<Value> = BoardChange<Value | { readonly failure: Failure }>;

/**
 * Resolves a message, inside a commit. A message that is resolved already stays, and takes
 * another resolution text; one that was closed in another way takes none.
 */
export function resolveMessage(
  { now }: Pick<PostParts, 'now'>,
  { messageId, resolution: given }: { readonly messageId: string; readonly resolution?: string | undefined },
  board: SessionBoard,
  session: SessionView,
): Closing<ClosedMessage> {
  if (session.lifecycle === 'closed') return refused(sessionClosed(session.sessionId));
  const resolution = given === undefined ? null : boundedText(given, 'resolution', invalidMessage);
  if (resolution !== null && typeof resolution !== 'string') return refused(resolution.failure);
  const message = board.message(messageId)?.message;
  if (message === undefined) return refused(unknownMessage());
  if (message.status === 'resolved') {
    if (resolution === null || resolution === message.resolution) return { unchanged: { message, replayed: true } };
    if (message.closure_kind !== undefined || message.completion_id !== undefined) return refused(messageNotOpen());
    return written(board, { ...message, resolution });
  }
  return written(board, { ...message, status: 'resolved', resolved_at: now(), resolution });
}

/** Withdraws an open message: its body stays readable. */
export function withdrawMessage(
  { now }: Pick<PostParts, 'now'>,
  messageId: string,
  board: SessionBoard,
  session: SessionView,
): Closing<ClosedMessage> {
  if (session.lifecycle === 'closed') return refused(sessionClosed(session.sessionId));
  const message = board.message(messageId)?.message;
  if (message === undefined) return refused(unknownMessage());
  if (message.closure_kind === 'withdrawn') return { unchanged: { message, replayed: true } };
  if (message.status !== 'open') return refused(messageNotOpen());
  return written(board, { ...message, status: 'resolved', resolved_at: now(), closure_kind: 'withdrawn' });
}

/** Replaces an open message by one of another body, which takes over all that was said about it. */
export function replaceMessage(
  parts: PostParts,
  { messageId, message: given }: { readonly messageId: string; readonly message: string },
  board: SessionBoard,
  session: SessionView,
): Closing<ClosedMessage & { readonly replaced: SessionMessage }> {
  if (session.lifecycle === 'closed') return refused(sessionClosed(session.sessionId));
  const body = boundedText(given, 'message', invalidMessage);
  if (typeof body !== 'string') return refused(body.failure);
  const open = board.message(messageId)?.message;
  if (open === undefined) return refused(unknownMessage());
  if (open.closure_kind === 'superseded') return replacedBefore(board, open, body);
  if (open.status !== 'open') return refused(messageNotOpen());

  const newId = freeId(board, parts.newMessageId);
  const at = parts.now();
  const replaced: SessionMessage = {
    ...open,
    status: 'resolved',
    resolved_at: at,
    closure_kind: 'superseded',
    superseded_by_message_id: newId,
  };
  board.update(replaced);
  const message: SessionMessage = {
    message_id: newId,
    session_id: open.session_id,
    created_at: at,
    kind: open.kind,
    status: 'open',
    priority: open.priority,
    message: body,
    tags: open.tags,
    reply_to: open.reply_to,
    resolved_at: null,
    resolution: null,
    ...(open.requires_ack === true ? { requires_ack: true as const } : {}),
    supersedes_message_id: open.message_id,
  };
  board.append(message);
  evict(board, parts.messagesPerSession, new Set([open.message_id as MessageId, newId]));
  return { changed: { message, replaced, replayed: false } };
}

function replacedBefore(
  board: SessionBoard,
  replaced: SessionMessage,
  body: string,
): Closing<ClosedMessage & { readonly replaced: SessionMessage }> {
  const newId = replaced.superseded_by_message_id;
  const message = newId === undefined ? undefined : board.message(newId)?.message;
  if (message?.message === body) return { unchanged: { message, replaced, replayed: true } };
  return refused(
    failure('idempotency_conflict', 'that message was replaced before, by another text', {
      failure_kind: 'conflict',
      state_changed: false,
    }),
  );
}

function written(board: SessionBoard, message: SessionMessage): { readonly changed: ClosedMessage } {
  board.update(message);
  return { changed: { message, replayed: false } };
}

function refused(refusal: Failure): { readonly unchanged: { readonly failure: Failure } } {
  return { unchanged: { failure: refusal } };
}
