/*
 * A process that dies with SIGKILL in the very turn in which its completion was committed,
 * before it could tell anybody: `node die-after-completion.mjs FOLDER SESSION TODO FENCE`. It
 * runs the built daemon code.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

const dist = (path) => import(join(import.meta.dirname, '..', '..', '..', 'dist', 'daemon', path));
const { createSessionsDomain, DEFAULT_SESSION_LIMITS, sessionsSchema } = await dist('sessions/index.js');
const { completeTodo } = await dist('board/complete-todo.js');
const { newMessageId } = await dist('board/message-id.js');
const { CommitQueue } = await dist('storage/commit-queue.js');
const { openDatabase } = await dist('storage/open-database.js');

const [, , folder, session, messageId, expectedFence] = process.argv;
const database = openDatabase(join(folder, 'ledger.db'), [sessionsSchema]);
const domain = createSessionsDomain({
  database,
  commits: new CommitQueue(database),
  projects: { resolve: () => ({ failure: { success: false, output: {}, error: 'none' } }) },
  now: () => Math.floor(Date.now() / 1000),
  monotonicNow: () => performance.now(),
  randomBytes,
  limits: DEFAULT_SESSION_LIMITS,
});
const parts = { now: () => 1, newMessageId: () => newMessageId(randomBytes), messagesPerSession: 200 };
const given = { messageId, answer: 'done', completionKey: 'key', expectedFence, author: null };
await domain.boards.mutate(session, (board, view) => completeTodo(parts, given, board, view));
process.kill(process.pid, 'SIGKILL');
