import type { AuditPort } from '../kernel/ports.js';
import type { StreamRoute } from '../operator-route.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { SessionsDomain } from '../sessions/index.js';
import { CallMetrics } from './call-metrics.js';
import { metricsRoute } from './metrics-route.js';
import type { StorePaths } from './store-sizes.js';

export type { StorePaths } from './store-sizes.js';

/** What the process knows of itself. */
export interface ProcessNumbers {
  readonly startedAt: Date;
  readonly callsInFlight: () => number;
  readonly paths: StorePaths;
}

export interface MetricsDeps {
  readonly process: ProcessNumbers;
  readonly sessions: Pick<SessionsDomain, 'counts'>;
  readonly runner: RunnerPort;
  /** The state of the Action Audit, as its domain tells it. */
  readonly auditStatus: () => Readonly<Record<string, unknown>>;
}

/** Numbers for Prometheus: what happened since the daemon started, and what there is now. */
export interface Metrics {
  /** The audit, with every call counted on its way there. */
  counted(audit: AuditPort): AuditPort;
  readonly routes: readonly StreamRoute[];
}

export function createMetrics(deps: MetricsDeps): Metrics {
  const calls = new CallMetrics();
  return {
    counted: (audit) => ({
      record: (call) => {
        calls.record(call);
        audit.record(call);
      },
    }),
    routes: [metricsRoute(deps, calls)],
  };
}
