import { closeSync, openSync, readdirSync, readFileSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { countNewlines } from '../lines.js';

/** How many files a full spool is cut into: half of them hold the beginning, half the end. */
const SEGMENTS = 16;

/** A run of bytes of a stream that can still be read. */
export interface Extent {
  /** The absolute offset of the first byte. */
  readonly startByte: number;
  /** The number of the line that the first byte belongs to; 1 is the first. */
  readonly startLine: number;
  readonly length: number;
  readonly newlines: number;
  /** Bytes from `offset` within the extent, at most `length` of them. */
  read(offset: number, length: number): Buffer;
}

/** The file system as a spool needs it; a test hands in one that is full. */
export interface SpoolFiles {
  readonly open: typeof openSync;
  readonly write: typeof writeSync;
}

interface Segment {
  readonly path: string;
  readonly startByte: number;
  readonly startLine: number;
  length: number;
  newlines: number;
}

/**
 * One whole stream on disk, in private files of bounded size (spec 00, decision 27).
 * When the bound is reached the middle goes: the beginning stays, the end moves on.
 *
 * A file's name says where it starts, so that another process can read what a dead one
 * left. Writing is synchronous, because it happens in a thread of its own; a disk that
 * is full ends the spool with a reason and nothing else.
 */
export class StreamSpool {
  private readonly segments: Segment[] = [];
  private readonly segmentBytes: number;
  private current: number | null = null;
  private nextByte = 0;
  private nextLine = 1;
  private removedBytes = 0;
  private failedWith: string | null = null;

  constructor(
    private readonly folder: string,
    private readonly name: string,
    maxBytes: number,
    private readonly files: SpoolFiles = { open: openSync, write: writeSync },
  ) {
    this.segmentBytes = Math.max(1, Math.floor(maxBytes / SEGMENTS));
  }

  /** The spool that another process left behind, as far as its files tell; it takes nothing more. */
  static adopt(folder: string, name: string): StreamSpool {
    const spool = new StreamSpool(folder, name, 0);
    const found = readdirSync(folder).flatMap((file) => parseSegmentName(name, file) ?? []);
    for (const { startByte, startLine } of found.sort((a, b) => a.startByte - b.startByte)) {
      const path = join(folder, segmentName(name, startByte, startLine));
      const bytes = readFileSync(path);
      const newlines = countNewlines(bytes);
      spool.removedBytes += startByte - spool.nextByte;
      spool.segments.push({ path, startByte, startLine, length: bytes.length, newlines });
      spool.nextByte = startByte + bytes.length;
      spool.nextLine = startLine + newlines;
    }
    return spool;
  }

  /** The error code that ended the spool, e.g. `ENOSPC`; null while it takes everything. */
  get failure(): string | null {
    return this.failedWith;
  }

  /** The absolute offset behind the last byte that was written. */
  get endByte(): number {
    return this.nextByte;
  }

  /** What was taken out of the middle again. */
  get droppedBytes(): number {
    return this.removedBytes;
  }

  append(bytes: Uint8Array): void {
    let at = 0;
    try {
      while (at < bytes.length && this.failedWith === null) {
        const segment = this.segmentWithRoom();
        const part = bytes.subarray(at, at + this.segmentBytes - segment.length);
        const written = this.files.write(this.openCurrent(segment), part);
        this.count(segment, part.subarray(0, written));
        at += written;
      }
    } catch (error) {
      this.failedWith = (error as NodeJS.ErrnoException).code ?? 'EIO';
      this.close();
    }
  }

  extents(): Extent[] {
    return this.segments.map(({ path, startByte, startLine, length, newlines }) => ({
      startByte,
      startLine,
      length,
      newlines,
      read: (offset, count) => readAt(path, offset, Math.min(count, length - offset)),
    }));
  }

  /** Nothing will be written any more. */
  close(): void {
    if (this.current !== null) closeSync(this.current);
    this.current = null;
  }

  remove(): void {
    this.close();
    for (const { path } of this.segments.splice(0)) removeFile(path);
  }

  private segmentWithRoom(): Segment {
    const last = this.segments.at(-1);
    if (last !== undefined && last.length < this.segmentBytes) return last;
    this.close();
    // The oldest file of the second half makes room for the newest.
    if (this.segments.length === SEGMENTS) {
      const [dropped] = this.segments.splice(SEGMENTS / 2, 1);
      if (dropped !== undefined) {
        this.removedBytes += dropped.length;
        removeFile(dropped.path);
      }
    }
    const segment: Segment = {
      path: join(this.folder, segmentName(this.name, this.nextByte, this.nextLine)),
      startByte: this.nextByte,
      startLine: this.nextLine,
      length: 0,
      newlines: 0,
    };
    this.segments.push(segment);
    return segment;
  }

  private openCurrent(segment: Segment): number {
    this.current ??= this.files.open(segment.path, 'ax', 0o600);
    return this.current;
  }

  private count(segment: Segment, written: Uint8Array): void {
    const newlines = countNewlines(written);
    segment.length += written.length;
    segment.newlines += newlines;
    this.nextByte += written.length;
    this.nextLine += newlines;
  }
}

/** The name of a spool's file: whose it is, and where in the stream it starts. */
function segmentName(name: string, startByte: number, startLine: number): string {
  return `${name}.${startByte}-${startLine}`;
}

function parseSegmentName(name: string, file: string): { readonly startByte: number; readonly startLine: number } | null {
  const position = file.startsWith(`${name}.`) ? /^([0-9]+)-([0-9]+)$/.exec(file.slice(name.length + 1)) : null;
  return position === null ? null : { startByte: Number(position[1]), startLine: Number(position[2]) };
}

function readAt(path: string, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(file);
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
