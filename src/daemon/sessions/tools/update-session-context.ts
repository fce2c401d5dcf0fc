import { z } from 'zod';
import { success, type Failure, type ToolResult } from '../../../protocol/tool-result.js';
import { sessionOf, type CallContext } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { newEventId } from '../event-ids.js';
import { normalizeExecutionContext, sameExecutionContext } from '../execution-context.js';
import type { Ledger } from '../ledger.js';
import { contextUpdatedEvent } from '../lifecycle-events.js';
import { sessionClosed, unknownSession } from '../refusals.js';
import { executionContextInput, executionContextOutput } from './shapes.js';
import { storageRefusal } from './storage-refusal.js';

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector,
  execution_context: executionContextInput,
});

export interface UpdateContextParts {
  readonly ledger: Ledger;
  /** Unix seconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

/** `update_session_context`: replaces the execution defaults as a whole; `{}` clears them. */
export function updateSessionContext(parts: UpdateContextParts): Tool {
  return defineTool(
    {
      name: 'update_session_context',
      title: 'Replace execution defaults',
      summary: "Replace a Session's execution defaults as a whole; {} clears them.",
      category: 'session',
      visibility: 'model_visible',
      effect: 'mutate',
      risk: 'workflow_manage',
      approval: 'none',
      idempotency: 'non_idempotent',
      scopes: { kind: 'all', scopes: ['project:write'] },
      session: 'target',
      project: 'required',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      recorded_inputs: ['project', 'execution_context'],
      input,
      output: z.looseObject({
        session_id: z.string(),
        project: z.string().nullable(),
        execution_context: executionContextOutput,
        changed: z.boolean(),
        updated_at: z.int(),
      }),
    },
    async ({ execution_context: given }, call) => {
      const result = await update(parts, given, call);
      return { result, facts: { effect: { stateChanged: result.success && result.output['changed'] === true } } };
    },
  );
}

async function update(
  { ledger, now, randomBytes }: UpdateContextParts,
  given: z.output<typeof executionContextInput>,
  call: CallContext,
): Promise<ToolResult> {
  const { sessionId } = sessionOf(call);
  let changed = false;
  try {
    const outcome = await ledger.mutate<Failure>(sessionId, (session) => {
      if (session.lifecycle === 'closed') return { refused: sessionClosed(sessionId) };
      const normalized = normalizeExecutionContext(given, session.project !== null);
      if ('failure' in normalized) return { refused: normalized.failure };
      changed = !sameExecutionContext(session.executionContext, normalized.context);
      const occasion = { eventId: newEventId(randomBytes), session, now: now(), transport: call.adapter };
      return {
        ...(changed ? { change: { executionContext: normalized.context } } : {}),
        events: [contextUpdatedEvent(occasion, normalized.context, session.executionContext, changed)],
      };
    });
    if ('missing' in outcome) return unknownSession();
    if ('refused' in outcome) return outcome.refused;
    const { head } = outcome;
    return success({
      session_id: sessionId,
      project: head.project,
      execution_context: { ...head.executionContext },
      changed,
      updated_at: head.updatedAt,
    });
  } catch (error) {
    return storageRefusal(error, 'the execution defaults were not replaced');
  }
}
