import { randomBytes } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { EvidenceEnd, EvidenceStart, ProjectPort } from '../src/daemon/kernel/ports.js';
import type { Principal } from '../src/daemon/kernel/principal.js';
import { createSessionsDomain, DEFAULT_SESSION_LIMITS, type SessionsDomain, sessionsSchema } from '../src/daemon/sessions/index.js';
import { CommitQueue } from '../src/daemon/storage/commit-queue.js';
import type { DomainSchema } from '../src/daemon/storage/migrations.js';
import { openDatabase } from '../src/daemon/storage/open-database.js';
import type { AuthorityFingerprint, InvocationId, ProjectId, SessionId } from '../src/protocol/ids.js';
import type { ToolFacts } from '../src/protocol/tool-definition.js';
import { failure, success } from '../src/protocol/tool-result.js';

export const PROJECT = 'agent:local:bench' as ProjectId;

/** The domain of Sessions over a ledger file, as a daemon has it. */
export function openLedger(
  path: string,
  furtherSchemas: readonly DomainSchema[] = [],
): { readonly domain: SessionsDomain; readonly database: Database; readonly commits: CommitQueue } {
  const database = openDatabase(path, [sessionsSchema, ...furtherSchemas]);
  const commits = new CommitQueue(database);
  const domain = createSessionsDomain({
    database,
    commits,
    projects: NO_PROJECTS,
    now: () => Math.floor(Date.now() / 1000),
    monotonicNow: () => performance.now(),
    randomBytes,
    limits: DEFAULT_SESSION_LIMITS,
  });
  return { domain, database, commits };
}

/** A Session with its instruction. */
export async function newSession(domain: SessionsDomain): Promise<SessionId> {
  const begun = await domain.createWork({ project: PROJECT, title: 'measure', owner: OWNER, instruction: 'measure', transport: 'cli' });
  if ('failure' in begun) throw new Error(begun.failure.error);
  return begun.session.sessionId;
}

/** One call that is recorded: a pair of events, until its commit. */
export async function recordCall(domain: SessionsDomain, sessionId: SessionId, outcome = END.outcome): Promise<void> {
  const invocationId = `wc_inv_${randomBytes(16).toString('hex')}` as InvocationId;
  await domain.closePair(domain.openPair(sessionId, { ...START, invocationId }), { ...END, outcome });
}

/** Only `start_session` asks for projects, and it is not called. */
const NO_PROJECTS: Pick<ProjectPort, 'resolve'> = {
  resolve: () => ({ failure: failure('unknown_project', 'there are no projects here') }),
};

export const OWNER: Principal = {
  credential: 'local_owner',
  userId: null,
  oauthClientId: null,
  authority: { kind: 'local-owner', stableId: 'bench' },
  fingerprint: '0'.repeat(64) as AuthorityFingerprint,
  principalKey: 'bench',
  scopes: new Set(),
};

export const FACTS: ToolFacts = {
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
