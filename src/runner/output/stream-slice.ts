import { isUtf8 } from 'node:buffer';
import { MODEL_TAIL_CHARACTERS } from '../../protocol/execution-limits.js';
import type { StreamCounts, StreamReport, StreamSlice } from '../../protocol/runner/jobs.js';
import { countNewlines, endsWithNewline, lastLinesStart, skipLines } from './lines.js';
import { characterEnd, characterStart } from './utf8-boundary.js';

/** What is held of a stream's end. */
export interface HeldEnd {
  readonly bytes: Buffer;
  /** The number of the line that the first byte belongs to. */
  readonly startLine: number;
  /** The byte before the first one; null at the beginning of the stream. */
  readonly byteBefore: number | null;
  /** Whether more may come: a last character that is not whole is kept back then. */
  readonly growing: boolean;
}

/** The bounds of a slice. */
export interface SliceBounds {
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** The last lines, cut at a line's start where that is possible, else between characters. */
export function tailSlice(held: HeldEnd, { maxLines, maxBytes }: SliceBounds): StreamSlice {
  const { bytes } = held;
  return sliceFrom(held, Math.max(lastLinesStart(bytes, maxLines), boundedStart(held, bytes.length - maxBytes)));
}

/** A stream's end as a result shows it (spec 03 §4). */
export function reportStream(held: HeldEnd, counts: StreamCounts): StreamReport {
  const slice = characterTail(held, MODEL_TAIL_CHARACTERS);
  return { ...counts, ...slice, truncated: slice.first_line > 1 || slice.starts_mid_line };
}

/** The end of a stream, at most `maxCharacters` code points of it. */
function characterTail(held: HeldEnd, maxCharacters: number): StreamSlice {
  const { bytes } = held;
  if (bytes.length === 0) return sliceFrom(held, 0);
  // No character has more than four bytes.
  const start = boundedStart(held, bytes.length - 4 * maxCharacters);
  const characters = [...visible(held, start).toString('utf8')];
  if (characters.length <= maxCharacters) return sliceFrom(held, start);
  const excess = characters.slice(0, characters.length - maxCharacters).join('');
  // Bytes that are no UTF-8 are longer as text than they are; cut by what they are shown as.
  return sliceFrom(held, boundedStart(held, start + byteLengthShown(bytes.subarray(start), excess.length)));
}

/**
 * Everything from a line on, or null when the line's start is no longer held or there is
 * more than the bounds allow, so that a delta never has a gap.
 */
export function sliceSince(held: HeldEnd, line: number, bounds: SliceBounds): StreamSlice | null {
  const { bytes, startLine, byteBefore } = held;
  const startsAtLine = byteBefore === null || byteBefore === 0x0a;
  const missing = line - startLine;
  if (missing < 0 || (missing === 0 && !startsAtLine)) return null;
  const offset = skipLines(bytes, missing);
  if (offset === -1) return null;
  const slice = sliceFrom(held, offset);
  const tooMuch = bytes.length - offset > bounds.maxBytes || slice.last_line - slice.first_line + 1 > bounds.maxLines;
  return tooMuch ? null : slice;
}

/** The slice from an offset to the end of what is held. */
function sliceFrom(held: HeldEnd, offset: number): StreamSlice {
  const { bytes, startLine } = held;
  const shown = visible(held, offset);
  const firstLine = startLine + countNewlines(bytes.subarray(0, offset));
  const before = offset === 0 ? held.byteBefore : (bytes[offset - 1] ?? null);
  return {
    text: shown.toString('utf8'),
    first_line: firstLine,
    last_line: firstLine + countNewlines(shown) - (endsWithNewline(shown) || shown.length === 0 ? 1 : 0),
    starts_mid_line: before !== null && before !== 0x0a,
    lossy: !isUtf8(shown),
  };
}

/** The bytes from `offset` on, without a last character that is still on its way. */
function visible({ bytes, growing }: HeldEnd, offset: number): Buffer {
  const end = growing ? characterEnd(bytes, bytes.length) : bytes.length;
  return bytes.subarray(offset, Math.max(offset, end));
}

/** A cut at or after `offset`: a line's start when one is near, else a character's. */
function boundedStart({ bytes, byteBefore }: HeldEnd, offset: number): number {
  if (offset <= 0) return byteBefore === null ? 0 : characterStart(bytes, 0);
  if (bytes[offset - 1] === 0x0a) return offset;
  const newline = bytes.indexOf(0x0a, offset);
  const remaining = bytes.length - offset;
  const isNear = newline !== -1 && newline - offset < remaining / 4;
  return isNear ? newline + 1 : characterStart(bytes, offset);
}

/** How many bytes are shown as the first `length` UTF-16 units of the decoded text. */
function byteLengthShown(bytes: Buffer, length: number): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bytes.toString('utf8', 0, middle).length < length) low = middle + 1;
    else high = middle;
  }
  return low;
}
