import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTallies, StreamTally } from '../../../src/runner/output/stream-tally.js';
import { StreamSpool } from '../../../src/runner/output/worker/spool.js';
import { StreamCapture } from '../../../src/runner/output/worker/stream-capture.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wc-capture-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const tally = (): StreamTally => StreamTally.ofStream(createTallies(), 'stdout');
let names = 0;
const capture = (maxBytes: number): StreamCapture => {
  const name = `stream-${names++}`;
  return new StreamCapture(() => new StreamSpool(folder, name, maxBytes), tally());
};
const everything = { skipBytes: 0, limit: 1_000_000, maxBytes: 100_000_000 };

describe('reading a whole stream', () => {
  it('by lines gives back every byte, however it is cut', () => {
    const chunk = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'ä', '😀'), minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 4, max: 60 }), (chunks, limit, maxBytes) => {
        const stream = capture(64 * 1_024);
        // Small files, so that lines and characters lie across them.
        stream.startSpool();
        for (const text of chunks) stream.append(Buffer.from(text));
        const whole = chunks.join('');
        expect(stream.counts().lines).toBe(whole === '' ? 0 : whole.replace(/\n$/, '').split('\n').length);
        let text = '';
        let at: { startLine: number; skipBytes: number } | null = { startLine: 1, skipBytes: 0 };
        for (let round = 0; at !== null; round++) {
          const read: ReturnType<StreamCapture['read']> = stream.read({ ...at, limit, maxBytes });
          text += read.text;
          at = read.next;
          expect(round).toBeLessThan(5_000);
        }
        expect(text).toBe(whole);
        stream.remove();
      }),
      { numRuns: 60 },
    );
  });

  it('begins at any line', () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}\n`);
    for (const maxBytes of [1_000_000, 100_000]) {
      const stream = capture(maxBytes);
      stream.startSpool();
      for (const line of lines) stream.append(Buffer.from(line));
      for (const line of [1, 2, 999, 1_777, 3_000]) {
        expect(stream.read({ startLine: line, skipBytes: 0, limit: 1, maxBytes: 1_000 })).toMatchObject({ text: `line ${line}\n`, firstLine: line, lastLine: line });
      }
      expect(stream.read({ startLine: 3_001, skipBytes: 0, limit: 1, maxBytes: 1_000 })).toMatchObject({ text: '', next: null });
      stream.remove();
    }
  });

  it('a short stream touches no disk', async () => {
    const stream = capture(1_000_000);
    stream.append(Buffer.from('short\n'));
    stream.end();
    expect(stream.read({ ...everything, startLine: 1 }).text).toBe('short\n');
    expect(await readdir(folder)).toEqual([]);
  });

  it('its files are private and go with it', async () => {
    const stream = capture(1_000_000);
    stream.append(Buffer.alloc(300_000, 'x\n'));
    const files = await readdir(folder);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    stream.remove();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a spool that is full', () => {
  const line = (index: number): string => `${String(index).padStart(9, '0')}\n`;

  it('keeps beginning and end, and counts what it dropped', () => {
    const stream = capture(160_000);
    stream.startSpool();
    for (let index = 1; index <= 100_000; index++) stream.append(Buffer.from(line(index)));
    stream.end();
    const dropped = stream.dropped();
    const { dropped_bytes, bytes, lines } = stream.counts();
    expect([bytes, lines]).toEqual([1_000_000, 100_000]);
    expect(dropped?.bytes).toBe(dropped_bytes);
    expect(dropped_bytes).toBe(1_000_000 - 160_000);
    expect(dropped).toMatchObject({ firstLine: 8_001, lastLine: 92_001 });
    const head = stream.read({ ...everything, startLine: 1 });
    expect(head).toMatchObject({ firstLine: 1, lastLine: 8_000, next: { startLine: 8_001, skipBytes: 0 } });
    const tail = stream.read({ ...everything, startLine: 8_001 });
    expect(tail).toMatchObject({ firstLine: 92_001, lastLine: 100_000, next: null });
    expect(tail.text.startsWith(line(92_001))).toBe(true);
    expect(stream.read({ startLine: 50_000, skipBytes: 0, limit: 1, maxBytes: 100 }).text).toBe(line(92_001));
  });

  it('reads on behind a gap inside one endless line', () => {
    const stream = capture(160_000);
    stream.startSpool();
    stream.append(Buffer.alloc(1_000_000, 'y'));
    stream.end();
    let length = 0;
    let at: { startLine: number; skipBytes: number } | null = { startLine: 1, skipBytes: 0 };
    while (at !== null) {
      const read: ReturnType<StreamCapture['read']> = stream.read({ ...at, limit: 10, maxBytes: 50_000 });
      length += read.text.length;
      at = read.next;
    }
    expect(length).toBe(160_000);
  });

  it('a full disk ends the spool with its reason; the end of the stream stays', () => {
    let room = 100_000;
    const full = {
      open: openSync,
      write: ((fd: number, bytes: Uint8Array): number => {
        if (room < bytes.length) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        room -= bytes.length;
        return writeSync(fd, bytes);
      }) as typeof writeSync,
    };
    const stream = new StreamCapture(() => new StreamSpool(folder, 'full', 64 * 1_024 * 1_024, full), tally());
    stream.startSpool();
    for (let index = 1; index <= 100_000; index++) stream.append(Buffer.from(line(index)));
    stream.end();
    expect(stream.spoolFailure).toBe('ENOSPC');
    expect(stream.counts()).toMatchObject({ bytes: 1_000_000, lines: 100_000 });
    expect(stream.counts().dropped_bytes).toBe(1_000_000 - 100_000 - 256 * 1_024);
    expect(stream.tail({ maxLines: 1, maxBytes: 1_000 }).text).toBe(line(100_000));
    expect(stream.read({ ...everything, startLine: 1 }).lastLine).toBe(10_000);
    expect(stream.read({ ...everything, startLine: 100_000 }).text).toBe(line(100_000));
  });
});

describe('a stream that a dead process left', () => {
  it('is read as far as its files tell', () => {
    const written = new StreamCapture(() => new StreamSpool(folder, 'left', 160_000), tally());
    written.startSpool();
    for (let index = 1; index <= 50_000; index++) written.append(Buffer.from(`entry ${index}\n`));
    const adopted = capture(1);
    adopted.adopt(folder, 'left');
    expect(adopted.counts()).toEqual(written.counts());
    expect(adopted.tail({ maxLines: 1, maxBytes: 100 }).text).toBe('entry 50000\n');
    expect(adopted.read({ startLine: 3, skipBytes: 0, limit: 1, maxBytes: 100 }).text).toBe('entry 3\n');
  });
});

describe('slices', () => {
  it('a tail is cut at a line, and its numbers are absolute', () => {
    const stream = capture(64 * 1_024 * 1_024);
    for (let index = 1; index <= 100_000; index++) stream.append(Buffer.from(`line ${index}\n`));
    const tail = stream.tail({ maxLines: 500, maxBytes: 64 * 1_024 });
    expect(tail).toMatchObject({ first_line: 99_501, last_line: 100_000, starts_mid_line: false });
    const bounded = stream.tail({ maxLines: 100_000, maxBytes: 1_000 });
    expect(bounded.starts_mid_line).toBe(false);
    expect(bounded.text.startsWith(`line ${bounded.first_line}\n`)).toBe(true);
    expect(Buffer.byteLength(bounded.text)).toBeLessThanOrEqual(1_000);
  });

  it('a delta has no gap, or is none', () => {
    const stream = capture(64 * 1_024 * 1_024);
    const bounds = { maxLines: 100, maxBytes: 64 * 1_024 };
    for (let index = 1; index <= 50; index++) stream.append(Buffer.from(`line ${index}\n`));
    stream.append(Buffer.from('open'));
    expect(stream.since(50, bounds)).toMatchObject({ text: 'line 50\nopen', first_line: 50, last_line: 51 });
    expect(stream.since(51, bounds)).toMatchObject({ text: 'open' });
    expect(stream.since(52, bounds)).toBeNull();
    for (let index = 51; index <= 300; index++) stream.append(Buffer.from(`line ${index}\n`));
    expect(stream.since(51, bounds)).toBeNull();
    expect(stream.since(250, bounds)).toMatchObject({ first_line: 250, last_line: 300 });
  });

  it('a character that is still on its way is kept back until the end', () => {
    const stream = capture(1_000);
    stream.append(Buffer.from([0x61, 0xe2, 0x82]));
    expect(stream.tail({ maxLines: 1, maxBytes: 100 }).text).toBe('a');
    stream.append(Buffer.from([0xac]));
    expect(stream.tail({ maxLines: 1, maxBytes: 100 }).text).toBe('a€');
    stream.append(Buffer.from([0xe2]));
    stream.end();
    expect(stream.report()).toMatchObject({ text: 'a€\uFFFD', lossy: true, truncated: false });
  });
});
