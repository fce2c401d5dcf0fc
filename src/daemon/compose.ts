import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { InvocationId, PermissionRequestId } from '../protocol/ids.js';
import type { ToolDefinition } from '../protocol/tool-definition.js';
import { createAuditDomain, type AuditDomain } from './audit/index.js';
import { createBoardDomain } from './board/index.js';
import { createCheckpointsDomain } from './checkpoints/index.js';
import type { Config } from './config.js';
import { createContextMaterials } from './context-materials/index.js';
import { continuitySchema, createContinuityDomain } from './continuity/index.js';
import type { Domain } from './domain.js';
import { createExecutionDomain } from './execution/index.js';
import { createExternalObservationsDomain, externalObservationsSchema } from './external-observations/index.js';
import { createFilesDomain } from './files/index.js';
import { createGitDomain } from './git/index.js';
import { createJobsDomain, jobsSchema, rememberJobs } from './jobs/index.js';
import { decideNested } from './kernel/decide-nested.js';
import type { Kernel } from './kernel/handle-call.js';
import { parseAuthorityMode, type AuthorityMode } from './kernel/permission-evaluator.js';
import { Registry } from './kernel/registry.js';
import { createLedgerRoutes } from './ledger-routes/index.js';
import type { Logger } from './log.js';
import { createMetrics, type ProcessNumbers } from './metrics/index.js';
import type { OperatorRoute, StreamRoute } from './operator-route.js';
import { createPrincipals, principalsSchema, type Principals } from './principals/index.js';
import { createProjectsDomain, projectsSchema } from './projects/index.js';
import { createRunnerConfigDomain, RunnerConfiguration, type ConfigurationDeps } from './runner-config/index.js';
import type { RunnerPort } from './runner-link/port.js';
import { createRuntimeDomain, type StatusSource } from './runtime/index.js';
import { createSessionsDomain, sessionsSchema, type SessionLimits } from './sessions/index.js';
import { createShellsDomain, releaseSessionShells } from './shells/index.js';
import { createSshDomain, releaseSessionConnections } from './ssh/index.js';
import { createWindowsDomain, windowsSchema } from './windows/index.js';
import { CommitQueue } from './storage/commit-queue.js';
import { createValidationDomain, takeInJobEnds } from './validation/index.js';
import { createWorktreeRoutes } from './worktree-routes/index.js';

/** The tables of `ledger.db`, a domain's each. */
export const LEDGER_SCHEMAS = [principalsSchema, projectsSchema, sessionsSchema, continuitySchema, externalObservationsSchema, jobsSchema, windowsSchema];

export interface ComposeDeps {
  readonly ledger: Database;
  readonly auditPath: string;
  readonly runner: RunnerPort;
  readonly config: Config;
  /** The file that it was read from, and how what a Runner goes by is put in force. */
  readonly configuration: Pick<ConfigurationDeps, 'path' | 'apply'>;
  readonly log: Logger;
  readonly ownerUid: number;
  readonly home: string;
  /** `WC_AUTHORITY_MODE` as it was when the daemon started. */
  readonly authorityMode: string | undefined;
  /** What `get_runtime_status` says of the process itself. */
  readonly processStatus: StatusSource;
  /** What the metrics say of it. */
  readonly processNumbers: ProcessNumbers;
}

/** The daemon without its process: what runs calls, and what must be closed in the end. */
export interface Composition {
  readonly kernel: Kernel;
  readonly principals: Principals;
  readonly audit: AuditDomain;
  readonly routes: readonly (OperatorRoute | StreamRoute)[];
  readonly domains: readonly Domain[];
  readonly commits: CommitQueue;
  /** Waits that nothing else would end, end now: the daemon stops. */
  readonly endWaits: () => void;
  readonly definitions: () => readonly ToolDefinition[];
}

/** The composition root: every domain is made here, and handed what it needs and no more. */
export function compose(deps: ComposeDeps): Composition {
  const { ledger, config, log } = deps;
  const commits = new CommitQueue(ledger);
  const remembered = rememberJobs({
    runner: deps.runner,
    database: ledger,
    commits,
    recoveryMs: config.runner.recovery_secs * 1_000,
    now: () => performance.now(),
    wallClock: () => Date.now(),
    onFault: (error) => log.error({ err: error }, 'the memory of Jobs failed inside'),
  });
  const { runner } = remembered;
  const now = (): number => Math.floor(Date.now() / 1000);
  const configuration = new RunnerConfiguration({ ...deps.configuration, started: config });
  const authority = parseAuthorityMode(deps.authorityMode);

  const principals = createPrincipals({ database: ledger, commits, now, randomBytes, ownerUid: deps.ownerUid });
  const projects = createProjectsDomain({
    database: ledger,
    commits,
    runner,
    now,
    allowedRoots: config.runner.allowed_roots ?? null,
    home: deps.home,
  });
  const limits: SessionLimits = {
    hotSessionCapacityTarget: config.sessions.hot_session_capacity_target,
    historicalSessionRetentionLimit: config.sessions.historical_session_retention_limit,
    eventsPerSession: config.sessions.max_events_per_session,
    messagesPerSession: config.sessions.max_messages_per_session,
  };
  const sessions = createSessionsDomain({
    database: ledger,
    commits,
    projects,
    now,
    monotonicNow: () => performance.now(),
    randomBytes,
    limits,
    beforeRead: (session, call) =>
      takeInJobEnds(
        {
          terminalJobs: validation.terminalJobs,
          projects,
          onFault: (error) => log.error({ err: error }, 'the ends of Jobs could not be taken into their Session'),
        },
        session,
        call,
      ),
    releaseShells: async (sessionId) => {
      const closed = await releaseSessionShells(runner, sessionId);
      await releaseSessionConnections(runner, sessionId);
      return closed;
    },
  });
  const board = createBoardDomain({
    sessions,
    messagesPerSession: limits.messagesPerSession,
    now,
    monotonicMs: () => performance.now(),
    randomBytes,
  });
  const validation = createValidationDomain({ runner, sessions });
  const externalObservations = createExternalObservationsDomain({
    database: ledger,
    commits,
    now,
    onFault: (error) => log.error({ err: error }, 'the store of external reports failed'),
  });
  const audit = createAuditDomain({
    path: deps.auditPath,
    now: () => Date.now(),
    randomUuid: randomUUID,
    randomBytes,
    log,
    retention: { days: config.audit.retention_days, maxRows: config.audit.max_rows },
  });
  const metrics = createMetrics({
    process: deps.processNumbers,
    sessions,
    runner,
    auditStatus: () => audit.status?.() ?? {},
  });
  const windows = createWindowsDomain({
    database: ledger,
    commits,
    projects,
    events: audit,
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    randomBytes,
  });
  const context = createContextMaterials({
    runner,
    sessions,
    projects,
    linkedSessions: (window, principal) => windows.linkedSessions(window, principal),
  });
  const newPermissionRequestId = (): PermissionRequestId => `wc_perm_${hex(16)}` as PermissionRequestId;
  const domains: Domain[] = [
    createRuntimeDomain({ definitions: () => registry.definitions(), status: statusOf(deps, authority, () => domains) }),
    projects,
    sessions,
    board,
    windows,
    createContinuityDomain({
      database: ledger,
      commits,
      sessions,
      projects,
      runner,
      terminalJobs: validation.terminalJobs,
      reports: externalObservations.reports,
      decideRegistration: (call) =>
        decideNested({ registry, authority, newPermissionRequestId }, 'register_project', call),
      onFault: (error) => log.error({ err: error }, 'a projection failed inside'),
    }),
    createFilesDomain({ runner, sessions, now }),
    createGitDomain({ runner, sessions, now }),
    createCheckpointsDomain({ runner }),
    createExecutionDomain({ runner }),
    validation,
    externalObservations,
    createJobsDomain({ runner, projects }),
    createShellsDomain({ runner, sessions }),
    createRunnerConfigDomain({ configuration, runner }),
    createSshDomain({ configuration, runner, bindingKey: randomBytes(32) }),
    remembered.domain,
    audit,
  ];
  const registry = new Registry(domains.flatMap((domain) => domain.tools));
  return {
    kernel: {
      registry,
      sessions,
      projects,
      audit: metrics.counted(audit),
      collaboration: { board, windows, context },
      authority,
      newInvocationId: () => `wc_inv_${hex(16)}` as InvocationId,
      newPermissionRequestId,
      clock: { wallMs: () => Date.now(), monotonicMs: () => performance.now() },
      onFault: (tool, error) => log.error({ tool, err: error }, 'a tool failed inside'),
    },
    principals,
    audit,
    routes: [
      ...principals.routes,
      ...audit.routes,
      ...board.routes,
      ...windows.routes,
      ...metrics.routes,
      ...createWorktreeRoutes({ worktrees: projects.worktreeUpkeep, sessions }),
      ...createLedgerRoutes({
        sessions,
        limits,
        ledgerPath: ledger.name,
        now: () => Date.now(),
        onFault: (error) => log.warn({ err: error }, 'an import that was left behind could not be removed'),
      }),
    ],
    domains,
    commits,
    endWaits: () => board.endWaits(),
    definitions: () => registry.definitions(),
  };
}

/** Every domain's own counts beside the process's; the full form adds the policy in force. */
function statusOf(deps: ComposeDeps, authority: AuthorityMode, domains: () => readonly Domain[]): StatusSource {
  return {
    compact: () => ({
      ...deps.processStatus.compact(),
      ...Object.fromEntries(
        domains().flatMap(({ name, status }) => (status === undefined ? [] : [[name, status()] as const])),
      ),
    }),
    full: () => ({ ...deps.processStatus.full(), authority: authorityStatus(authority) }),
  };
}

function authorityStatus(authority: AuthorityMode): Record<string, string | boolean> {
  const may = authority.mode === 'trusted_agent' ? 'allowed' : 'denied';
  return {
    mode: authority.mode,
    source: authority.source,
    project_write: may,
    shell: may,
    git: may,
    network: may,
    package_install: may,
    service_control: may,
    release: authority.mode === 'trusted_agent' ? 'user_task_scoped' : 'human_approval',
    human_approval_required: authority.mode !== 'trusted_agent',
  };
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
