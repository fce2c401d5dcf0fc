/** One record of a stream, without what ends it. */
export interface StreamRecord {
  /** Bytes that are no UTF-8 show as U+FFFD. */
  readonly text: string;
  /** The record was longer than was asked to keep. */
  readonly isCut: boolean;
}

export interface RecordBounds {
  /** The byte that ends a record: 10 for lines, 0 for names. */
  readonly delimiter: number;
  /** The most bytes of a record that are kept; the rest of it is skipped. */
  readonly maxBytes: number;
}

/** Splits a stream of bytes into records, in memory that a record without end cannot grow. */
export async function* splitRecords(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, maxBytes }: RecordBounds,
): AsyncGenerator<StreamRecord> {
  const record = new OpenRecord(maxBytes);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end !== -1; end = chunk.indexOf(delimiter, start)) {
      record.add(chunk.subarray(start, end));
      yield record.take();
      start = end + 1;
    }
    if (start < chunk.length) record.add(chunk.subarray(start));
  }
  if (record.isBegun) yield record.take();
}

class OpenRecord {
  isBegun = false;
  private parts: Uint8Array[] = [];
  private length = 0;
  private isCut = false;

  constructor(private readonly maxBytes: number) {}

  add(part: Uint8Array): void {
    this.isBegun = true;
    const kept = part.subarray(0, this.maxBytes - this.length);
    if (kept.length < part.length) this.isCut = true;
    if (kept.length > 0) this.parts.push(kept);
    this.length += kept.length;
  }

  take(): StreamRecord {
    const record = { text: Buffer.concat(this.parts).toString('utf8'), isCut: this.isCut };
    this.parts = [];
    this.length = 0;
    this.isCut = false;
    this.isBegun = false;
    return record;
  }
}
