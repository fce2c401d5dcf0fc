import { performance } from 'node:perf_hooks';
import type { Domain } from '../domain.js';
import type { OperatorRoute, StreamRoute } from '../operator-route.js';
import type { AuditPort, CallRecord } from '../kernel/ports.js';
import { Arrivals } from './arrivals.js';
import { AuditFile } from './audit-file.js';
import { callRow } from './event-row.js';
import { Losses, type AuditLog } from './losses.js';
import { Maintenance, type AuditRetention } from './maintenance.js';
import type { ReadQuery, ReadResult } from './reads/index.js';
import { recoveredRow } from './recovered-row.js';
import { auditRoutes } from './routes.js';
import { toolsListRow, type ToolsListRecord } from './tools-list-row.js';
import { toolsListedRoute } from './tools-listed-route.js';
import { WorkerClient } from './worker-client.js';
import { WriteQueue } from './write-queue.js';

export type { AuditLog } from './losses.js';
export type { AuditRetention } from './maintenance.js';
export type { ToolsListRecord } from './tools-list-row.js';

export interface AuditDeps {
  /** `audit.db`. */
  readonly path: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly monotonicMs?: () => number;
  readonly randomUuid: () => string;
  readonly randomBytes: (size: number) => Buffer;
  readonly log: AuditLog;
  readonly retention: AuditRetention;
  /** The worker thread's program; it stands beside this file in the build. */
  readonly workerEntry?: URL;
}

/** Which API and MCP actions happened (spec 05): a record beside the work, which it can never change. */
export interface AuditDomain extends Domain, AuditPort {
  readonly routes: readonly (OperatorRoute | StreamRoute)[];
  /** One event that says that the last daemon ended without its orderly end. */
  noteRecovered(): void;
  /** The measurement of one executed `tools/list` request. */
  recordToolsList(list: ToolsListRecord): void;
  /** Why rows are being lost; null while they are written. */
  lossReason(): string | null;
  /** The newest events of one window; sees every earlier write. Rejects with AuditReadError. */
  windowEvents(query: ReadQuery<'windowEvents'>): Promise<ReadResult<'windowEvents'>>;
  readonly close: () => Promise<void>;
}

const SALT_BYTES = 16;

/**
 * Opens the Action Audit. A store that cannot be opened, written or read loses rows and
 * says so in the log and in `status`; it never throws here and never changes a result.
 */
export function createAuditDomain(deps: AuditDeps): AuditDomain {
  const { path, now, log, randomUuid } = deps;
  const salt = deps.randomBytes(SALT_BYTES);
  const losses = new Losses(log);
  const file = new AuditFile({
    path,
    monotonicMs: deps.monotonicMs ?? (() => performance.now()),
    newSessionId: randomUuid,
    lockIsOurs: () => maintenance.isRetaining,
  });
  const worker = new WorkerClient(path, deps.workerEntry ?? new URL('./audit-worker.js', import.meta.url));
  const maintenance = new Maintenance({ worker, retention: deps.retention, now, log });
  const arrivals = new Arrivals();
  const written = (rows: number): void => {
    maintenance.rowsWritten(rows);
    arrivals.note();
  };
  const queue = new WriteQueue(file, losses, written, () => maintenance.isRetaining);
  try {
    file.ensureOpen();
  } catch (error) {
    losses.lost(0, error);
  }
  const warn = (error: unknown): void =>
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a telemetry record was left out');

  const recordToolsList = (list: ToolsListRecord): void => queue.push(() => toolsListRow(list, randomUuid()));

  return {
    name: 'audit',
    tools: [],
    record: (call: CallRecord) => queue.push(() => callRow(call, { eventId: randomUuid(), salt, warn })),
    recordToolsList,
    noteRecovered: () => {
      const atMs = now();
      queue.push(() => recoveredRow(randomUuid(), atMs));
    },
    routes: [
      ...auditRoutes({
      read: async (name, query) => {
        await queue.drain();
        file.ensureOpen();
        return worker.read(name, query);
      },
      closeSession: async (sessionId, note) => {
        await queue.drain();
        return file.use((store) => store.close(sessionId, note, Math.floor(now() / 1000)));
      },
      arrivals,
      }),
      toolsListedRoute(recordToolsList),
    ],
    windowEvents: async (query) => {
      await queue.drain();
      file.ensureOpen();
      return worker.read('windowEvents', query);
    },
    lossReason: () => losses.reason,
    status: () => ({
      audit_store: losses.reason === null ? 'ok' : 'failing',
      audit_rows_waiting: queue.length,
      audit_dropped_total: losses.total,
    }),
    close: async () => {
      maintenance.close();
      queue.close();
      await worker.close();
      file.close();
    },
  };
}
