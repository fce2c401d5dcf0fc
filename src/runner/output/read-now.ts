import { readSync } from 'node:fs';
import { CAPTURE_BYTES } from '../../protocol/execution-limits.js';

const scratch = Buffer.allocUnsafeSlow(64 * 1_024);

/** What stood in a FIFO. */
export interface ReadNow {
  readonly bytes: Buffer;
  /** Whether every writer has closed it, so that nothing can follow. */
  readonly ended: boolean;
}

/** Takes out of a FIFO what stands in it, without waiting for more. */
export function readNow(readEnd: number): ReadNow {
  const parts: Buffer[] = [];
  let size = 0;
  while (size < CAPTURE_BYTES) {
    const length = readSome(readEnd);
    if (length === 0 || length === null) return { bytes: Buffer.concat(parts), ended: length === 0 };
    parts.push(Buffer.from(scratch.subarray(0, length)));
    size += length;
  }
  return { bytes: Buffer.concat(parts), ended: false };
}

/** How much was read; null when there is nothing now. */
function readSome(readEnd: number): number | null {
  try {
    return readSync(readEnd, scratch);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
    throw error;
  }
}
