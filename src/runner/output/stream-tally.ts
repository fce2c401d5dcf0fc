import type { StreamCounts } from '../../protocol/runner/jobs.js';

const BYTES = 0;
const LINES = 1;
const DROPPED = 2;
const FIELDS = 3;

/**
 * The counts of both streams of an execution in memory that two threads share: the
 * output thread writes them, and whoever asks for a Job reads them without waiting for
 * a thread that is busy with a flood.
 */
export type SharedTallies = SharedArrayBuffer;

export function createTallies(): SharedTallies {
  return new SharedArrayBuffer(2 * FIELDS * Float64Array.BYTES_PER_ELEMENT);
}

/** The counts of one stream, in shared memory or of its own. */
export class StreamTally {
  private constructor(private readonly fields: Float64Array) {}

  static ofStream(tallies: SharedTallies, stream: 'stdout' | 'stderr'): StreamTally {
    const offset = stream === 'stdout' ? 0 : FIELDS * Float64Array.BYTES_PER_ELEMENT;
    return new StreamTally(new Float64Array(tallies, offset, FIELDS));
  }

  write({ bytes, lines, dropped_bytes: dropped }: StreamCounts): void {
    this.fields[BYTES] = bytes;
    this.fields[LINES] = lines;
    this.fields[DROPPED] = dropped;
  }

  read(): StreamCounts {
    return {
      bytes: this.fields[BYTES] ?? 0,
      lines: this.fields[LINES] ?? 0,
      dropped_bytes: this.fields[DROPPED] ?? 0,
    };
  }
}
