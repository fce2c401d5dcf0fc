/*
 * A process that dies with SIGKILL in the very turn in which its commit settled, before it
 * could tell anybody: `node die-after-commit.mjs FOLDER`. It runs the built daemon code.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

const dist = (path) => import(join(import.meta.dirname, '..', '..', '..', 'dist', 'daemon', path));
const { createSessionsDomain, DEFAULT_SESSION_LIMITS, sessionsSchema } = await dist('sessions/index.js');
const { CommitQueue } = await dist('storage/commit-queue.js');
const { openDatabase } = await dist('storage/open-database.js');

const database = openDatabase(join(process.argv[2], 'ledger.db'), [sessionsSchema]);
const domain = createSessionsDomain({
  database,
  commits: new CommitQueue(database),
  projects: { resolve: () => ({ failure: { success: false, output: {}, error: 'none' } }) },
  now: () => Math.floor(Date.now() / 1000),
  monotonicNow: () => performance.now(),
  randomBytes,
  limits: DEFAULT_SESSION_LIMITS,
});
const begun = await domain.createWork({
  project: 'agent:local:demo',
  title: 'die',
  owner: {
    credential: 'local_owner',
    userId: null,
    oauthClientId: null,
    authority: { kind: 'local-owner', stableId: 'test' },
    fingerprint: 'a'.repeat(64),
    principalKey: 'local-owner:test',
    scopes: new Set(),
  },
  instruction: 'die',
  transport: 'cli',
});
const facts = {
  name: 'read_files',
  risk: 'read_only',
  effect: 'observe',
  shell_like: false,
  git_like: false,
  change_summary_like: false,
  recorded_inputs: [],
};
const pair = domain.openPair(begun.session.sessionId, {
  facts,
  invocationId: `wc_inv_${'0'.repeat(32)}`,
  role: 'recorder',
  transport: 'cli',
  inputs: {},
  requestProject: null,
});
await domain.closePair(pair, { result: { success: true, output: {} }, outcome: {}, resolvedProject: null, permission: null });
process.kill(process.pid, 'SIGKILL');
