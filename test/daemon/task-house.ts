import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createContinuityDomain, continuitySchema } from '../../src/daemon/continuity/index.js';
import { createExternalObservationsDomain, externalObservationsSchema } from '../../src/daemon/external-observations/index.js';
import { handleCall, type Kernel } from '../../src/daemon/kernel/handle-call.js';
import { evaluatePermission, parseAuthorityMode } from '../../src/daemon/kernel/permission-evaluator.js';
import type { Principal } from '../../src/daemon/kernel/principal.js';
import type { CallRecord } from '../../src/daemon/kernel/ports.js';
import { Registry } from '../../src/daemon/kernel/registry.js';
import type { Tool } from '../../src/daemon/kernel/tool.js';
import { createPrincipals, principalsSchema, type Principals } from '../../src/daemon/principals/index.js';
import { createProjectsDomain, projectsSchema, type ProjectsDomain } from '../../src/daemon/projects/index.js';
import type { RunnerPort } from '../../src/daemon/runner-link/port.js';
import {
  createSessionsDomain,
  DEFAULT_SESSION_LIMITS,
  sessionsSchema,
  type SessionLimits,
  type SessionsDomain,
} from '../../src/daemon/sessions/index.js';
import { CommitQueue } from '../../src/daemon/storage/commit-queue.js';
import { openDatabase } from '../../src/daemon/storage/open-database.js';
import { createValidationDomain, takeInJobEnds } from '../../src/daemon/validation/index.js';
import type { InvocationId, PermissionRequestId } from '../../src/protocol/ids.js';
import { readOutputMethod } from '../../src/protocol/runner/execution.js';
import { listJobsMethod, observeJobsMethod, type JobView } from '../../src/protocol/runner/jobs.js';
import { releaseShellsMethod } from '../../src/protocol/runner/shells.js';
import { failure } from '../../src/protocol/tool-result.js';
import type { CallRequest } from '../../src/daemon/kernel/call-request.js';
import { createGitServices } from '../../src/runner/git/index.js';
import { createProjectServices } from '../../src/runner/project/index.js';
import { isRefusal, serve, type RunnerService } from '../../src/runner/request.js';
import { Turns } from '../../src/runner/turns.js';
import { createWorktreeServices } from '../../src/runner/worktree/index.js';
import { noCollaboration, request } from './kernel/kernel-fixture.js';

/** A Runner in this process: the real services, with every request noted by name. */
export interface InProcessRunner extends RunnerPort {
  readonly requests: string[];
  /** What `jobs/list` knows of. */
  jobs: JobView[];
  /** The whole stdout of executions, by output id; the others printed nothing. */
  readonly outputs: Map<string, string>;
  /** Requests that are answered with this failure instead. */
  readonly failing: Map<string, Parameters<typeof failure>[0]>;
}

export function inProcessRunner(): InProcessRunner {
  const environment = () => ({ PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' });
  const services: readonly RunnerService[] = [
    ...createProjectServices({ environment }),
    ...createGitServices({ environment, turns: new Turns() }),
    ...createWorktreeServices({ environment, turns: new Turns() }),
    serve(listJobsMethod, async ({ status, project, session_id, limit }) => {
      const matched = runner.jobs.filter(
        (job) =>
          (status === null || job.status === status) &&
          (project === null || job.project === project) &&
          (session_id === null || job.session_id === session_id),
      );
      return { jobs: matched.slice(0, limit), matched: matched.length };
    }),
    serve(releaseShellsMethod, async () => ({ closed: 0 })),
    serve(readOutputMethod, async ({ of, stream, start_line: startLine }) => {
      const outputId = 'output_id' in of ? of.output_id : '';
      const text = stream === 'stdout' && startLine === 1 ? (runner.outputs.get(outputId) ?? '') : '';
      const lines = text.split('\n').length - 1;
      return {
        output_id: outputId,
        job_id: '',
        project: '',
        session_id: null,
        text,
        first_line: 1,
        last_line: lines,
        next: null,
        end: { start_line: lines + 1, skip_bytes: 0 },
        ended: true,
        total_lines: lines,
        total_bytes: Buffer.byteLength(text),
        dropped: null,
        lossy: false,
        base64: null,
      };
    }),
    serve(observeJobsMethod, async ({ items }) => ({
      wake_reason: 'immediate' as const,
      waited_ms: 0,
      items: items.map(({ job_id }) => ({ job_id, error_kind: 'unknown_job' as const })),
    })),
  ];
  const runner: InProcessRunner = {
    requests: [],
    jobs: [],
    outputs: new Map(),
    failing: new Map(),
    state: null,
    onInstance: () => undefined,
    async call(method, params, options) {
      runner.requests.push(method.name);
      const failing = runner.failing.get(method.name);
      if (failing !== undefined) return { failure: failure(failing, 'the test wants it so') };
      const service = services.find((one) => one.method.name === method.name);
      if (service === undefined) throw new Error(`no service for ${method.name}`);
      const answer = (await service.handle(method.params.parse(params), {
        signal: options?.signal ?? new AbortController().signal,
        disconnected: new AbortController().signal,
        note: () => true,
        drained: () => Promise.resolve(),
      })) as object;
      if (isRefusal(answer)) {
        const { error_kind: kind, message, detail } = answer.refused;
        return { failure: failure(kind as Parameters<typeof failure>[0], message, detail) };
      }
      return { answer: method.result.parse(answer) as never };
    },
  };
  return runner;
}

export interface Result {
  readonly success: boolean;
  readonly error?: string;
  readonly output: Record<string, unknown> & { readonly error_kind?: string };
}

/** The daemon's domains around tasks over a real ledger, called through the real kernel. */
export interface TaskHouse {
  readonly folder: string;
  readonly database: Database;
  readonly commits: CommitQueue;
  readonly runner: InProcessRunner;
  readonly principals: Principals;
  readonly projects: ProjectsDomain;
  readonly sessions: SessionsDomain;
  readonly kernel: Kernel;
  readonly owner: Principal;
  readonly rows: CallRecord[];
  readonly faults: unknown[];
  call(tool: string, args: Record<string, unknown>, changes?: Partial<CallRequest>): Promise<Result>;
  close(): Promise<void>;
}

export interface TaskHouseOptions {
  /** An earlier house's folder, for a restart. */
  readonly folder?: string;
  readonly limits?: Partial<SessionLimits>;
  readonly reportLimits?: { readonly perSession: number; readonly total: number };
  readonly allowedRoots?: readonly string[];
  readonly home?: string;
  readonly authorityMode?: string;
  readonly tools?: readonly Tool[];
  readonly now?: () => number;
}

export async function taskHouse(options: TaskHouseOptions = {}): Promise<TaskHouse> {
  const folder = options.folder ?? (await realpath(await mkdtemp(join(tmpdir(), 'wc-house-'))));
  const now = options.now ?? ((): number => Math.floor(Date.now() / 1000));
  const database = openDatabase(join(folder, 'ledger.db'), [
    principalsSchema,
    projectsSchema,
    sessionsSchema,
    continuitySchema,
    externalObservationsSchema,
  ]);
  const commits = new CommitQueue(database);
  const runner = inProcessRunner();
  const authority = parseAuthorityMode(options.authorityMode);
  const principals = createPrincipals({ database, commits, now, randomBytes, ownerUid: 1000 });
  const projects = createProjectsDomain({
    database,
    commits,
    runner,
    now,
    allowedRoots: options.allowedRoots ?? null,
    home: options.home ?? '/nonexistent',
  });
  const sessions = createSessionsDomain({
    database,
    commits,
    projects,
    now,
    monotonicNow: () => performance.now(),
    randomBytes,
    limits: { ...DEFAULT_SESSION_LIMITS, ...options.limits },
    beforeRead: (session, call) => takeInJobEnds({ terminalJobs: validation.terminalJobs, projects, onFault: (error) => faults.push(error) }, session, call),
  });
  const faults: unknown[] = [];
  const rows: CallRecord[] = [];
  const newPermissionRequestId = (): PermissionRequestId => `wc_perm_${randomBytes(16).toString('hex')}` as PermissionRequestId;
  const validation = createValidationDomain({ runner, sessions });
  const external = createExternalObservationsDomain({
    database,
    commits,
    now,
    onFault: (error) => faults.push(error),
    ...(options.reportLimits === undefined ? {} : { limits: options.reportLimits }),
  });
  const continuity = createContinuityDomain({
    database,
    commits,
    sessions,
    projects,
    runner,
    terminalJobs: validation.terminalJobs,
    reports: external.reports,
    decideRegistration: () => {
      const register = registry.find('register_project');
      if (register === null) throw new Error('register_project is registered');
      const decision = evaluatePermission(authority, register.definition, null, newPermissionRequestId());
      return decision !== null && decision.status === 'denied'
        ? failure('permission_denied', decision.reason, { permission: { ...decision }, state_changed: false })
        : decision;
    },
    onFault: (error) => faults.push(error),
  });
  const registry = new Registry([
    ...projects.tools,
    ...sessions.tools,
    ...continuity.tools,
    ...external.tools,
    // Validators run nothing here; tests script what they would have found.
    ...validation.tools.filter(({ definition }) => definition.effect === 'observe'),
    ...(options.tools ?? []),
  ]);
  const kernel: Kernel = {
    registry,
    sessions,
    projects,
    audit: { record: (row) => void rows.push(row) },
    collaboration: noCollaboration,
    authority,
    newInvocationId: () => `wc_inv_${randomBytes(16).toString('hex')}` as InvocationId,
    newPermissionRequestId,
    clock: { wallMs: () => Date.now(), monotonicMs: () => performance.now() },
    onFault: (_tool, error) => faults.push(error),
  };
  const admission = principals.admit({ authorizationHeader: null, adapter: 'http', listener: 'socket' });
  if ('refused' in admission) throw new Error('the owner is admitted');
  return {
    folder,
    database,
    commits,
    runner,
    principals,
    projects,
    sessions,
    kernel,
    owner: admission.principal,
    rows,
    faults,
    async call(tool, args, changes = {}) {
      const answer = await handleCall(kernel, request(tool, args, { principal: admission.principal, ...changes }));
      answer.audit({ httpStatus: 200, streaming: false, atMs: Date.now() });
      return JSON.parse(answer.body) as Result;
    },
    async close() {
      commits.flush();
      await sessions.close?.();
      database.close();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
