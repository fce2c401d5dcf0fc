import { isUtf8 } from 'node:buffer';

/** Checks a stream of chunks for UTF-8; a character may lie across two chunks. */
export class Utf8Check {
  private carried: Uint8Array = new Uint8Array();

  /** @returns false as soon as what came so far can be no UTF-8 */
  add(chunk: Uint8Array): boolean {
    const bytes = this.carried.length === 0 ? chunk : Buffer.concat([this.carried, chunk]);
    const whole = bytes.length - openTail(bytes);
    // The chunk's memory is used again, so the tail is copied.
    this.carried = Uint8Array.from(bytes.subarray(whole));
    return isUtf8(bytes.subarray(0, whole));
  }

  /** Whether the stream may end here: not inside a character. */
  end(): boolean {
    return this.carried.length === 0;
  }
}

/** The bytes at the end, at most three, that begin a character whose rest has not come. */
function openTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
