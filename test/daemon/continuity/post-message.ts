import { randomBytes } from 'node:crypto';
import type { SessionMessage } from '../../../src/daemon/sessions/index.js';
import { MessageStore } from '../../../src/daemon/sessions/message-store.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import type { TaskHouse } from '../task-house.js';

/** Puts a message on a Session's board as a post does: its row, and the board's next revision. */
export function postMessage(house: TaskHouse, sessionId: string, changes: Partial<SessionMessage> = {}): string {
  house.commits.flush();
  const store = new MessageStore(house.database);
  const number = house.database.prepare<[string], number>('SELECT session_number FROM sessions WHERE session_id = ?').pluck().get(sessionId);
  if (number === undefined) throw new Error('there is no such Session');
  const owner = { number, sessionId: sessionId as SessionId };
  const board = store.board(owner);
  const revision = board.observationRevision + 1;
  const messageId = `wc_msg_${randomBytes(12).toString('base64url')}`;
  const message: SessionMessage = {
    message_id: messageId,
    session_id: sessionId,
    created_at: 1_700_000_001,
    kind: 'note',
    status: 'open',
    priority: 'normal',
    message: 'look at the parser',
    tags: [],
    reply_to: null,
    resolved_at: null,
    resolution: null,
    ...changes,
  };
  house.database.transaction(() => {
    store.append(owner, { message, revision });
    store.insertBoard(owner, { ...board, observationRevision: revision, assignmentHistoryFloors: new Map(), completionFences: new Map(), deliveryReplays: new Map() });
  })();
  return messageId;
}
