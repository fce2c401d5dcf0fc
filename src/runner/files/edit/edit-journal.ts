import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { batchRecordSchema, stagedMarksSchema, type BatchRecord, type StagedMarks } from './batch-record.js';

/** How far a batch got, as its journal says. */
export interface JournalledBatch {
  readonly record: BatchRecord;
  /** Null when not all new content was staged: nothing was replaced then. */
  readonly staged: StagedMarks | null;
  readonly isCommitted: boolean;
}

/**
 * The private journal of edit batches that are being written: one file a batch, removed
 * when the batch is whole or taken back. What a file is left of after its Runner died,
 * the next Runner settles (`settleEdits`).
 */
export class EditJournal {
  private readonly open = new Set<Promise<void>>();

  constructor(private readonly folder: string) {}

  /**
   * Writes down what a batch is about to do.
   *
   * @throws the file system's error; nothing may be done then
   */
  async begin(record: BatchRecord): Promise<OpenBatch> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, randomBytes(12).toString('hex'));
    const handle = await open(path, 'ax', 0o600);
    const batch = new OpenBatch(path, handle);
    try {
      await batch.note({ begin: record }, false);
    } catch (error) {
      await batch.close();
      throw error;
    }
    this.open.add(batch.closed);
    void batch.closed.then(() => this.open.delete(batch.closed));
    return batch;
  }

  /** Settles when no batch is being written any more. */
  async idle(): Promise<void> {
    await Promise.all(this.open);
  }
}

/** The journal of one batch. */
export class OpenBatch {
  /** Settles when the batch is over. */
  readonly closed: Promise<void>;
  private markClosed = (): void => undefined;

  constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
  ) {
    this.closed = new Promise((resolve) => {
      this.markClosed = resolve;
    });
  }

  /** All new content is on the disk, under names of our own. */
  staged(marks: StagedMarks): Promise<void> {
    return this.note({ staged: marks }, true);
  }

  /** Everything stands in its place: from here on the batch is only tidied up after. */
  committed(): Promise<void> {
    return this.note({ committed: true }, true);
  }

  /** The batch is whole, or nothing is left of it. */
  async close(): Promise<void> {
    await this.handle.close();
    await unlink(this.path);
    this.markClosed();
  }

  /** Appends one line; a line that was cut counts for nothing. */
  async note(line: Readonly<Record<string, unknown>>, durably: boolean): Promise<void> {
    await this.handle.appendFile(`${JSON.stringify(line)}\n`);
    if (durably) await this.handle.sync();
  }
}

/** The batches that a journal folder tells of; a folder that is not there tells of none. */
export async function readJournal(folder: string): Promise<JournalledBatch[]> {
  const batches: JournalledBatch[] = [];
  for (const name of await namesIn(folder)) {
    const batch = parseBatch(await readFile(join(folder, name), 'utf8'));
    if (batch !== null) batches.push(batch);
  }
  return batches;
}

/** Removes a journal folder whose batches are settled. */
export function removeJournal(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Null for a journal whose first line was cut: its batch had done nothing yet. */
function parseBatch(text: string): JournalledBatch | null {
  // What follows the last newline was cut, or is empty.
  const [begin, staged, committed] = text.split('\n').slice(0, -1);
  if (begin === undefined) return null;
  return {
    record: batchRecordSchema.parse((JSON.parse(begin) as { begin: unknown }).begin),
    staged: staged === undefined ? null : stagedMarksSchema.parse((JSON.parse(staged) as { staged: unknown }).staged),
    isCommitted: committed !== undefined,
  };
}
