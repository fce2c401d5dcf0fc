import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';

const POLL_MS = 250;
const CHUNK_BYTES = 64 * 1024;

/** The last `count` lines of a file and the offset behind them; an absent file has none. */
export async function lastLines(path: string, count: number): Promise<{ readonly lines: readonly string[]; readonly offset: number }> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { lines: [], offset: 0 };
    throw error;
  }
  try {
    const { size } = await file.stat();
    let tail = Buffer.alloc(0);
    let start = size;
    // Backwards, until there are enough line ends: a log may be large.
    while (start > 0 && countLineEnds(tail) <= count) {
      const length = Math.min(CHUNK_BYTES, start);
      start -= length;
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
      tail = Buffer.concat([buffer, tail]);
    }
    const lines = tail.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return { lines: count === 0 ? [] : lines.slice(-count), offset: size };
  } finally {
    await file.close();
  }
}

/** Lines that are added behind `offset`, until `signal` aborts; a file that was rotated is begun anew. */
export async function* addedLines(path: string, offset: number, signal: AbortSignal): AsyncGenerator<string> {
  let at = offset;
  let rest = '';
  let decoder = new StringDecoder('utf8');
  while (!signal.aborted) {
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    if (size < at) {
      at = 0;
      rest = '';
      decoder = new StringDecoder('utf8');
    }
    if (size > at) {
      const file = await open(path, 'r');
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(CHUNK_BYTES, size - at)), 0, undefined, at);
        at += bytesRead;
        const parts = (rest + decoder.write(buffer.subarray(0, bytesRead))).split('\n');
        rest = parts.pop() ?? '';
        yield* parts;
      } finally {
        await file.close();
      }
      if (at < size) continue;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
