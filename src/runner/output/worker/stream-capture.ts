import { CAPTURE_BYTES } from '../../../protocol/execution-limits.js';
import type { StreamCounts, StreamReport, StreamSlice } from '../../../protocol/runner/jobs.js';
import { countNewlines } from '../lines.js';
import { reportStream, sliceSince, tailSlice, type HeldEnd, type SliceBounds } from '../stream-slice.js';
import type { StreamTally } from '../stream-tally.js';
import { TailRing } from '../tail-ring.js';
import { droppedBetween, readLines, type DroppedLines, type LineRange, type LinesRead } from './read-lines.js';
import { StreamSpool, type Extent } from './spool.js';

/** What is left of an ended stream in memory once its spool holds everything. */
const ENDED_CAPTURE_BYTES = 64 * 1_024;

/**
 * One output stream of one execution: its end in memory, all of it in the spool as
 * soon as it outgrows memory or must outlive this process, and its counts.
 */
export class StreamCapture {
  private ring = new TailRing(CAPTURE_BYTES);
  private spool: StreamSpool | null = null;
  private bytes = 0;
  private newlines = 0;
  private lastByte = 0x0a;
  private growing = true;

  /** @param tally where the counts are told */
  constructor(
    private readonly createSpool: () => StreamSpool,
    private readonly tally: StreamTally,
  ) {}

  get totalBytes(): number {
    return this.bytes;
  }

  /** Newlines so far: the lines that nothing can be added to any more. */
  get completeLines(): number {
    return this.newlines;
  }

  append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.bytes + chunk.length > CAPTURE_BYTES) this.startSpool();
    this.spool?.append(chunk);
    this.ring.append(chunk);
    this.bytes += chunk.length;
    this.newlines += countNewlines(chunk);
    this.lastByte = chunk[chunk.length - 1] ?? 0x0a;
    this.tally.write(this.counts());
  }

  /** Writes what there is, and everything that comes, to the spool as well. */
  startSpool(): void {
    if (this.spool !== null) return;
    this.spool = this.createSpool();
    this.spool.append(this.ring.content());
  }

  /** Nothing comes any more. */
  end(): void {
    this.growing = false;
    if (this.spool === null) return;
    this.spool.close();
    if (this.spool.endByte < this.bytes || this.ring.length <= ENDED_CAPTURE_BYTES) return;
    const kept = new TailRing(ENDED_CAPTURE_BYTES);
    kept.append(this.ring.content());
    this.ring = kept;
  }

  counts(): StreamCounts {
    return {
      bytes: this.bytes,
      lines: this.newlines + (this.lastByte === 0x0a ? 0 : 1),
      dropped_bytes: this.spool === null ? 0 : this.spool.droppedBytes + this.unspooledBytes(this.spool),
    };
  }

  /** The end of the stream as a result shows it. */
  report(): StreamReport {
    return reportStream(this.held(), this.counts());
  }

  tail(bounds: SliceBounds): StreamSlice {
    return tailSlice(this.held(), bounds);
  }

  /** Everything since a line, or null when that cannot be shown without a gap. */
  since(line: number, bounds: SliceBounds): StreamSlice | null {
    return sliceSince(this.held(), line, bounds);
  }

  read(range: LineRange): LinesRead {
    return readLines(this.extents(), this.bytes, range);
  }

  dropped(): DroppedLines | null {
    return droppedBetween(this.extents());
  }

  /** What ended the spool before the stream's end, e.g. `ENOSPC`. */
  get spoolFailure(): string | null {
    return this.spool?.failure ?? null;
  }

  /** The whole stream's bytes that are held in memory, oldest first. */
  heldBytes(): Buffer {
    return this.ring.content();
  }

  /** Everything that can still be read, in pieces. */
  *everything(pieceBytes: number): Generator<Buffer> {
    for (const extent of this.extents()) {
      for (let offset = 0; offset < extent.length; offset += pieceBytes) yield extent.read(offset, pieceBytes);
    }
  }

  /** Takes over the files of a spool whose writer is dead; the end of the stream is unknown. */
  adopt(folder: string, name: string): void {
    this.spool = StreamSpool.adopt(folder, name);
    const extents = this.spool.extents();
    for (const { startByte, startLine, length, newlines } of extents) {
      this.bytes = startByte + length;
      this.newlines = startLine - 1 + newlines;
    }
    const last = extents.at(-1);
    const end = last?.read(Math.max(0, last.length - CAPTURE_BYTES), CAPTURE_BYTES) ?? Buffer.alloc(0);
    this.ring.append(end);
    this.lastByte = end.at(-1) ?? 0x0a;
    this.end();
    this.tally.write(this.counts());
  }

  /** Removes everything; the capture is not used any more. */
  remove(): void {
    this.spool?.remove();
  }

  /** What came after the spool had failed, and is not in memory any more either. */
  private unspooledBytes(spool: StreamSpool): number {
    return Math.max(0, this.bytes - this.ring.length - spool.endByte);
  }

  private held(): HeldEnd {
    const bytes = this.ring.content();
    return {
      bytes,
      startLine: this.newlines - countNewlines(bytes) + 1,
      byteBefore: this.ring.byteBefore,
      growing: this.growing,
    };
  }

  /** What can be read: the spool's files, and from memory what they do not hold. */
  private extents(): Extent[] {
    const spooled = this.spool?.extents() ?? [];
    const from = Math.max(this.spool?.endByte ?? 0, this.bytes - this.ring.length);
    if (from === this.bytes) return spooled;
    const content = this.ring.content().subarray(from - (this.bytes - this.ring.length));
    const newlines = countNewlines(content);
    return [
      ...spooled,
      {
        startByte: from,
        startLine: this.newlines - newlines + 1,
        length: content.length,
        newlines,
        read: (offset, length) => content.subarray(offset, offset + length),
      },
    ];
  }
}
