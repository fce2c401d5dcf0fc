import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach } from 'vitest';
import type { ProjectId, RootFingerprint, SessionId } from '../../../src/protocol/ids.js';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import { handleCall } from '../../../src/daemon/kernel/handle-call.js';
import type { EvidenceEnd, EvidenceStart, ProjectPort } from '../../../src/daemon/kernel/ports.js';
import type { Principal } from '../../../src/daemon/kernel/principal.js';
import { Registry } from '../../../src/daemon/kernel/registry.js';
import type { Tool } from '../../../src/daemon/kernel/tool.js';
import {
  createSessionsDomain,
  DEFAULT_SESSION_LIMITS,
  sessionsSchema,
  type SessionLimits,
  type SessionsDomain,
} from '../../../src/daemon/sessions/index.js';
import { CommitQueue } from '../../../src/daemon/storage/commit-queue.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import { ALICE, BOB, kernelFixture, principal, request } from '../kernel/kernel-fixture.js';

export const DEMO = 'agent:local:demo' as ProjectId;
export const alice = principal();
export const bob = principal({ fingerprint: BOB, principalKey: 'managed-user:bob', authority: { kind: 'managed-user', stableId: 'bob' } });
export { ALICE, BOB };

export interface Answered {
  readonly success: boolean;
  readonly output: Record<string, unknown>;
  readonly error?: string;
}

/** A ledger in a real file, its domain, and a real kernel in front of it. */
export class SessionsFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'wc-sessions-'));
  /** Unix seconds; tests move it. */
  time = 1_800_000_000;
  database!: Database;
  commits!: CommitQueue;
  domain!: SessionsDomain;
  private tools: readonly Tool[] = [];
  private invocations = 0;

  constructor(
    private limits: Partial<SessionLimits> = {},
    private readonly random: (size: number) => Buffer = randomBytes,
  ) {
    this.open();
  }

  /** Ends this daemon's life and begins the next one on the same file. */
  async restart(limits: Partial<SessionLimits> = this.limits): Promise<void> {
    await this.domain.close?.();
    this.database.close();
    this.reopen(limits);
  }

  /** Begins a life on the file after the last one was ended by hand. */
  reopen(limits: Partial<SessionLimits> = this.limits): void {
    this.limits = limits;
    this.open();
  }

  /** Tools beside the domain's own that calls can name. */
  withTools(...tools: readonly Tool[]): this {
    this.tools = tools;
    return this;
  }

  /** One call through the kernel. */
  async call(tool: string, args: Record<string, unknown>, changes: Partial<CallRequest> = {}): Promise<Answered> {
    const { kernel } = kernelFixture([], {
      kernel: {
        registry: new Registry([...this.domain.tools, ...this.tools]),
        sessions: this.domain,
        newInvocationId: () => `wc_inv_${String((this.invocations += 1)).padStart(32, '0')}` as never,
      },
    });
    const answer = await handleCall(kernel, request(tool, args, { principal: alice, ...changes }));
    return JSON.parse(answer.body) as Answered;
  }

  /** A Session with its instruction, as `work_on_project` begins one. */
  async begin(work: { readonly title?: string; readonly owner?: Principal; readonly mode?: 'normal' | 'read_only'; readonly project?: ProjectId } = {}): Promise<SessionId> {
    const begun = await this.domain.createWork({
      project: work.project ?? DEMO,
      title: work.title ?? 'a task',
      owner: work.owner ?? alice,
      instruction: work.title ?? 'a task',
      transport: 'cli',
      ...(work.mode === undefined ? {} : { mode: work.mode }),
    });
    if ('failure' in begun) throw new Error(begun.failure.error);
    return begun.session.sessionId;
  }

  async close(sessionId: SessionId, owner: Principal = alice): Promise<Answered> {
    return this.call('close_session', { session_id: sessionId }, { principal: owner });
  }

  /** One recorded call that did nothing. */
  async pair(sessionId: SessionId, start: Partial<EvidenceStart> = {}, end: Partial<EvidenceEnd> = {}): Promise<void> {
    await this.domain.closePair(this.domain.openPair(sessionId, evidenceStart(start)), evidenceEnd(end));
  }

  status(): Record<string, unknown> {
    return { ...this.domain.status?.() };
  }

  /** Every byte of the ledger's files. */
  bytes(): string {
    return readdirSync(this.folder)
      .map((name) => readFileSync(join(this.folder, name)).toString('latin1'))
      .join('\n');
  }

  dispose(): void {
    this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private open(): void {
    this.database = openDatabase(join(this.folder, 'ledger.db'), [sessionsSchema]);
    this.commits = new CommitQueue(this.database);
    this.domain = createSessionsDomain({
      database: this.database,
      commits: this.commits,
      projects: { resolve: resolveDemo },
      now: () => this.time,
      monotonicNow: () => performance.now(),
      randomBytes: this.random,
      limits: { ...DEFAULT_SESSION_LIMITS, ...this.limits },
    });
  }
}

const open: SessionsFixture[] = [];
afterEach(() => {
  for (const fixture of open.splice(0)) fixture.dispose();
});

/** A fixture that is gone when the test is over. */
export function sessionsFixture(limits: Partial<SessionLimits> = {}, random?: (size: number) => Buffer): SessionsFixture {
  const fixture = new SessionsFixture(limits, random);
  open.push(fixture);
  return fixture;
}

const resolveDemo: ProjectPort['resolve'] = (selector) => ({
  project: {
    id: (selector.startsWith('agent:') ? selector : `agent:local:${selector}`) as ProjectId,
    name: selector,
    clientId: 'local',
    path: '/srv/demo',
    rootFingerprint: 'f'.repeat(64) as RootFingerprint,
    allowPatch: true,
    revision: 1,
  },
});

export function evidenceStart(changes: Partial<EvidenceStart> = {}): EvidenceStart {
  return {
    facts: {
      name: 'read_files',
      title: 'Read',
      summary: 'Reads.',
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
      recorded_inputs: ['items', 'path'],
    },
    invocationId: `wc_inv_${'0'.repeat(32)}` as EvidenceStart['invocationId'],
    role: 'business',
    transport: 'cli',
    inputs: {},
    requestProject: DEMO,
    ...changes,
  };
}

export function evidenceEnd(changes: Partial<EvidenceEnd> = {}): EvidenceEnd {
  return {
    result: { success: true, output: {} },
    outcome: {},
    resolvedProject: DEMO,
    permission: null,
    ...changes,
  };
}
