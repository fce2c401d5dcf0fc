import type { JsonObject } from '../../protocol/tool-result.js';
import { canonicalFinishedEvents } from './canonical-events.js';
import type { CountedEvent } from './event-body.js';
import type { EventKind, SessionEvent } from './event-row.js';
import type { LedgerMessage } from './ledger-rows.js';
import type { SessionHead } from './session-head.js';
import type { TailFacts } from './tail-bounds.js';

/** Calls of a Session by what they were, each counted once, over the whole retained tail. */
export type SessionCallCounts = {
  readonly tool_calls: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly read_like: number;
  readonly write_like: number;
  readonly shell_like: number;
  readonly git_like: number;
  readonly change_summary_like: number;
  readonly task_instructions: number;
};

/** The kinds of events that counts are made of. */
export const COUNTED_KINDS: readonly EventKind[] = ['tool_call_finished', 'task_instruction'];

/**
 * Counts the canonical finished events of a tail (spec 01 §5).
 *
 * @param tail all retained events, or all of the counted kinds
 */
export function callCounts(tail: readonly CountedEvent[]): SessionCallCounts {
  const calls = canonicalFinishedEvents(tail);
  const having = (holds: (event: CountedEvent) => boolean | undefined) => calls.filter(holds).length;
  return {
    tool_calls: calls.length,
    succeeded: having((event) => event.status === 'succeeded'),
    failed: having((event) => event.status === 'failed'),
    read_like: having((event) => event.read_like),
    write_like: having((event) => event.write_like),
    shell_like: having((event) => event.shell_like),
    git_like: having((event) => event.git_like),
    change_summary_like: having((event) => event.change_summary_like),
    task_instructions: tail.filter((event) => event.kind === 'task_instruction').length,
  };
}

/**
 * What `read_session_summary` says: the head, counts over the whole tail, the retained
 * messages, and the newest events.
 *
 * @param newest the events that are shown
 */
export function sessionSummary(
  head: SessionHead,
  counts: SessionCallCounts,
  messages: readonly LedgerMessage[],
  newest: readonly SessionEvent[],
  facts: TailFacts,
): JsonObject {
  return {
    ...headFacts(head),
    counts,
    messages: messages.map(({ message }) => message as JsonObject),
    events: newest.map((event) => event as JsonObject),
    ...facts,
  };
}

/** What every answer about a Session says of it. */
export function headFacts(head: Omit<SessionHead, 'number'>): JsonObject {
  return {
    session_id: head.sessionId,
    project: head.project,
    title: head.title,
    mode: head.mode,
    guards: { ...head.guards },
    execution_context: { ...head.executionContext },
    lifecycle: head.lifecycle,
    created_at: head.createdAt,
    updated_at: head.updatedAt,
  };
}
