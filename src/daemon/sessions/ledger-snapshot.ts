import { readdirSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { SessionId } from '../../protocol/ids.js';
import type { AccessOrder } from './access-order.js';
import { LedgerReader } from './ledger-reader.js';
import type { LedgerExport, LedgerPart } from './ledger-rows.js';
import { UnreadableRowError } from './session-head.js';
import { TombstoneStore } from './tombstone-store.js';

const COPY_MARK = '.snapshot-';
/** Pages that one turn of the event loop copies: 4 MiB, some milliseconds. */
const PAGES_PER_TURN = 1024;

/**
 * Takes the ledger as it is at one moment.
 *
 * An export may last as long as its reader likes. A read transaction of that length would
 * pin the write-ahead log, which could then not be reset and would grow with every commit
 * (spec 00, decision 42). So the database is copied first, page by page with SQLite's online
 * backup: each step reads for a moment only, and what this daemon writes meanwhile goes into
 * the copy too, so that the copy is the ledger at the moment of the last step. The export
 * then reads the copy, which nobody writes. It costs the ledger's size on disk as long as it
 * is read; its file has no name any more while it is, so that no crash leaves it behind.
 *
 * Whoever closes a file without a name last waits until its space is given back, which takes
 * most of a second for a large ledger: a descriptor of our own lets the thread pool wait.
 *
 * @throws when the copy cannot be made, as on a full disk
 */
export async function takeSnapshot(
  database: Database,
  order: AccessOrder,
  randomBytes: (size: number) => Buffer,
): Promise<LedgerExport> {
  const path = `${database.name}${COPY_MARK}${randomBytes(8).toString('hex')}`;
  // Made first, so that nobody else can ever open it.
  const file = await open(path, 'wx', 0o600);
  try {
    await database.backup(path, { progress: () => PAGES_PER_TURN });
    // In the turn of the last step: nothing can have been written since.
    const sessions = [...order.leastRecentFirst()];
    const copy = new SqliteDatabase(path);
    try {
      // The copy of a database in WAL mode is in WAL mode too, and would need files beside it.
      copy.pragma('journal_mode = DELETE');
      return new Snapshot(copy, file, sessions);
    } catch (error) {
      copy.close();
      throw error;
    }
  } catch (error) {
    await file.close();
    throw error;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Removes copies that a crash left while they were being made. */
export function removeLeftSnapshots(database: Database): void {
  if (database.memory) return;
  const prefix = `${basename(database.name)}${COPY_MARK}`;
  const folder = dirname(database.name);
  for (const name of readdirSync(folder)) if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
}

class Snapshot implements LedgerExport {
  readonly sessions: number;
  readonly tombstones: number;
  private readonly reader: LedgerReader;
  private readonly tombstoneStore: TombstoneStore;

  constructor(
    private readonly copy: Database,
    private readonly file: FileHandle,
    private readonly ids: readonly SessionId[],
  ) {
    this.reader = new LedgerReader(copy);
    this.tombstoneStore = new TombstoneStore(copy);
    this.sessions = ids.length;
    this.tombstones = this.tombstoneStore.count();
  }

  async *parts(): AsyncGenerator<LedgerPart> {
    for (const id of this.ids) {
      const part = this.sessionPart(id);
      if (part !== null) yield part;
      await setImmediate();
    }
    for (const tombstone of this.tombstoneStore.all()) yield { tombstone };
  }

  close(): void {
    this.copy.close();
    // The last descriptor: nothing is lost with it, so nobody waits for it.
    this.file.close().catch(() => undefined);
  }

  private sessionPart(id: SessionId): LedgerPart | null {
    try {
      const session = this.reader.session(id);
      return session === null ? null : { session };
    } catch (error) {
      if (error instanceof UnreadableRowError) return { unreadable: id };
      throw error;
    }
  }
}
