const NEWLINE = 0x0a;

/** Lines shorter than this are counted byte by byte: a search for each would cost more. */
const SHORT_LINE_BYTES = 8;
const PATIENCE = 1_024;

/** How many newlines stand in the bytes. */
export function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    count += 1;
    if (count * SHORT_LINE_BYTES > at + PATIENCE) return count + countByByte(bytes, at + 1);
  }
  return count;
}

function countByByte(bytes: Uint8Array, start: number): number {
  let count = 0;
  for (let at = start; at < bytes.length; at++) if (bytes[at] === NEWLINE) count += 1;
  return count;
}

/** The offset behind the `count`-th newline from `start`; -1 when there are fewer. */
export function skipLines(bytes: Uint8Array, count: number, start = 0): number {
  let at = start;
  for (let left = count; left > 0; left--) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1) return -1;
    at = newline + 1;
  }
  return at;
}

/** The offset where the last `count` lines begin; an unterminated last line is one of them. */
export function lastLinesStart(bytes: Uint8Array, count: number): number {
  let at = bytes.length;
  if (at > 0 && bytes[at - 1] === NEWLINE) at--;
  for (let left = count; left > 0; left--) {
    const newline = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
    if (newline === -1) return 0;
    at = newline;
  }
  return at + 1;
}

export function endsWithNewline(bytes: Uint8Array): boolean {
  return bytes.length > 0 && bytes[bytes.length - 1] === NEWLINE;
}
