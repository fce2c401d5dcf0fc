import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportReport } from '../../../protocol/ledger.js';
import type { SessionId } from '../../../protocol/ids.js';
import type { SessionsDomain } from '../door.js';
import type { ImportRefusal, LedgerChain, LedgerImport } from '../ledger-rows.js';
import { restoreTombstones, type Tombstone } from '../tombstone.js';
import { countBindings } from './current-bindings.js';
import { readDocument } from './document-reader.js';
import { NoteList } from './import-notes.js';
import { RejectedDocument } from './rejected-document.js';
import { restoreRow } from './restore-row.js';
import type { RestoreLimits } from './restore-session.js';

/** Tombstones are judged together, so that their number has a bound: the highest that a limit may be. */
const MAX_TOMBSTONES = 1_000_000;

/** A document that lies ready to be read once. */
export interface DocumentSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly size: number;
  /** SHA-256 of its bytes, 64 lower hex. */
  readonly digest: string;
  /** The chains that were exported beside it, or null. */
  readonly chains: ReadonlyMap<SessionId, LedgerChain> | null;
}

/**
 * Restores a document into an empty ledger (spec 01 §4): row by row, in bounded memory, a
 * turn of the event loop for each; all of it is published at the end, or none.
 *
 * @throws RejectedDocument when it is not a whole version-2 document, or not what its
 * chains say; CommitFailedError when the ledger could not be written; nothing is published then
 */
export async function importDocument(
  ledger: Pick<SessionsDomain, 'beginImport'>,
  limits: RestoreLimits,
  source: DocumentSource,
): Promise<ImportReport | ImportRefusal> {
  const begun = await ledger.beginImport({ documentDigest: source.digest });
  if ('refused' in begun) return begun;
  try {
    return await new DocumentImport(begun, limits, source).run();
  } catch (error) {
    await begun.abandon();
    throw error;
  }
}

class DocumentImport {
  private readonly dropped = new NoteList();
  private readonly changed = new NoteList();
  private readonly activeOf = new Map<string, boolean>();
  private readonly tombstones: Tombstone[] = [];
  private readonly rowOf = new Map<Tombstone, number>();
  private chainsVerified = 0;

  constructor(
    private readonly ledger: LedgerImport,
    private readonly limits: RestoreLimits,
    private readonly source: DocumentSource,
  ) {}

  async run(): Promise<ImportReport> {
    const rows = readDocument(this.source.bytes);
    let row = 0;
    let next = await rows.next();
    for (; next.done !== true; next = await rows.next()) {
      await this.take(next.value, row);
      row += 1;
      await nextTurn();
    }
    const bindings = countBindings(next.value, (id) => this.activeOf.get(id) === true);
    const restored = restoreTombstones(this.tombstones, (id) => this.activeOf.has(id));
    for (const tombstone of restored.dropped) this.noteDropped(tombstone);
    const counts = await this.ledger.finish(restored);
    return {
      document_sha256: this.source.digest,
      document_bytes: this.source.size,
      ...counts,
      dropped: this.dropped.report(),
      changed: this.changed.report(),
      chains_verified: this.source.chains === null ? null : this.chainsVerified,
      ...bindings,
    };
  }

  private async take(raw: unknown, row: number): Promise<void> {
    // A chain is proven over all events that the document has; the ledger bounds them then.
    const limits = this.source.chains === null ? this.limits : { ...this.limits, eventsPerSession: Infinity };
    const restored = restoreRow(raw, limits);
    if ('dropped' in restored) this.dropped.add(row, restored.dropped);
    else if ('tombstone' in restored) this.hold(restored.tombstone, row);
    else {
      const chain = this.source.chains?.get(restored.session.sessionId) ?? null;
      const outcome = await this.ledger.add({ ...restored.session, chain });
      if (outcome === 'chain_mismatch') {
        throw new RejectedDocument('chain_mismatch', `the events of row ${row} are not those that its chain was made over`);
      }
      if (outcome === 'duplicate') {
        this.dropped.add(row, { reason: 'duplicate_session_id', at: 'session_id' });
        return;
      }
      if (chain !== null) this.chainsVerified += 1;
      this.activeOf.set(restored.session.sessionId, restored.session.lifecycle === 'active');
      for (const note of restored.notes) this.changed.add(row, note);
    }
  }

  private hold(tombstone: Tombstone, row: number): void {
    if (this.tombstones.length === MAX_TOMBSTONES) {
      throw new RejectedDocument('too_large', `the document has more than ${MAX_TOMBSTONES} tombstones`);
    }
    this.tombstones.push(tombstone);
    this.rowOf.set(tombstone, row);
  }

  private noteDropped(tombstone: Tombstone): void {
    const reason = this.activeOf.has(tombstone.sessionId) ? 'session_is_live' : 'duplicate_tombstone';
    this.dropped.add(this.rowOf.get(tombstone) ?? 0, { reason, at: 'retention_tombstone' });
  }
}
