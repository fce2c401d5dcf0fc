const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The bytes that a UTF-8 sequence with this first byte has; 1 for a byte that starts none. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0) return lead <= 0xef ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}

/**
 * The first offset at or after `offset` that does not lie inside a character. At most
 * three bytes are skipped, so that bytes which are no UTF-8 are kept and shown.
 */
export function characterStart(bytes: Uint8Array, offset: number): number {
  for (let back = 1; back <= 3 && isContinuation(bytes[offset]); back++) {
    const lead = bytes[offset - back];
    if (lead === undefined) return skipContinuations(bytes, offset);
    if (!isContinuation(lead)) return sequenceLength(lead) > back ? skipContinuations(bytes, offset) : offset;
  }
  return offset;
}

/** The last offset at or before `end` that does not cut a character that goes on behind it. */
export function characterEnd(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back];
    if (byte === undefined || isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? end - back : end;
  }
  return end;
}

function skipContinuations(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at - offset < 3 && isContinuation(bytes[at])) at++;
  return at;
}
