import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './usage-error.js';

/** A file or standard input, ready to be sent. */
export interface Upload {
  /** To be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a file to send it, or takes all of standard input for `-`: that may come slowly,
 * and a request has to arrive within a minute.
 *
 * @throws UsageError when it can not be read
 */
export async function openUpload(given: string): Promise<Upload> {
  if (given === '-') return takeInput();
  try {
    const file = await open(given, 'r');
    if ((await file.stat()).isDirectory()) {
      await file.close();
      throw new UsageError(`${given} is a folder.`);
    }
    return { bytes: file.createReadStream() as AsyncIterable<Uint8Array>, close: () => file.close() };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${given} can not be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`);
  }
}

async function takeInput(): Promise<Upload> {
  const folder = await mkdtemp(join(tmpdir(), 'wc-import-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'document');
    await pipeline(process.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return { bytes: createReadStream(path) as AsyncIterable<Uint8Array>, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Uploads after one another, with a byte between them. */
export function joined(first: Upload, separator: number, second: Upload | null): Readable {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield* first.bytes;
    if (second === null) return;
    yield Uint8Array.of(separator);
    yield* second.bytes;
  }
  return Readable.from(pieces(), { objectMode: false });
}
