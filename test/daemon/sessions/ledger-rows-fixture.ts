import { expect } from 'vitest';
import type { SessionId } from '../../../src/protocol/ids.js';
import type { SessionsDomain } from '../../../src/daemon/sessions/index.js';
import type { LedgerMessage, LedgerPart, LedgerSession } from '../../../src/daemon/sessions/ledger-rows.js';
import { EMPTY_BOARD } from '../../../src/daemon/sessions/message-store.js';
import type { Tombstone } from '../../../src/daemon/sessions/tombstone.js';
import { ALICE, DEMO } from './sessions-fixture.js';

/** A Session row of a document, without events and messages unless they are given. */
export function ledgerSession(sessionId: string, changes: Partial<LedgerSession> = {}): LedgerSession {
  return {
    sessionId: sessionId as SessionId,
    ownerFingerprint: ALICE,
    project: DEMO,
    title: 'a task',
    mode: 'normal',
    guards: { deny_write_tools: false, deny_shell_tools: false },
    executionContext: {},
    lifecycle: 'active',
    createdAt: 1_700_000_000,
    updatedAt: 1_700_000_000,
    eventsObserved: 0,
    events: [],
    messages: [],
    board: EMPTY_BOARD,
    materializedValidationJobIds: [],
    gitBaselineTree: null,
    repositoryEditObserved: false,
    chain: null,
    ...changes,
  };
}

/** A message with every optional member, or a bare one. */
export function ledgerMessage(sessionId: string, id: string, changes: Partial<LedgerMessage['message']> = {}, revision = 1): LedgerMessage {
  return {
    message: {
      message_id: id,
      session_id: sessionId,
      created_at: 1_700_000_001,
      kind: 'note',
      status: 'open',
      priority: 'normal',
      message: 'look at the parser',
      tags: [],
      reply_to: null,
      resolved_at: null,
      resolution: null,
      ...changes,
    },
    revision,
  };
}

/** The whole of a ledger, as an export gives it. */
export async function exported(domain: SessionsDomain): Promise<{
  readonly sessions: readonly LedgerSession[];
  readonly unreadable: readonly SessionId[];
  readonly tombstones: readonly Tombstone[];
}> {
  const snapshot = await domain.exportLedger();
  const parts: LedgerPart[] = [];
  try {
    for await (const part of snapshot.parts()) parts.push(part);
  } finally {
    snapshot.close();
  }
  return {
    sessions: parts.flatMap((part) => ('session' in part ? [part.session] : [])),
    unreadable: parts.flatMap((part) => ('unreadable' in part ? [part.unreadable] : [])),
    tombstones: parts.flatMap((part) => ('tombstone' in part ? [part.tombstone] : [])),
  };
}

/** Writes a whole ledger into an empty one. */
export async function imported(
  domain: SessionsDomain,
  rows: { readonly sessions: readonly LedgerSession[]; readonly tombstones?: readonly Tombstone[] },
  documentDigest = 'd'.repeat(64),
): Promise<void> {
  const begun = await domain.beginImport({ documentDigest });
  if ('refused' in begun) throw new Error(begun.refused);
  for (const session of rows.sessions) expect(await begun.add(session)).toBe('added');
  const kept = rows.tombstones ?? [];
  await begun.finish({ kept, greatestOrdinal: Math.max(0, ...kept.map((row) => row.expiryOrdinal)) });
}
