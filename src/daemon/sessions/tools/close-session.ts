import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { success, type ToolResult } from '../../../protocol/tool-result.js';
import { sessionOf } from '../../kernel/call-context.js';
import { defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import { newEventId } from '../event-ids.js';
import type { Ledger } from '../ledger.js';
import { sessionClosedEvent } from '../lifecycle-events.js';
import { viewOf, type SessionHead } from '../session-head.js';
import { unknownSession } from '../refusals.js';
import { storageRefusal } from './storage-refusal.js';

export interface CloseParts {
  readonly ledger: Ledger;
  /** Unix seconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
  /** Releases what a Session holds open, after its close is durable; tells how many shells were ended. */
  readonly releaseShells: (sessionId: SessionId) => Promise<number>;
}

/** `close_session`: from Active to Closed, once and for good; a repeat changes nothing. */
export function closeSession(parts: CloseParts): Tool {
  return defineTool(
    {
      name: 'close_session',
      title: 'Close a Session',
      summary: 'Close a Workflow Session for good; its history stays readable while it is retained.',
      category: 'session',
      visibility: 'model_visible',
      effect: 'mutate',
      risk: 'workflow_manage',
      approval: 'none',
      idempotency: 'desired_state',
      scopes: { kind: 'all', scopes: ['session:collaborate'] },
      session: 'target',
      project: 'none',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      allowed_on_closed: true,
      recorded_inputs: [],
      cli: { positionals: ['session_id'] },
      input: z.strictObject({ session_id: sessionSelector }),
      output: z.looseObject({
        session_id: z.string(),
        lifecycle: z.literal('closed'),
        already_closed: z.boolean(),
        persistent_shells_closed: z.int(),
        updated_at: z.int(),
      }),
    },
    async (_given, call) => {
      const result = await close(parts, sessionOf(call).sessionId);
      const changed = result.success && result.output['already_closed'] === false;
      return { result, facts: { effect: { stateChanged: changed } } };
    },
  );
}

async function close({ ledger, now, randomBytes, releaseShells }: CloseParts, sessionId: SessionId): Promise<ToolResult> {
  try {
    const outcome = await ledger.mutate<SessionHead>(sessionId, (session) => {
      if (session.lifecycle === 'closed') return { refused: session };
      return {
        change: { lifecycle: 'closed' },
        events: [sessionClosedEvent({ eventId: newEventId(randomBytes), session, now: now() })],
      };
    });
    if ('missing' in outcome) return unknownSession();
    const already = 'refused' in outcome;
    const { updatedAt } = viewOf(already ? outcome.refused : outcome.head);
    return success({
      session_id: sessionId,
      lifecycle: 'closed',
      already_closed: already,
      persistent_shells_closed: already ? 0 : await releaseShells(sessionId),
      updated_at: updatedAt,
    });
  } catch (error) {
    return storageRefusal(error, 'the Session was not closed');
  }
}
