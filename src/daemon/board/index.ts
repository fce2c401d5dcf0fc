import type { Domain } from '../domain.js';
import type { BoardPort } from '../kernel/collaboration-ports.js';
import type { OperatorRoute } from '../operator-route.js';
import type { SessionsDomain } from '../sessions/index.js';
import { acknowledge } from './acknowledge.js';
import { sessionAttention } from './attention.js';
import { BoardLedger } from './board-ledger.js';
import { newMessageId } from './message-id.js';
import { resolveOnTheWay } from './resolve-on-the-way.js';
import { boardRoutes } from './routes.js';
import { completeSessionMessage } from './tools/complete-session-message.js';
import { getSessionAssignment } from './tools/get-session-assignment.js';
import { listSessionMessages } from './tools/list-session-messages.js';
import { observeSessionMessages } from './tools/observe-session-messages.js';
import { postSessionMessage } from './tools/post-session-message.js';
import { readSessionDiscussionSummary } from './tools/read-session-discussion-summary.js';
import { resolveSessionMessage } from './tools/resolve-session-message.js';

export { digestOf } from './digest.js';
export { keyText, messageFields } from './message-fields.js';
export { newMessageId } from './message-id.js';
export { bodyInput, deliveryKeyInput, kindInput, priorityInput, requiresAckInput, tagsInput } from './tools/shapes.js';

export interface BoardDeps {
  readonly sessions: Pick<SessionsDomain, 'boards' | 'resolveSelector'>;
  /** How many messages a Session retains. */
  readonly messagesPerSession: number;
  /** Unix seconds. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

/** The message boards of Workflow Sessions: what people and models say to each other about one task (spec 02 §A). */
export interface BoardDomain extends Domain, BoardPort {
  /** What an operator does with messages, which no tool does. */
  readonly routes: readonly OperatorRoute[];
  /** Ends every wait for a change with what there is: the daemon stops. */
  endWaits(): void;
}

export function createBoardDomain(deps: BoardDeps): BoardDomain {
  const ledger = new BoardLedger(deps.sessions.boards);
  const stopping = new AbortController();
  const parts = { ...deps, ledger, newMessageId: () => newMessageId(deps.randomBytes) };
  return {
    name: 'board',
    tools: [
      postSessionMessage(parts),
      listSessionMessages(parts),
      readSessionDiscussionSummary(parts),
      observeSessionMessages({ ...parts, stopping: stopping.signal }),
      resolveSessionMessage(parts),
      getSessionAssignment(parts),
      completeSessionMessage(parts),
    ],
    routes: boardRoutes(parts),
    acknowledge: (session, evidence) => acknowledge(parts, session, evidence),
    resolve: (session, { messageId, text }, accepted) => resolveOnTheWay(parts, session, { messageId, text, accepted }),
    attention: (session, accepted) =>
      ledger.read(session.sessionId, (board, current) => sessionAttention(board, current, accepted)),
    endWaits: () => stopping.abort(),
  };
}
