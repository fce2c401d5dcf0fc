import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { fileErrorRefusal, openRegularFile, shown, type InsideRoot } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';

const CHUNK_BYTES = 256 * 1024;

/** One file's content and status at one moment. */
export interface FileSnapshot {
  /** Empty when only the digest was asked for. */
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly status: BigIntStats;
}

/**
 * Takes a snapshot of a regular file.
 *
 * @param keepBytes the most bytes to keep in memory (a larger file is `file_too_large`),
 *   or null for the digest alone
 */
export async function snapshotFile(
  place: InsideRoot,
  keepBytes: number | null,
  signal: AbortSignal,
): Promise<FileSnapshot | Refusal> {
  const opened = await openRegularFile(place);
  if (isRefusal(opened)) return opened;
  const { handle, status } = opened;
  try {
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    for (let size = 0; ; ) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      size += bytesRead;
      if (keepBytes === null) continue;
      if (size > keepBytes) return tooLarge(place, keepBytes);
      kept.push(chunk);
    }
    return { bytes: Buffer.concat(kept), sha256: hash.digest('hex'), status };
  } catch (error) {
    return fileErrorRefusal(error, place.relative);
  } finally {
    await handle.close();
  }
}

function tooLarge(place: InsideRoot, bytes: number): Refusal {
  return refuse('file_too_large', `${shown(place.relative)} is larger than ${bytes} bytes; change it with a program.`, {
    path: place.relative,
  });
}
