import { z } from 'zod';
import {
  SESSION_ID_PATTERN,
  type AuthorityFingerprint,
  type ProjectId,
  type SessionId,
} from '../../protocol/ids.js';
import type { SessionExecutionContext, SessionView } from '../kernel/ports.js';
import { digestOf, type Digest, type EventChain } from './event-chain.js';
import { executionContextRow } from './event-row.js';
import type { RetainedTail } from './tail-bounds.js';

/** A Session without its events: what one row of `sessions` says. It never changes; a mutation makes a new one. */
export interface SessionHead extends SessionView, RetainedTail {
  /** Stands in for the id in the other tables. */
  readonly number: number;
  readonly gitBaselineTree: string | null;
  readonly repositoryEditObserved: boolean;
  /** Null for rows from before there were chains, until their Session gets one. */
  readonly chain: EventChain | null;
}

/** A row of the ledger breaks its own rules: it is never guessed at, and never written over. */
export class UnreadableRowError extends Error {
  constructor(what: string, cause: unknown) {
    super(`the ledger's ${what} cannot be read; the row is kept as it is`, { cause });
    this.name = 'UnreadableRowError';
  }
}

const flag = z.union([z.literal(0), z.literal(1)]);
const count = z.int().nonnegative();
const digest = z.custom<Digest>((value) => digestOf(value) !== null);
const chainColumns = z.union([
  z.object({
    chain_origin: z.enum(['created', 'adopted', 'imported']),
    chain_document_digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
    chain_start: count,
    chain_anchor: digest,
    chain_head: digest,
  }),
  z.object({ chain_origin: z.null(), chain_head: z.null() }),
]);
const headRow = z.object({
  session_number: z.int(),
  session_id: z.string().regex(SESSION_ID_PATTERN),
  owner_authority_fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  project: z.string().nullable(),
  title: z.string().nullable(),
  mode: z.enum(['normal', 'read_only']),
  deny_write_tools: flag,
  deny_shell_tools: flag,
  execution_context: z.string(),
  lifecycle: z.enum(['active', 'closed']),
  created_at: count,
  updated_at: count,
  events_observed: count,
  first_retained_sequence: count,
  git_baseline_tree: z.string().nullable(),
  repository_edit_observed: flag,
});

/**
 * @param row a row of `sessions`, as SQLite gives it
 * @throws UnreadableRowError when it is not what this program writes
 */
export function headOfRow(row: unknown): SessionHead {
  try {
    const read = headRow.parse(row);
    return {
      number: read.session_number,
      sessionId: read.session_id as SessionId,
      ownerFingerprint: read.owner_authority_fingerprint as AuthorityFingerprint,
      project: read.project as ProjectId | null,
      title: read.title,
      mode: read.mode,
      guards: { deny_write_tools: read.deny_write_tools === 1, deny_shell_tools: read.deny_shell_tools === 1 },
      executionContext: executionContextOf(read.execution_context),
      lifecycle: read.lifecycle,
      createdAt: read.created_at,
      updatedAt: read.updated_at,
      eventsObserved: read.events_observed,
      firstRetainedSequence: read.first_retained_sequence,
      gitBaselineTree: read.git_baseline_tree,
      repositoryEditObserved: read.repository_edit_observed === 1,
      chain: chainOf(chainColumns.parse(row)),
    };
  } catch (error) {
    throw new UnreadableRowError('Session row', error);
  }
}

function chainOf(columns: z.output<typeof chainColumns>): EventChain | null {
  if (columns.chain_origin === null) return null;
  return {
    origin: columns.chain_origin,
    documentDigest: columns.chain_document_digest,
    start: columns.chain_start,
    anchor: columns.chain_anchor,
    head: columns.chain_head,
  };
}

function executionContextOf(json: string): SessionExecutionContext {
  const { default_cwd: cwd, default_shell: shell, resource } = executionContextRow.parse(JSON.parse(json));
  return {
    ...(cwd === undefined ? {} : { default_cwd: cwd }),
    ...(shell === undefined ? {} : { default_shell: shell }),
    ...(resource === undefined ? {} : { resource }),
  };
}

/** The part of a head that the kernel and other domains see. */
export function viewOf(head: SessionHead): SessionView {
  const { sessionId, ownerFingerprint, project, title, mode, guards, executionContext, lifecycle, createdAt, updatedAt } = head;
  return { sessionId, ownerFingerprint, project, title, mode, guards, executionContext, lifecycle, createdAt, updatedAt };
}
