/** The most characters of a line that are shown. */
const MAX_LINE_CHARACTERS = 500;
/** How much of a long line is shown before its match. */
const LEAD_CHARACTERS = 120;

/** A line as it is shown around its first match. */
export interface Preview {
  readonly text: string;
  /** In Unicode scalars from 1. */
  readonly column: number;
  readonly isCut: boolean;
}

/**
 * A matched line, cut around its first match when it is very long.
 *
 * @param line without its line ending
 * @param matchByte where the first match begins in its UTF-8 form
 */
export function previewMatch(line: string, matchByte: number): Preview {
  const before = Buffer.from(line).subarray(0, matchByte).toString('utf8');
  const column = [...before].length + 1;
  if (line.length <= MAX_LINE_CHARACTERS) return { text: line, column, isCut: false };
  const start = Math.max(0, Math.min(before.length - LEAD_CHARACTERS, line.length - MAX_LINE_CHARACTERS));
  return { text: wholeScalars(line.slice(start, start + MAX_LINE_CHARACTERS)), column, isCut: true };
}

/** A line of context, cut at its end when it is very long. */
export function previewContext(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS ? line : wholeScalars(line.slice(0, MAX_LINE_CHARACTERS));
}

/** Drops half of a surrogate pair at either end. */
function wholeScalars(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}
