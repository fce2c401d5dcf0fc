import { createHash } from 'node:crypto';
import type { ImportReport } from '../../../src/protocol/ledger.js';
import {
  ChainFileWriter,
  exportDocument,
  importDocument,
  readChainFile,
  type SessionsDomain,
} from '../../../src/daemon/sessions/index.js';
import { ALICE, DEMO } from '../sessions/sessions-fixture.js';

export const LIMITS = { eventsPerSession: 2_000, messagesPerSession: 200 };

type Raw = Record<string, unknown>;

export const SESSION = 'wc_sess_AAAAAAAAAAAAAAAA';
export const OTHER = 'wc_sess_BBBBBBBBBBBBBBBB';

/** A hex digest of its own for each name. */
export const hex = (name: string): string => createHash('sha256').update(name).digest('hex');
export const sessionId = (index: number): string => `wc_sess_${String(index).padStart(16, '0')}`;
export const messageId = (index: number): string => `wc_msg_${String(index).padStart(16, '0')}`;

/** A Session row with every required member, as another writer would write it. */
export function rawSession(changes: Raw = {}): Raw {
  return {
    session_id: SESSION,
    owner_authority_fingerprint: ALICE,
    project: DEMO,
    title: 'a task',
    mode: 'normal',
    guards: { deny_write_tools: false, deny_shell_tools: false },
    execution_context: {},
    lifecycle: 'active',
    created_at: 1_700_000_000,
    updated_at: 1_700_000_100,
    events: [],
    events_observed: 0,
    messages: [],
    message_observation_revision: 0,
    message_observation_floor: 0,
    message_observation_revisions: {},
    assignment_history_floors: {},
    assignment_history_tracking_complete: true,
    completion_assignment_fence_fingerprints: {},
    completion_assignment_fence_tracking_complete: true,
    ...changes,
  };
}

export function rawEvent(index: number, changes: Raw = {}): Raw {
  return {
    event_id: `evt_${index.toString(16).padStart(32, '0')}`,
    session_id: SESSION,
    kind: 'tool_call_finished',
    timestamp: 1_700_000_000 + index,
    transport: 'cli',
    tool_name: 'read_files',
    risk_class: 'read_only',
    read_like: true,
    write_like: false,
    shell_like: false,
    git_like: false,
    change_summary_like: false,
    changed_paths: [],
    project: DEMO,
    resolved_project: DEMO,
    started_at: 1_700_000_000 + index,
    finished_at: 1_700_000_000 + index,
    duration_ms: 3,
    status: 'succeeded',
    exit_code: null,
    failure_kind: null,
    error_kind: null,
    error_message_summary: null,
    job_id: null,
    input_summary: { path: 'src/values.ts' },
    ...changes,
  };
}

export function rawMessage(index: number, changes: Raw = {}): Raw {
  return {
    message_id: messageId(index),
    session_id: SESSION,
    created_at: 1_700_000_000 + index,
    kind: 'note',
    status: 'open',
    priority: 'normal',
    message: 'look at the parser',
    tags: [],
    reply_to: null,
    resolved_at: null,
    resolution: null,
    ...changes,
  };
}

/** A row with messages whose board says of them what it should. */
export function rawBoard(messages: readonly Raw[], changes: Raw = {}): Raw {
  return rawSession({
    messages,
    message_observation_revision: messages.length,
    message_observation_revisions: Object.fromEntries(messages.map((message, index) => [String(message['message_id']), index + 1])),
    ...changes,
  });
}

export function rawTombstone(id: string, ordinal: number, changes: Raw = {}): Raw {
  return {
    retention_tombstone: {
      session_id: id,
      owner_authority_fingerprint: ALICE,
      incarnation_fingerprint: hex(id),
      expiry_ordinal: ordinal,
      ...changes,
    },
  };
}

export function document(rows: readonly unknown[], members: Raw = {}): string {
  return JSON.stringify({ version: 2, sessions: rows, ...members });
}

/** A document's bytes in pieces of `size`. */
export async function* pieces(text: string | Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** Imports a document, proven by its chain file when one is given. */
export async function importText(
  domain: SessionsDomain,
  text: string | Uint8Array,
  options: { readonly limits?: typeof LIMITS; readonly chain?: string } = {},
): Promise<ImportReport> {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const report = await importDocument(domain, options.limits ?? LIMITS, {
    bytes: pieces(bytes),
    size: bytes.length,
    digest,
    chains: options.chain === undefined ? null : readChainFile(Buffer.from(options.chain), digest),
  });
  if ('refused' in report) throw new Error(report.refused);
  return report;
}

/** The whole ledger as its document, and its chain file. */
export async function exportText(domain: SessionsDomain): Promise<{ readonly document: string; readonly chain: string }> {
  const ledger = await domain.exportLedger();
  const chains = new ChainFileWriter();
  const text: string[] = [];
  try {
    for await (const piece of exportDocument(ledger.parts(), (session) => chains.add(session))) text.push(piece);
  } finally {
    ledger.close();
  }
  const whole = text.join('');
  return { document: whole, chain: chains.text(createHash('sha256').update(whole).digest('hex')) };
}
