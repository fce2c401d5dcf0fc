import type { Health } from '../protocol/api.js';
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
            allowed_roots_set: runner.allowed_roots !== undefined,
          },
        },
        memory_bytes: process.memoryUsage.rss(),
        uptime_secs: Math.floor(process.uptime()),
      };
    },
  };
}
