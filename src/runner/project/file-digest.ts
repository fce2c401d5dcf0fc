import { createHash } from 'node:crypto';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { openRegularFile, resolveInside, type VerifiedRoot } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';

/** The SHA-256 of a file's bytes, lower hex, and how many there were. */
export interface FileDigest {
  readonly sha256: string;
  readonly bytes: number;
}

/** Hashes a regular file of a project in small pieces; one beyond `maxBytes` is `range_too_large`. */
export async function fileDigest(
  root: VerifiedRoot,
  relative: string,
  maxBytes: number,
): Promise<FileDigest | Refusal> {
  const place = await resolveInside(root, relative);
  if (isRefusal(place)) return place;
  const opened = await openRegularFile(place);
  if (isRefusal(opened)) return opened;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of opened.handle.createReadStream({ autoClose: false })) {
      bytes += (piece as Buffer).length;
      if (bytes > maxBytes) {
        return refuse('range_too_large', `the file is larger than ${maxBytes} bytes`, { path: relative });
      }
      hash.update(piece as Buffer);
    }
    return { sha256: hash.digest('hex'), bytes };
  } catch {
    return refuse('io_error', 'the file could not be read to its end', { path: relative });
  } finally {
    await opened.handle.close();
  }
}
