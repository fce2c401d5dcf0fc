import { VERSION } from '../../protocol/version.js';
import { operatorError, type StreamRoute } from '../operator-route.js';
import type { CallMetrics } from './call-metrics.js';
import { exposition, EXPOSITION_TYPE, type Family } from './exposition.js';
import type { MetricsDeps } from './index.js';
import { runnerGauges } from './runner-gauges.js';
import { storeSizes } from './store-sizes.js';

/** `GET /api/metrics`, for whoever may read the state of the runtime. */
export function metricsRoute(deps: MetricsDeps, calls: CallMetrics): StreamRoute {
  return {
    method: 'GET',
    path: '/api/metrics',
    takes: 'nothing',
    serve: async ({ principal, response }) => {
      if (principal.credential === 'open' || !(principal.scopes.has('runtime:read') || principal.scopes.has('admin'))) {
        return operatorError(403, 'operator_only', 'these numbers need the scope runtime:read', 'make a token with wc token create NAME --scope runtime:read');
      }
      const text = exposition([...processFamilies(deps), ...calls.families(), ...(await runnerGauges(deps.runner)), ...(await storeFamilies(deps))]);
      response.writeHead(200, { 'content-type': EXPOSITION_TYPE, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' });
      response.end(text);
      return null;
    },
  };
}

function processFamilies({ process: facts, sessions, auditStatus }: MetricsDeps): readonly Family[] {
  const counts = sessions.counts();
  const audit = auditStatus();
  const { user, system } = process.cpuUsage();
  const one = (name: string, type: Family['type'], help: string, value: number): Family => ({ name, type, help, samples: [{ value }] });
  return [
    { name: 'wc_build_info', type: 'gauge', help: 'The version that runs; always 1.', samples: [{ labels: { version: VERSION }, value: 1 }] },
    one('process_start_time_seconds', 'gauge', 'When the daemon started, in seconds since the epoch.', facts.startedAt.getTime() / 1_000),
    one('process_cpu_seconds_total', 'counter', 'CPU time of the daemon.', (user + system) / 1_000_000),
    one('process_resident_memory_bytes', 'gauge', 'Resident memory of the daemon.', process.memoryUsage.rss()),
    one('wc_calls_in_flight', 'gauge', 'Tool calls that are under way.', facts.callsInFlight()),
    {
      name: 'wc_sessions',
      type: 'gauge',
      help: 'Workflow Sessions that are retained, by lifecycle.',
      samples: [
        { labels: { lifecycle: 'active' }, value: counts.active },
        { labels: { lifecycle: 'closed' }, value: counts.closed },
      ],
    },
    one('wc_sessions_hot', 'gauge', 'Workflow Sessions that are held in memory.', counts.hot),
    one('wc_audit_up', 'gauge', 'Whether audit rows are being written.', audit['audit_store'] === 'ok' ? 1 : 0),
    one('wc_audit_rows_waiting', 'gauge', 'Audit rows that wait to be written.', Number(audit['audit_rows_waiting'])),
    one('wc_audit_rows_dropped_total', 'counter', 'Audit rows that were lost; calls were not affected.', Number(audit['audit_dropped_total'])),
  ];
}

async function storeFamilies({ process: { paths } }: MetricsDeps): Promise<readonly Family[]> {
  return [{ name: 'wc_store_bytes', type: 'gauge', help: 'Size of a store of the daemon.', samples: await storeSizes(paths) }];
}
