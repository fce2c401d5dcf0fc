import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createSessionsDomain, DEFAULT_SESSION_LIMITS, type SessionsDomain, sessionsSchema } from '../../src/daemon/sessions/index.js';
import { CommitQueue } from '../../src/daemon/storage/commit-queue.js';
import { openDatabase } from '../../src/daemon/storage/open-database.js';
import type { EvidenceEnd, EvidenceStart, ProjectPort } from '../../src/daemon/kernel/ports.js';
import type { Principal } from '../../src/daemon/kernel/principal.js';
import type { AuthorityFingerprint, InvocationId, ProjectId, SessionId } from '../../src/protocol/ids.js';
import type { ToolFacts } from '../../src/protocol/tool-definition.js';
import { failure, success } from '../../src/protocol/tool-result.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { takeTurns, type Way } from '../take-turns.js';
import type { Bench } from '../world.js';

const FEW = 10;
const MANY = 10_000;
const PROJECT = 'agent:local:bench' as ProjectId;

/** Whether the cost of one event grows with the history; measured inside the process, where nothing dilutes it. */
export const appendEvent: Row = {
  name: 'append-event',
  what: `append of one recorded event at ${MANY.toLocaleString('en')} Sessions, over the same at ${FEW}`,
  measure: async (bench) => {
    const many = await appenderAt(bench, MANY);
    const few = await appenderAt(bench, FEW);
    const samples = await takeTurns({ rounds: 2_000, warmUp: 200 }, many, few);
    return [
      { label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.2 },
    ];
  },
};

/** A ledger with `count` Sessions, and the append to be timed: one pair, until its commit. */
async function appenderAt({ folder, defer }: Bench, count: number): Promise<Way> {
  const database = openDatabase(join(folder, `ledger-${count}.db`), [sessionsSchema]);
  defer(() => database.close());
  const domain = createSessionsDomain({
    database,
    commits: new CommitQueue(database),
    projects: NO_PROJECTS,
    now: () => Math.floor(Date.now() / 1000),
    monotonicNow: () => performance.now(),
    randomBytes,
    limits: DEFAULT_SESSION_LIMITS,
  });
  let sessionId = await newSession(domain);
  for (let made = 1; made < count; made += 1) sessionId = await newSession(domain);
  return async () => {
    const pair = domain.openPair(sessionId, { ...START, invocationId: `wc_inv_${randomBytes(16).toString('hex')}` as InvocationId });
    await domain.closePair(pair, END);
  };
}

async function newSession(domain: SessionsDomain): Promise<SessionId> {
  const begun = await domain.createWork({ project: PROJECT, title: 'measure', owner: OWNER, instruction: 'measure', transport: 'cli' });
  if ('failure' in begun) throw new Error(begun.failure.error);
  return begun.session.sessionId;
}

/** Only `start_session` asks for projects, and it is not called. */
const NO_PROJECTS: Pick<ProjectPort, 'resolve'> = {
  resolve: () => ({ failure: failure('unknown_project', 'there are no projects here') }),
};

const OWNER: Principal = {
  credential: 'local_owner',
  userId: null,
  oauthClientId: null,
  authority: { kind: 'local-owner', stableId: 'bench' },
  fingerprint: '0'.repeat(64) as AuthorityFingerprint,
  principalKey: 'bench',
  scopes: new Set(),
};

const FACTS: ToolFacts = {
  name: 'read_files',
  title: 'Read files',
  summary: 'A tool to record',
  category: 'file',
  visibility: 'model_visible',
  effect: 'observe',
  risk: 'read_only',
  approval: 'none',
  idempotency: 'pure_read',
  scopes: { kind: 'all', scopes: ['project:read'] },
  session: 'records',
  project: 'required',
  path_hint: 'path_list',
  destructive: false,
  shell_like: false,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
  session_evidence: 'business_pair',
  recorded_inputs: [],
};

const START: Omit<EvidenceStart, 'invocationId'> = {
  facts: FACTS,
  role: 'recorder',
  transport: 'cli',
  inputs: {},
  requestProject: PROJECT,
};

const END: EvidenceEnd = {
  result: success({}),
  outcome: { observedPaths: ['src/values.ts'] },
  resolvedProject: PROJECT,
  permission: null,
};
