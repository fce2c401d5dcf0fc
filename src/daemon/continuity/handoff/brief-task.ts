import { z } from 'zod';
import { REDACTED, redactAndBound } from '../../redaction/index.js';
import type { SessionMessage, SessionSnapshot } from '../../sessions/index.js';
import { boundedList, boundedListSchema, UNKNOWN_LIST, type BoundedList } from './bounded-list.js';
import { instructionExcerpt, wellFormed, type Excerpt } from './excerpt.js';
import type { HandoffFacts } from './handoff-facts.js';

const MAX_NOTES = 5;
/** Code points of a note, before the suffix that says that there is more. */
const NOTE_CHARACTERS = 240;
const SUFFIX = '…';

/** What somebody wrote down on the board for whoever comes next: a report, and no instruction. */
export type TaskNote = {
  readonly message_id: string;
  readonly status: SessionMessage['status'];
  readonly superseded_by_message_id: string | null;
  readonly supersedes_message_id: string | null;
  readonly excerpt: string;
  /** Whether the message goes on. */
  readonly source_truncated: boolean;
  readonly redacted: boolean;
};

/** What the task is, and what was said of it. */
export type BriefTask = {
  /** Null for a Session that was begun without a word and has no instruction. */
  readonly root_instruction: Excerpt | null;
  readonly latest_instruction: Excerpt | null;
  /** Newest first, as all lists of notes. */
  readonly decisions: BoundedList<TaskNote>;
  readonly recent_progress: BoundedList<TaskNote>;
};

const excerptSchema = z.strictObject({ excerpt: z.string(), truncated: z.boolean() });

export const briefTaskSchema = z.strictObject({
  root_instruction: excerptSchema.nullable(),
  latest_instruction: excerptSchema.nullable(),
  decisions: boundedListSchema(z.looseObject({ message_id: z.string(), excerpt: z.string() })),
  recent_progress: boundedListSchema(z.looseObject({ message_id: z.string(), excerpt: z.string() })),
});

/** What the task is, out of the Session's own record. */
export function briefTask({ snapshot, board }: HandoffFacts): BriefTask {
  const latest = snapshot.events.findLast(({ kind }) => kind === 'task_instruction')?.instruction;
  return {
    root_instruction: rootInstruction(snapshot),
    latest_instruction: latest === undefined ? null : instructionExcerpt(latest),
    decisions: board === null ? UNKNOWN_LIST : newestNotes(board.messages, 'decision'),
    recent_progress: board === null ? UNKNOWN_LIST : newestNotes(board.messages, 'progress'),
  };
}

/** The instruction that the Session began with: the title keeps it when the event has left the ledger. */
function rootInstruction({ session, events, firstRetainedSequence }: SessionSnapshot): Excerpt | null {
  const first = firstRetainedSequence === 0 ? events.find(({ kind }) => kind === 'task_instruction')?.instruction : undefined;
  const root = first ?? session.title;
  return root === null ? null : instructionExcerpt(root);
}

function newestNotes(messages: readonly SessionMessage[], wanted: SessionMessage['kind']): BoundedList<TaskNote> {
  const notes = messages.filter(({ kind }) => kind === wanted);
  return boundedList(notes.slice(-MAX_NOTES).toReversed().map(taskNote), MAX_NOTES, notes.length);
}

/** Redacted as a whole before it is cut, so that no cut leaves half a credential. */
function taskNote(message: SessionMessage): TaskNote {
  const { text, truncated, redacted } = redactAndBound(wellFormed(message.message), NOTE_CHARACTERS);
  return {
    message_id: message.message_id,
    status: message.status,
    superseded_by_message_id: message.superseded_by_message_id ?? null,
    supersedes_message_id: message.supersedes_message_id ?? null,
    excerpt: truncated ? `${text}${SUFFIX}` : text,
    source_truncated: truncated,
    redacted: redacted || message.message.includes(REDACTED),
  };
}
