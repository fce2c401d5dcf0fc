import { printable, printableLine } from './printable.js';
import type { Style } from './style.js';
import { utcTime } from './units.js';

/** A message of a Session's board, as far as people read it. */
export interface MessageFacts {
  readonly message_id: string;
  readonly created_at: number;
  readonly kind: string;
  readonly status: 'open' | 'resolved';
  readonly priority: 'low' | 'normal' | 'high';
  readonly message: string;
  readonly tags: readonly string[];
  readonly reply_to: string | null;
  readonly resolution: string | null;
  readonly requires_ack?: boolean;
  readonly first_ack_observed_at?: number;
  readonly author_session_id?: string;
  readonly resolved_by_message_id?: string;
  readonly closure_kind?: string;
  readonly superseded_by_message_id?: string;
}

/** A message of a board: one line about it, and its text. */
export function renderMessage(message: MessageFacts, style: Style): string {
  const kind = message.priority === 'high' ? style.bad(message.kind) : style.bold(message.kind);
  const head = [kind, message.message_id, utcTime(message.created_at * 1_000), ...labelsOf(message).map((label) => style.dim(label))];
  const lines = [head.join('  '), ...indented(message.message)];
  if (message.resolution !== null) lines.push(...indented(`→ ${message.resolution}`));
  return lines.join('\n');
}

/** Messages in their order, parted by blank lines. */
export function renderMessages(messages: readonly MessageFacts[], style: Style): string {
  return messages.map((message) => renderMessage(message, style)).join('\n\n');
}

function labelsOf(message: MessageFacts): string[] {
  return [
    ...(message.priority === 'normal' ? [] : [message.priority]),
    stateOf(message),
    ...(message.requires_ack === true ? [message.first_ack_observed_at === undefined ? 'asks for an ACK' : 'ACK seen'] : []),
    ...(message.reply_to === null ? [] : [`reply to ${message.reply_to}`]),
    ...(message.author_session_id === undefined ? [] : [`by ${message.author_session_id}`]),
    ...message.tags.map((tag) => `#${printableLine(tag)}`),
  ];
}

function stateOf({ status, closure_kind: closure, resolved_by_message_id: answer, superseded_by_message_id: next }: MessageFacts): string {
  if (status === 'open') return 'open';
  if (closure === 'superseded') return `replaced by ${next ?? 'another'}`;
  if (closure !== undefined) return closure;
  return answer === undefined ? 'resolved' : `answered by ${answer}`;
}

function indented(text: string): string[] {
  return printable(text)
    .split('\n')
    .map((line) => `  ${line}`);
}
