import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes by the SHA-256 of them. */
export type Contents = ReadonlyMap<string, Buffer>;

/** Collects bytes, each once, up to a bound in bytes. */
export class ContentCollector {
  readonly contents = new Map<string, Buffer>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** The digest of what was added; null when it does not fit any more. */
  add(content: Buffer): string | null {
    const sha256 = digestOf(content);
    if (this.contents.has(sha256)) return sha256;
    if (this.bytes + content.length > this.maxBytes) return null;
    this.bytes += content.length;
    this.contents.set(sha256, content);
    return sha256;
  }
}

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Thrown where kept bytes are gone or are no longer what their name says. */
export class DamagedContent extends Error {}

/**
 * Reads kept bytes.
 *
 * @throws DamagedContent
 */
export async function readContent(folder: string, sha256: string): Promise<Buffer> {
  const content = await readFile(join(folder, sha256)).catch(() => null);
  if (content === null || digestOf(content) !== sha256) throw new DamagedContent(sha256);
  return content;
}
