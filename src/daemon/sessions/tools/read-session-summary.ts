import { z } from 'zod';
import { success, type ToolResult } from '../../../protocol/tool-result.js';
import type { SessionId } from '../../../protocol/ids.js';
import { sessionOf, type CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import type { SessionView } from '../../kernel/ports.js';
import { clamped, defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { Ledger } from '../ledger.js';
import { SUMMARY_EVENTS_DEFAULT, SUMMARY_EVENTS_MAX } from '../limits.js';
import type { MessageStore } from '../message-store.js';
import { callCounts, COUNTED_KINDS, sessionSummary } from '../summary.js';
import { newestEvents } from '../tail-bounds.js';
import { headOutput } from './shapes.js';
import { unknownSession } from '../refusals.js';
import { storageRefusal } from './storage-refusal.js';

export interface SummaryParts {
  readonly ledger: Ledger;
  readonly messages: MessageStore;
  /** What has to be in the ledger before somebody reads it. */
  readonly beforeRead: (session: SessionView, call: CallContext) => Promise<void>;
}

/** `read_session_summary`: the head, the newest events, and what is not shown of them. */
export function readSessionSummary(parts: SummaryParts): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_session_summary',
      title: 'Read a Session',
      summary: "A Session's state, its call counts and its newest events.",
      category: 'session',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'target',
      project: 'none',
      session_evidence: 'none',
      recorded_inputs: ['limit'],
      cli: { positionals: ['session_id'] },
      input: z.strictObject({
        session_id: sessionSelector,
        limit: clamped(0, SUMMARY_EVENTS_MAX, SUMMARY_EVENTS_DEFAULT),
      }),
      output: z.looseObject({
        ...headOutput,
        counts: z.record(z.string(), z.int()),
        messages: z.array(z.looseObject({})),
        events: z.array(z.looseObject({ event_id: z.string(), kind: z.string(), timestamp: z.int(), tool_name: z.string() })),
        events_total: z.int(),
        events_retained: z.int(),
        events_evicted: z.int(),
        retention_truncated: z.boolean(),
        ledger_first_retained_sequence: z.int(),
        events_returned: z.int(),
        first_retained_sequence: z.int(),
        events_truncated: z.boolean(),
      }),
    },
    async ({ limit }, call) => {
      const session = sessionOf(call);
      await parts.beforeRead(session, call);
      return { result: read(parts, session.sessionId, limit) };
    },
  );
}

function read({ ledger, messages }: SummaryParts, sessionId: SessionId, limit: number): ToolResult {
  ledger.settle();
  const head = ledger.head(sessionId);
  if (head === null) return unknownSession();
  ledger.touch(sessionId);
  try {
    const { from, facts } = newestEvents(head, limit);
    const counts = callCounts(ledger.countedEvents(head, COUNTED_KINDS));
    return success(sessionSummary(head, counts, messages.messages(head), ledger.events(head, from), facts));
  } catch (error) {
    return storageRefusal(error, 'the Session could not be read');
  }
}
