import type { StreamCounts, StreamReport } from '../../protocol/runner/jobs.js';
import { countNewlines, endsWithNewline } from './lines.js';
import { reportStream } from './stream-slice.js';

/** The counts of a stream that is known from its first byte to its last. */
export function wholeCounts(bytes: Buffer): StreamCounts {
  const unterminated = bytes.length > 0 && !endsWithNewline(bytes);
  return { bytes: bytes.length, lines: countNewlines(bytes) + (unterminated ? 1 : 0), dropped_bytes: 0 };
}

const SILENT = reportStream(
  { bytes: Buffer.alloc(0), startLine: 1, byteBefore: null, growing: false },
  { bytes: 0, lines: 0, dropped_bytes: 0 },
);

/** What a result shows of such a stream. */
export function reportWhole(bytes: Buffer): StreamReport {
  if (bytes.length === 0) return SILENT;
  return reportStream({ bytes, startLine: 1, byteBefore: null, growing: false }, wholeCounts(bytes));
}
