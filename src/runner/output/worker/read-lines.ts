import { isUtf8 } from 'node:buffer';
import { countNewlines, endsWithNewline, skipLines } from '../lines.js';
import { characterEnd, characterStart } from '../utf8-boundary.js';
import type { Extent } from './spool.js';

/** What is read at once while a line is looked for. */
const SCAN_BYTES = 256 * 1_024;

export interface LineRange {
  readonly startLine: number;
  /** Bytes of the first line that are passed over. */
  readonly skipBytes: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** A place in a stream, as far into a line as `skipBytes` says. */
export interface LinePlace {
  readonly startLine: number;
  readonly skipBytes: number;
}

export interface LinesRead {
  readonly text: string;
  /** The first and the last line that `text` holds anything of; last < first when it holds nothing. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Where a read goes on behind `text`. */
  readonly end: LinePlace;
  /** The same where something comes next; null at the end of the stream. */
  readonly next: LinePlace | null;
  /** The absolute offset behind the last byte of `text`. */
  readonly endByte: number;
  readonly lossy: boolean;
  /** The very bytes, where the text is lossy; else null. */
  readonly base64: string | null;
}

/** Lines that can no longer be read; the first and the last one may be left in part. */
export interface DroppedLines {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly bytes: number;
}

const STREAM_START = { startByte: 0, startLine: 1, length: 0, newlines: 0 };

/** A place in the stream; `skipped` is how far it lies into the readable part of its line. */
interface Position {
  readonly byte: number;
  readonly line: number;
  readonly skipped: number;
}

/**
 * Reads lines out of what is left of a stream. A range that begins in a dropped part
 * begins behind it instead; one that runs into a dropped part ends there, and `next`
 * leads on behind it.
 *
 * @param extents what can be read, in stream order, without overlaps
 * @param endByte the absolute end of the stream so far
 */
export function readLines(extents: readonly Extent[], endByte: number, range: LineRange): LinesRead {
  const from = locate(extents, range);
  if (from === null) return nothingAt(range, endByte);
  const bytes = contiguous(extents, from.byte, range.maxBytes);
  const shown = bytes.subarray(0, wholeCharacters(bytes, skipLines(bytes, range.limit), from.byte + bytes.length < endByte));
  const newlines = countNewlines(shown);
  const lossy = !isUtf8(shown);
  const end = {
    startLine: from.line + newlines,
    skipBytes: newlines === 0 ? from.skipped + shown.length : shown.length - (shown.lastIndexOf('\n') + 1),
  };
  return {
    text: shown.toString('utf8'),
    firstLine: from.line,
    lastLine: from.line + newlines - (endsWithNewline(shown) || shown.length === 0 ? 1 : 0),
    end,
    next: from.byte + shown.length >= endByte ? null : end,
    endByte: from.byte + shown.length,
    lossy,
    base64: lossy ? shown.toString('base64') : null,
  };
}

function nothingAt({ startLine, skipBytes }: LineRange, endByte: number): LinesRead {
  return { text: '', firstLine: startLine, lastLine: startLine - 1, end: { startLine, skipBytes }, next: null, endByte, lossy: false, base64: null };
}

/** The parts between the extents, as one: lines and bytes that can no longer be read. */
export function droppedBetween(extents: readonly Extent[]): DroppedLines | null {
  const gaps = extents.flatMap((extent, index): DroppedLines[] => {
    const before = extents[index - 1] ?? STREAM_START;
    const bytes = extent.startByte - (before.startByte + before.length);
    return bytes === 0 ? [] : [{ firstLine: before.startLine + before.newlines, lastLine: extent.startLine, bytes }];
  });
  const [first] = gaps;
  const last = gaps.at(-1);
  if (first === undefined || last === undefined) return null;
  return { firstLine: first.firstLine, lastLine: last.lastLine, bytes: gaps.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** How much of the bytes is shown: up to the limit of lines, else without a character that was cut. */
function wholeCharacters(bytes: Buffer, limitEnd: number, more: boolean): number {
  if (limitEnd !== -1) return limitEnd;
  if (!more) return bytes.length;
  // Bytes that never become a character are shown all the same, so that every read moves on.
  return characterEnd(bytes, bytes.length) || bytes.length;
}

/** The place that a range begins at; null when the stream ends before it. */
function locate(extents: readonly Extent[], { startLine, skipBytes }: LineRange): Position | null {
  const start = startOfLine(extents, startLine);
  if (start === null) return null;
  const wanted = start.line === startLine ? start.byte + skipBytes : start.byte;
  const inside = extents.find((extent) => wanted < extent.startByte + extent.length);
  if (inside === undefined) return null;
  if (wanted >= inside.startByte) return { byte: wanted, line: start.line, skipped: wanted - start.byte };
  // The rest of the line was dropped.
  const byte = firstReadable(inside);
  return { byte, line: inside.startLine, skipped: inside.startLine === start.line ? byte - start.byte : 0 };
}

/** Where a line starts, or where the first readable byte behind its dropped start lies. */
function startOfLine(extents: readonly Extent[], line: number): { readonly byte: number; readonly line: number } | null {
  for (const extent of extents) {
    if (line <= extent.startLine) return { byte: firstReadable(extent), line: extent.startLine };
    if (line <= extent.startLine + extent.newlines) return { byte: scanForLine(extent, line), line };
  }
  return null;
}

function firstReadable(extent: Extent): number {
  return extent.startByte === 0 ? 0 : extent.startByte + characterStart(extent.read(0, 4), 0);
}

/** The absolute offset where a line that starts in the extent does so. */
function scanForLine(extent: Extent, line: number): number {
  let missing = line - extent.startLine;
  let offset = 0;
  for (;;) {
    const bytes = extent.read(offset, SCAN_BYTES);
    const here = countNewlines(bytes);
    if (here >= missing || bytes.length === 0) return extent.startByte + offset + Math.max(0, skipLines(bytes, missing));
    missing -= here;
    offset += bytes.length;
  }
}

/** Bytes from an absolute offset on, up to a dropped part or `maxBytes`. */
function contiguous(extents: readonly Extent[], from: number, maxBytes: number): Buffer {
  const parts: Buffer[] = [];
  let at = from;
  for (const extent of extents) {
    const left = maxBytes - (at - from);
    const offset = at - extent.startByte;
    if (left <= 0 || offset < 0) break;
    if (offset >= extent.length) continue;
    const part = extent.read(offset, left);
    parts.push(part);
    at += part.length;
  }
  return Buffer.concat(parts);
}
