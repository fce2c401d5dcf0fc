import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { failure, success, type Failure, type ToolResult } from '../../../protocol/tool-result.js';
import { sessionOf, type CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import { storageRefusal } from '../../sessions/index.js';
import { effectiveWaitSecs } from '../../kernel/wait-bound.js';
import { awaitChange } from '../await-change.js';
import type { BoardLedger } from '../board-ledger.js';
import { MESSAGES_SHOWN_DEFAULT, MESSAGES_SHOWN_MAX, WAIT_SECS_MAX } from '../limits.js';
import { messageView } from '../message-view.js';
import { observeBoard, type MessageObservation } from '../observation.js';
import { invalidObservation, invalidState, invalidToken, sessionGone } from '../refusals.js';
import { messageOutput, READING_BOARD } from './shapes.js';

export interface ObserveParts {
  readonly ledger: BoardLedger;
  readonly monotonicMs: () => number;
  /** Aborted when the daemon stops: waits end with what there is. */
  readonly stopping: AbortSignal;
}

interface Asked {
  readonly token: string | undefined;
  readonly waitSecs: number;
  readonly limit: number;
}

/** `observe_session_messages`: what changed on a board since a cursor, with one bounded wait. */
export function observeSessionMessages(parts: ObserveParts): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      ...READING_BOARD,
      name: 'observe_session_messages',
      title: 'Observe messages',
      summary: "What changed on a Session's board since an observation token; waits for a change when asked.",
      description: 'Without a token it gives a new baseline and no messages. Messages are shown as they are now.',
      recorded_inputs: ['wait_secs', 'limit'],
      input: z.strictObject({
        session_id: sessionSelector,
        after_observation_token: z.string().optional().meta({ description: 'The observation_token of the last observation' }),
        wait_secs: z.int().optional().meta({ description: `Wait up to so many seconds for a change: 1..${WAIT_SECS_MAX}` }),
        limit: clamped(1, MESSAGES_SHOWN_MAX, MESSAGES_SHOWN_DEFAULT),
      }),
      output: z.looseObject({
        session_id: z.string(),
        changed: z.boolean(),
        history_lost: z.boolean(),
        has_more: z.boolean(),
        messages: z.array(messageOutput),
        observation_token: z.string(),
        wait_outcome: z.enum(['immediate', 'updated', 'timeout']),
        waited_ms: z.int(),
        effective_wait_secs: z.int().optional(),
      }),
    },
    async (input, call) => {
      const { sessionId } = sessionOf(call);
      const asked = { token: input.after_observation_token, waitSecs: input.wait_secs ?? 0, limit: input.limit };
      if (input.wait_secs !== undefined && input.wait_secs < 1) {
        return { result: invalidObservation(`wait_secs is not from 1 to ${WAIT_SECS_MAX}`) };
      }
      if (input.wait_secs !== undefined && asked.token === undefined) {
        return { result: invalidObservation('wait_secs needs after_observation_token: observe without a wait for the first one') };
      }
      try {
        return { result: await observe(parts, sessionId, asked, call) };
      } catch (error) {
        // No token is given out that the ledger does not bear out.
        return { result: invalidState(storageRefusal(error, 'the board could not be read')) };
      }
    },
  );
}

async function observe(parts: ObserveParts, sessionId: SessionId, asked: Asked, call: CallContext): Promise<ToolResult> {
  const { ledger, monotonicMs } = parts;
  const look = (): MessageObservation | Failure =>
    ledger.read(sessionId, (board, session) => observeBoard(board, session, asked.token, asked.limit) ?? invalidToken()) ??
    sessionGone();
  const bounded = Math.min(asked.waitSecs, WAIT_SECS_MAX);
  const waitSecs = effectiveWaitSecs(bounded, call.answerWithinMs);
  const { snapshot, outcome, waitedMs } =
    waitSecs === 0
      ? { snapshot: look(), outcome: 'immediate' as const, waitedMs: 0 }
      : await awaitChange({
          listen: (wake) => ledger.listen(sessionId, wake),
          look,
          isDone: (seen) => 'success' in seen || seen.changed,
          waitMs: waitSecs * 1_000,
          signals: [call.signal, call.disconnected, parts.stopping],
          monotonicMs,
        });
  if (call.signal.aborted) return failure('cancelled', 'the observation was cancelled', { state_changed: false });
  if ('success' in snapshot) return snapshot;
  return success({
    session_id: sessionId,
    changed: snapshot.changed,
    history_lost: snapshot.historyLost,
    has_more: snapshot.hasMore,
    messages: snapshot.messages.map(messageView),
    observation_token: snapshot.token,
    wait_outcome: outcome,
    waited_ms: waitedMs,
    ...(waitSecs < asked.waitSecs ? { effective_wait_secs: waitSecs } : {}),
  });
}
