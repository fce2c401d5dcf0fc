import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { splitRecords, type RecordBounds } from '../split-records.js';

/** What ripgrep tells of one file is short; a longer line is nothing that we know. */
const LINES: RecordBounds = { delimiter: 10, maxBytes: 16 * 1024 };

/**
 * A nameless private file that ripgrep's standard error goes to. It writes a line of
 * debug output in dozens of small pieces: into a pipe each of them would wake us.
 */
export class ToldFile {
  /** The file as a child's standard error: the child writes to it itself. */
  readonly stream: Writable;

  private constructor(private readonly handle: FileHandle) {
    this.stream = handle.createWriteStream({ autoClose: false });
  }

  static async open(): Promise<ToldFile> {
    const path = join(tmpdir(), `wc-search-${randomBytes(12).toString('hex')}`);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    await unlink(path);
    return new ToldFile(handle);
  }

  /** How much was told so far, in bytes. */
  async size(): Promise<number> {
    return (await this.handle.stat()).size;
  }

  async *lines(): AsyncGenerator<string> {
    const chunks = this.handle.createReadStream({ start: 0, autoClose: false });
    for await (const { text } of splitRecords(chunks as AsyncIterable<Uint8Array>, LINES)) yield text;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
