import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { MAX_RANGE_BYTES, type ReadItem } from '../../protocol/runner/files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import {
  fileErrorRefusal,
  openRegularFile,
  pathProtection,
  resolveInside,
  secretByName,
  shown,
  type InsideRoot,
  type VerifiedRoot,
} from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';
import { RangeCollector, type CollectedRange, type WantedRange } from './range-collector.js';
import { readRevision } from './read-revision.js';
import { Utf8Check } from './utf8-check.js';

const CHUNK_BYTES = 256 * 1024;

export interface ItemRequest {
  readonly path: string;
  readonly start_line: number;
  readonly limit: number;
  readonly expected_read_revision?: number | undefined;
}

/** What of a read is the same for all its items. */
export interface ReadContext {
  readonly root: VerifiedRoot;
  readonly project: string;
  readonly maxTextBytes: number;
  /** Looked at between two chunks. */
  readonly signal: AbortSignal;
}

function secretRefusal(path: string): Refusal {
  return refuse('sensitive_path', `${shown(path)} is protected by its name and is never read.`, { reason_code: 'secret_path' });
}

/** Reads one range against one whole snapshot of the file (spec 04 §7.5). */
export async function readItem(item: ItemRequest, context: ReadContext): Promise<Omit<ReadItem, 'index'> | Refusal> {
  if (secretByName(item.path)) return secretRefusal(item.path);
  const place = await resolveInside(context.root, item.path);
  if (isRefusal(place)) return place;
  if (isSecret(place)) return secretRefusal(place.relative);
  const opened = await openRegularFile(place);
  if (isRefusal(opened)) return opened;
  try {
    const snapshot = await readSnapshot(opened.handle, wantedRange(item, context), context.signal);
    if (snapshot === 'not_utf8') {
      return refuse('not_utf8', `${shown(place.relative)} is no UTF-8 text; look at it with a program instead.`);
    }
    const revision = readRevision(context.project, place.realRelative, snapshot.sha256);
    return (
      staleRefusal(item, revision, place) ??
      tooLongRefusal(item, snapshot, place) ?? {
        success: true,
        path: place.relative,
        text: snapshot.text,
        start_line: item.start_line,
        line_count: snapshot.lineCount,
        total_lines: snapshot.totalLines,
        size_bytes: snapshot.sizeBytes,
        sha256: snapshot.sha256,
        read_revision: revision,
      }
    );
  } catch (error) {
    return fileErrorRefusal(error, place.relative);
  } finally {
    await opened.handle.close();
  }
}

function isSecret(place: InsideRoot): boolean {
  return pathProtection(place.relative) === 'secret' || pathProtection(place.realRelative) === 'secret';
}

function wantedRange(item: ItemRequest, context: ReadContext): WantedRange {
  return {
    startLine: item.start_line,
    limit: item.limit,
    maxBytes: Math.min(context.maxTextBytes, MAX_RANGE_BYTES),
    maxLineBytes: MAX_RANGE_BYTES,
  };
}

interface Snapshot extends CollectedRange {
  readonly sha256: string;
  readonly sizeBytes: number;
}

async function readSnapshot(handle: FileHandle, range: WantedRange, signal: AbortSignal): Promise<Snapshot | 'not_utf8'> {
  const hash = createHash('sha256');
  const utf8 = new Utf8Check();
  const collector = new RangeCollector(range);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let sizeBytes = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (!utf8.add(chunk)) return 'not_utf8';
    hash.update(chunk);
    collector.add(chunk);
    sizeBytes += bytesRead;
  }
  return utf8.end() ? { ...collector.end(), sha256: hash.digest('hex'), sizeBytes } : 'not_utf8';
}

function staleRefusal(item: ItemRequest, revision: number, place: InsideRoot): Refusal | null {
  if (item.expected_read_revision === undefined || item.expected_read_revision === revision) return null;
  return refuse(
    'stale_read_revision',
    `${shown(place.relative)} is no longer, or never was, what that read_revision names; read it again without one.`,
  );
}

function tooLongRefusal(item: ItemRequest, snapshot: Snapshot, place: InsideRoot): Refusal | null {
  if (!snapshot.isLineTooLong) return null;
  return refuse(
    'range_too_large',
    `Line ${item.start_line} of ${shown(place.relative)} alone is longer than ${MAX_RANGE_BYTES} bytes; search it, or cut it with a program.`,
  );
}
