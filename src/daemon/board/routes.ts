import { z } from 'zod';
import { parseSessionId } from '../../protocol/ids.js';
import { success, type Failure, type ToolResult } from '../../protocol/tool-result.js';
import type { SessionPort, SessionView } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import { operatorError, type OperatorAnswer, type OperatorRoute } from '../operator-route.js';
import { storageRefusal, type BoardChange, type SessionBoard } from '../sessions/index.js';
import type { BoardLedger } from './board-ledger.js';
import { replaceMessage, withdrawMessage, type ClosedMessage } from './close-message.js';
import { messageView } from './message-view.js';
import type { PostParts } from './post-message.js';
import { sessionGone } from './refusals.js';

export interface BoardRouteParts extends PostParts {
  readonly ledger: BoardLedger;
  readonly sessions: Pick<SessionPort, 'resolveSelector'>;
}

const withdrawRequest = z.strictObject({ session_id: z.string(), message_id: z.string() });
const replaceRequest = z.strictObject({ session_id: z.string(), message_id: z.string(), message: z.string() });

type Decide = (board: SessionBoard, session: SessionView) => BoardChange<ClosedMessage | { readonly failure: Failure }>;

/**
 * `POST /api/messages/{withdraw,replace}`: what an operator takes back or says better. No tool
 * does either, so that no model rewrites what was said.
 */
export function boardRoutes(parts: BoardRouteParts): readonly OperatorRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/messages/withdraw',
      handle: async (body, principal) => {
        const asked = withdrawRequest.safeParse(body);
        if (!asked.success) return notUnderstood();
        return close(parts, asked.data.session_id, principal, (board, session) => withdrawMessage(parts, asked.data.message_id, board, session));
      },
    },
    {
      method: 'POST',
      path: '/api/messages/replace',
      handle: async (body, principal) => {
        const asked = replaceRequest.safeParse(body);
        if (!asked.success) return notUnderstood();
        const { message_id: messageId, message } = asked.data;
        return close(parts, asked.data.session_id, principal, (board, session) => replaceMessage(parts, { messageId, message }, board, session));
      },
    },
  ];
}

async function close(parts: BoardRouteParts, selector: string, principal: Principal, decide: Decide): Promise<OperatorAnswer> {
  if (principal.credential !== 'local_owner' || !principal.scopes.has('account:manage')) {
    return operatorError(403, 'operator_only', 'only the owner of this daemon takes messages back', 'use wc session in a terminal, without a token of its own');
  }
  const found = parts.sessions.resolveSelector(selector, principal);
  if ('failure' in found) return toolAnswer(found.failure);
  const sessionId = 'resolved' in found ? parseSessionId(found.resolved) : null;
  if (sessionId === null) return toolAnswer(sessionGone());
  try {
    const outcome = await parts.ledger.mutate(sessionId, decide);
    if (outcome === null) return toolAnswer(sessionGone());
    const closed = 'changed' in outcome ? outcome.changed : outcome.unchanged;
    if ('failure' in closed) return toolAnswer(closed.failure);
    const { message, replayed } = closed;
    return toolAnswer(success({ session_id: sessionId, replayed, state_changed: !replayed, message: messageView(message) }));
  } catch (error) {
    return toolAnswer(storageRefusal(error, 'the message was not changed'));
  }
}

/** The board's own answer, as its tools give it. */
function toolAnswer(result: ToolResult): OperatorAnswer {
  return { status: 200, body: { ...result } };
}

function notUnderstood(): OperatorAnswer {
  return operatorError(400, 'invalid_arguments', 'that is not what this route takes', 'see docs/message-board.md');
}
