import { firstCharacters } from '../redaction/index.js';
import type { KindCount, SessionMessage } from '../sessions/index.js';

/** Code points of a message in a summary; the whole one is a question to the list. */
const EXCERPT_CHARACTERS = 240;
const CUT = '…';

/** What waits for somebody first, then what is only said. */
const KIND_ORDER = ['todo', 'question', 'proposal', 'risk', 'guidance', 'decision', 'progress', 'note', 'answer'] as const;

/** What a board holds, as far as a summary needs it. */
export interface Discussion {
  readonly counts: readonly KindCount[];
  /** Open messages, newest first, as many as are to be shown. */
  readonly open: readonly { readonly message: SessionMessage; readonly replies: number }[];
}

export type OpenMessage = {
  readonly message_id: string;
  readonly priority: SessionMessage['priority'];
  readonly requires_ack: boolean;
  readonly created_at: number;
  readonly reply_to: string | null;
  readonly excerpt: string;
  readonly truncated: boolean;
  readonly replies: number;
};

export type OpenGroup = {
  readonly kind: SessionMessage['kind'];
  readonly total: number;
  readonly messages: readonly OpenMessage[];
};

export type DiscussionSummary = {
  readonly counts: {
    readonly total: number;
    readonly open: number;
    readonly resolved: number;
    readonly by_kind: Readonly<Record<string, { readonly open: number; readonly resolved: number }>>;
  };
  readonly open_groups: readonly OpenGroup[];
  readonly returned: number;
  readonly has_more: boolean;
};

/**
 * A board at a glance: how much of each kind there is, and what is open, by kind. The
 * counts are of all retained messages; the groups hold what was given of them.
 */
export function summarizeDiscussion({ counts, open }: Discussion): DiscussionSummary {
  const kinds = KIND_ORDER.map((kind) => {
    const ofKind = (status: SessionMessage['status']): number =>
      counts.find((count) => count.kind === kind && count.status === status)?.count ?? 0;
    return { kind, open: ofKind('open'), resolved: ofKind('resolved') };
  }).filter((kind) => kind.open + kind.resolved > 0);
  const total = { open: sum(kinds.map((kind) => kind.open)), resolved: sum(kinds.map((kind) => kind.resolved)) };
  return {
    counts: {
      total: total.open + total.resolved,
      ...total,
      by_kind: Object.fromEntries(kinds.map(({ kind, ...count }) => [kind, count])),
    },
    open_groups: kinds
      .filter((kind) => kind.open > 0)
      .map((kind) => ({
        kind: kind.kind,
        total: kind.open,
        messages: open.filter(({ message }) => message.kind === kind.kind).map(({ message, replies }) => openMessage(message, replies)),
      })),
    returned: open.length,
    has_more: total.open > open.length,
  };
}

function openMessage(message: SessionMessage, replies: number): OpenMessage {
  const beginning = firstCharacters(message.message, EXCERPT_CHARACTERS);
  const truncated = beginning.length < message.message.length;
  return {
    message_id: message.message_id,
    priority: message.priority,
    requires_ack: message.requires_ack ?? false,
    created_at: message.created_at,
    reply_to: message.reply_to,
    excerpt: truncated ? `${beginning}${CUT}` : beginning,
    truncated,
    replies,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
