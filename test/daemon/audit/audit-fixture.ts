import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { ProjectId, WindowKey } from '../../../src/protocol/ids.js';
import type { ToolFacts } from '../../../src/protocol/tool-definition.js';
import { callRow } from '../../../src/daemon/audit/event-row.js';
import { createAuditDomain, type AuditDomain, type AuditRetention } from '../../../src/daemon/audit/index.js';
import { readInSnapshot, type ReadName, type ReadQuery, type ReadResult } from '../../../src/daemon/audit/reads/index.js';
import type { CallRecord, EnvelopeShape } from '../../../src/daemon/kernel/ports.js';
import type { Principal } from '../../../src/daemon/kernel/principal.js';

/** The worker thread's program as the build makes it; threads cannot load TypeScript. */
const WORKER = pathToFileURL(join(import.meta.dirname, '../../../dist/daemon/audit/audit-worker.js'));

export const OWNER: Principal = {
  credential: 'local_owner',
  userId: 'uid:1000',
  oauthClientId: null,
  authority: { kind: 'local-owner', stableId: 'uid:1000' },
  fingerprint: null,
  principalKey: 'local-owner:uid:1000',
  scopes: new Set(),
};

export const NO_ENVELOPE: EnvelopeShape = {
  present: {},
  ackCount: 0,
  contextKeys: [],
  controlBefore: null,
  controlAfterSuccess: null,
};

export const WINDOW = 'w'.repeat(64) as WindowKey;
export const PROJECT = 'agent:local:demo' as ProjectId;

export function toolFacts(changes: Partial<ToolFacts> = {}): ToolFacts {
  return {
    name: 'read_files',
    title: 'Read files',
    summary: 'Reads files.',
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
    ...changes,
  };
}

export const EDIT = toolFacts({
  name: 'edit_project_files',
  category: 'edit',
  effect: 'mutate',
  risk: 'project_write',
  telemetry: 'edit',
});

/** A finished call; `changes` say what is special about it. */
export function callRecord(changes: Partial<CallRecord> = {}): CallRecord {
  const facts = changes.facts === undefined ? toolFacts() : changes.facts;
  const startedAtMs = changes.startedAtMs ?? 1_000_000_000;
  return {
    toolName: facts?.name ?? 'no_such_tool',
    facts,
    principal: OWNER,
    adapter: 'cli',
    window: null,
    affinity: { header: null, headerAlias: null, query: null },
    endpoint: '/api/tools/{name}',
    outcome: 'success',
    result: { success: true, output: {} },
    reachedHandler: true,
    outcomeFacts: {},
    rawArguments: {},
    envelope: NO_ENVELOPE,
    project: PROJECT,
    recorder: null,
    permissionRequestId: null,
    startedAtMs,
    endedAtMs: startedAtMs,
    durationMs: 5,
    requestBytes: 100,
    httpStatus: 200,
    resultBytes: 28,
    responseStreaming: false,
    handedAtMs: startedAtMs,
    ...changes,
  };
}

/** A call that a session's header names. */
export function callIn(sessionId: string, changes: Partial<CallRecord> = {}): CallRecord {
  return callRecord({ affinity: { header: sessionId, headerAlias: null, query: null }, ...changes });
}

/** A failed call, with the outcome that its error kind has. */
export function failedCall(output: Record<string, string | number | boolean | null>, changes: Partial<CallRecord> = {}): CallRecord {
  return callRecord({
    outcome: 'tool_failed',
    result: { success: false, output, error: 'it did not work' },
    ...changes,
  });
}

export interface LogLine {
  readonly level: 'warn' | 'info';
  readonly facts: object;
  readonly message: string;
}

export interface AuditWorld {
  readonly audit: AuditDomain;
  readonly folder: string;
  readonly path: string;
  readonly log: LogLine[];
  /** Asks a route and gives status and body. */
  ask(route: string, body?: unknown, principal?: Principal): Promise<{ status: number; body: Record<string, unknown> }>;
  /** The session view with its events, after everything was written. */
  session(id: string): Promise<{ session: Record<string, unknown>; events: EventView[] }>;
  /** All sessions, the last used first. */
  sessions(): Promise<Record<string, unknown>[]>;
  /** The newest event of all. */
  newest(): Promise<EventView>;
  /** Rows as they are stored, read by a connection of the test's own. */
  rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  droppedTotal(): number;
  /** What stands in the database and its log, byte by byte. */
  storedBytes(): Promise<Buffer>;
}

export interface EventView {
  readonly event_id: string;
  readonly session_id: string;
  readonly status: string;
  readonly operation: string;
  readonly ids: Record<string, unknown>;
  readonly summary: Record<string, unknown> & { readonly model_ergonomics?: Record<string, unknown> };
  readonly changed_files: string[];
  readonly [member: string]: unknown;
}

export interface AuditWorldOptions {
  readonly now?: () => number;
  readonly monotonicMs?: () => number;
  readonly retention?: AuditRetention;
  readonly path?: string;
  readonly randomBytes?: (size: number) => Buffer;
  readonly workerEntry?: URL;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wc-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An Action Audit on a store of its own, with its real worker thread. */
export function auditWorld(options: AuditWorldOptions = {}): AuditWorld {
  const folder = temporaryFolder();
  const path = options.path ?? join(folder, 'audit.db');
  const log: LogLine[] = [];
  const audit = createAuditDomain({
    path,
    now: options.now ?? (() => 1_000_000_000),
    ...(options.monotonicMs === undefined ? {} : { monotonicMs: options.monotonicMs }),
    randomUuid: randomUUID,
    randomBytes: options.randomBytes ?? randomBytes,
    log: {
      warn: (facts, message) => log.push({ level: 'warn', facts, message }),
      info: (facts, message) => log.push({ level: 'info', facts, message }),
    },
    retention: options.retention ?? { days: 90, maxRows: 1_000_000 },
    workerEntry: options.workerEntry ?? WORKER,
  });
  onTestFinished(() => audit.close());

  const ask: AuditWorld['ask'] = async (route, body, principal = OWNER) => {
    const found = audit.routes.find(({ path: at }) => at === `/api/audit/${route}`);
    if (found === undefined || !('handle' in found)) throw new Error(`${route} is no route that answers in one document`);
    const answer = await found.handle(body, principal);
    return { status: answer.status, body: answer.body as Record<string, unknown> };
  };
  /** Asks for something that needs no worker thread, so that whatever waits is written first. */
  const written = async (): Promise<void> => {
    await ask('close', { session_id: 'nobody has this id' });
  };
  const read = async <Name extends ReadName>(name: Name, query: ReadQuery<Name>): Promise<ReadResult<Name>> => {
    await written();
    return withDatabase(path, (database) => readInSnapshot(database, name, query));
  };
  return {
    audit,
    folder,
    path,
    log,
    ask,
    sessions: async () => (await read('sessions', { status: null, since: null, limit: 200 })) as never,
    session: async (id) => (await read('session', { sessionId: id, eventsLimit: 200 })) as never,
    newest: async () => {
      const filter = { sessionId: null, tool: null, since: null, until: null, failed: false, after: null };
      return (await read('events', { ...filter, order: 'newest', limit: 1 })).events[0] as never;
    },
    rows: async <Row>(sql: string, ...values: unknown[]) => {
      await written();
      return withDatabase(path, (database) => database.prepare<unknown[], Row>(sql).all(...values));
    },
    droppedTotal: () => Number(audit.status?.()['audit_dropped_total']),
    storedBytes: async () => {
      await written();
      return Buffer.concat([readFileSync(path), readFileSync(`${path}-wal`)]);
    },
  };
}

/** The telemetry record of a call, as it is stored. */
export function recordOf(call: CallRecord): Record<string, unknown> {
  const row = callRow(call, {
    eventId: randomUUID(),
    salt: Buffer.alloc(16),
    warn: (error) => {
      throw error;
    },
  });
  return (JSON.parse(row.event.summary_json) as { model_ergonomics: Record<string, unknown> }).model_ergonomics;
}

export function withDatabase<Result>(path: string, work: (database: Database) => Result): Result {
  const database = new SqliteDatabase(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Root passes every check of the file system, so that its tests act as somebody else. */
export async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}
