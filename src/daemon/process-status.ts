import type { Health } from '../protocol/api.js';
import type { JsonObject } from '../protocol/tool-result.js';
import { VERSION } from '../protocol/version.js';
import type { Config } from './config.js';
import type { RunnerPort } from './runner-link/port.js';
import type { StatusSource } from './runtime/index.js';

/** What the process knows of itself. */
export interface ProcessFacts {
  readonly startedAt: Date;
  readonly runner: RunnerPort;
  readonly config: Config;
  readonly callsInFlight: () => number;
  readonly lastCommitError: () => string | null;
  /** Why audit rows are being lost; null while they are written. */
  readonly auditLossReason: () => string | null;
}

/** `GET /api/health`. */
export function health(facts: ProcessFacts, shuttingDown: boolean): Health {
  const { state } = facts.runner;
  return {
    status: shuttingDown ? 'shutting_down' : 'ok',
    version: VERSION,
    pid: process.pid,
    started_at: facts.startedAt.toISOString(),
    calls_in_flight: facts.callsInFlight(),
    runner: state === null ? null : { pid: state.pid, instance_id: state.instanceId, version: state.version },
    stores: { ledger: facts.lastCommitError(), audit: facts.auditLossReason() },
  };
}

/** What the configuration adds to the environment of commands: names, and never a value (spec 03 §9). */
function environmentNames({ shell, profiles, default_profile, project_profiles }: Config['runner']): JsonObject {
  return {
    shell_env: Object.keys(shell.env),
    profiles: Object.entries(profiles).map(([name, profile]) => ({
      name,
      environment_mode: profile.environment_mode,
      env: Object.keys(profile.env),
      has_init_script: profile.init_script !== undefined,
    })),
    default_profile: default_profile ?? null,
    project_profiles,
  };
}

/** The process's part of `get_runtime_status`. */
export function processStatus(facts: ProcessFacts): StatusSource {
  return {
    compact: () => {
      const { status, version, pid, started_at, calls_in_flight, runner } = health(facts, false);
      const stored = facts.lastCommitError();
      return {
        status: runner === null || stored !== null ? 'degraded' : status,
        daemon: { version, pid, started_at, calls_in_flight, ledger_error: stored },
        runner: runner === null ? { connected: false } : { connected: true, client_id: 'local', ...runner },
      };
    },
    full: () => {
      const { sessions, runner, audit } = facts.config;
      return {
        limits: {
          sessions,
          audit,
          runner: {
            max_concurrent_jobs: runner.max_concurrent_jobs,
            spool_max_bytes: runner.spool_max_bytes,
            recovery_secs: runner.recovery_secs,
            allowed_roots_set: runner.allowed_roots !== undefined,
            allow_cwd_anywhere: runner.allow_cwd_anywhere,
            allow_raw_shell: runner.allow_raw_shell,
            ...environmentNames(runner),
          },
        },
        memory_bytes: process.memoryUsage.rss(),
        uptime_secs: Math.floor(process.uptime()),
      };
    },
  };
}
