import type { BoardSnapshot, SessionMessage } from '../../sessions/index.js';

/** What waits for somebody on a Session's board; bodies stay where they are. */
export interface OpenMessages {
  readonly guidance: number;
  readonly risks: number;
  readonly questions: number;
  readonly todos: number;
  /** The newest of them. */
  readonly latest: Pick<SessionMessage, 'message_id' | 'kind' | 'created_at'> | null;
}

const WAITING: ReadonlySet<SessionMessage['kind']> = new Set(['guidance', 'risk', 'question', 'todo']);

/** Counts what is open on a board. */
export function openMessages({ messages }: BoardSnapshot): OpenMessages {
  const open = messages.filter(({ status, kind }) => status === 'open' && WAITING.has(kind));
  const count = (wanted: SessionMessage['kind']): number => open.filter(({ kind }) => kind === wanted).length;
  return {
    guidance: count('guidance'),
    risks: count('risk'),
    questions: count('question'),
    todos: count('todo'),
    latest: open.at(-1) ?? null,
  };
}
