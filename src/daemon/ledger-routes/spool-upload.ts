import { createHash } from 'node:crypto';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { CHAIN_SEPARATOR } from '../../protocol/ledger.js';

const PREFIX = 'ledger.import-';

/** An upload, whole, in a private file. */
export interface SpooledUpload {
  readonly path: string;
  /** How many of its bytes, from the first on, are the document. */
  readonly size: number;
  /** SHA-256 of the document, 64 lower hex. */
  readonly digest: string;
  /** What followed the document after the separator, or null. */
  readonly chain: Buffer | null;
}

/** The largest chain that is held; more is no chain of ours, and its first bytes show that as well. */
const MAX_CHAIN_BYTES = 64 * 1024 * 1024 + 1;

/**
 * Writes an upload into a file of the state folder, 0600, as it comes. Its digest has to be
 * known before the first row is restored, and a document that is rejected is kept.
 *
 * @throws the system's error, or the upload's; the file is gone then
 */
export async function spoolUpload(bytes: AsyncIterable<Uint8Array>, folder: string, name: string): Promise<SpooledUpload> {
  const path = join(folder, `${PREFIX}${name}.json`);
  const file = await open(path, 'wx', 0o600);
  try {
    return { path, ...(await spool(bytes, file)) };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function spool(bytes: AsyncIterable<Uint8Array>, file: FileHandle): Promise<Omit<SpooledUpload, 'path'>> {
  const hash = createHash('sha256');
  let size = 0;
  let chain: Buffer[] | null = null;
  let chainBytes = 0;
  for await (const chunk of bytes) {
    await file.writev([chunk]);
    const end: number = chain === null ? chunk.indexOf(CHAIN_SEPARATOR) : 0;
    if (chain === null) {
      const document = end === -1 ? chunk : chunk.subarray(0, end);
      hash.update(document);
      size += document.length;
    }
    if (end === -1) continue;
    const rest = chain === null ? chunk.subarray(end + 1) : chunk;
    chain ??= [];
    chainBytes += rest.length;
    if (chainBytes <= MAX_CHAIN_BYTES) chain.push(Buffer.from(rest));
  }
  return { size, digest: hash.digest('hex'), chain: chain === null ? null : Buffer.concat(chain) };
}

/** Removes what an import left behind that its daemon did not survive. */
export async function removeLeftUploads(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(PREFIX)) await rm(join(folder, name), { force: true });
  }
}
