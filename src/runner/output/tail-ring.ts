const FIRST_CAPACITY = 1_024;

/**
 * The last bytes of a stream, at most `limit` of them. Its memory grows with what was
 * written, so that a silent stream costs nothing.
 */
export class TailRing {
  private bytes = Buffer.alloc(0);
  /** Where the oldest byte lies. */
  private start = 0;
  private size = 0;
  private lastEvicted: number | null = null;

  constructor(private readonly limit: number) {}

  get length(): number {
    return this.size;
  }

  /** The byte right before the oldest one that is held; null when nothing was evicted. */
  get byteBefore(): number | null {
    return this.lastEvicted;
  }

  append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (chunk.length >= this.limit) {
      this.replace(chunk);
      return;
    }
    this.evict(this.size + chunk.length - this.limit);
    this.reserve(this.size + chunk.length);
    const end = (this.start + this.size) % this.bytes.length;
    const untilWrap = Math.min(chunk.length, this.bytes.length - end);
    this.bytes.set(chunk.subarray(0, untilWrap), end);
    this.bytes.set(chunk.subarray(untilWrap), 0);
    this.size += chunk.length;
  }

  /** A copy of what is held, oldest first. */
  content(): Buffer {
    const untilWrap = Math.min(this.size, this.bytes.length - this.start);
    return Buffer.concat([
      this.bytes.subarray(this.start, this.start + untilWrap),
      this.bytes.subarray(0, this.size - untilWrap),
    ]);
  }

  private replace(chunk: Uint8Array): void {
    const cut = chunk.length - this.limit;
    if (cut > 0) this.lastEvicted = chunk[cut - 1] ?? null;
    else if (this.size > 0) this.lastEvicted = this.byteAt(this.size - 1);
    this.bytes = Buffer.from(chunk.subarray(cut));
    this.start = 0;
    this.size = this.limit;
  }

  private evict(count: number): void {
    if (count <= 0) return;
    this.lastEvicted = this.byteAt(count - 1);
    this.start = (this.start + count) % this.bytes.length;
    this.size -= count;
  }

  private byteAt(index: number): number {
    return this.bytes[(this.start + index) % this.bytes.length] ?? 0;
  }

  private reserve(needed: number): void {
    if (needed <= this.bytes.length) return;
    let capacity = Math.max(FIRST_CAPACITY, this.bytes.length);
    while (capacity < needed) capacity *= 2;
    const larger = Buffer.allocUnsafe(Math.min(capacity, this.limit));
    this.content().copy(larger);
    this.bytes = larger;
    this.start = 0;
  }
}
