import type { Domain } from '../domain.js';
import type { SessionsDomain } from '../sessions/index.js';
import { BoardLedger } from './board-ledger.js';
import { newMessageId } from './message-id.js';
import { completeSessionMessage } from './tools/complete-session-message.js';
import { getSessionAssignment } from './tools/get-session-assignment.js';
import { listSessionMessages } from './tools/list-session-messages.js';
import { observeSessionMessages } from './tools/observe-session-messages.js';
import { postSessionMessage } from './tools/post-session-message.js';
import { resolveSessionMessage } from './tools/resolve-session-message.js';

export interface BoardDeps {
  readonly sessions: Pick<SessionsDomain, 'boards'>;
  /** How many messages a Session retains. */
  readonly messagesPerSession: number;
  /** Unix seconds. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

/** The message boards of Workflow Sessions: what people and models say to each other about one task (spec 02 §A). */
export interface BoardDomain extends Domain {
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
      observeSessionMessages({ ...parts, stopping: stopping.signal }),
      resolveSessionMessage(parts),
      getSessionAssignment(parts),
      completeSessionMessage(parts),
    ],
    endWaits: () => stopping.abort(),
  };
}
