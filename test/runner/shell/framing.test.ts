import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundaryFilter } from '../../../src/runner/shell/boundary-filter.js';
import { ControlReader, type ControlFrame } from '../../../src/runner/shell/control-reader.js';
import { boundary, LOCAL_FRAMES, newToken, REMOTE_FRAMES } from '../../../src/runner/shell/frame-text.js';

const TOKEN = '0123456789abcdef0123456789abcdef';
const OTHER = 'fedcba9876543210fedcba9876543210';

/** Cuts bytes at some places. */
function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

/** What a stream shows of a command, and how often its boundary was seen. */
function filtered(chunks: readonly Buffer[]): { readonly output: string; readonly boundaries: number } {
  const seen: Buffer[] = [];
  let boundaries = 0;
  const filter = new BoundaryFilter(
    (bytes) => seen.push(Buffer.from(bytes)),
    () => (boundaries += 1),
  );
  filter.begin(TOKEN);
  // The reader's buffer is written over after each read.
  for (const chunk of chunks) {
    const read = Buffer.from(chunk);
    filter.feed(read);
    read.fill(0xff);
  }
  return { output: Buffer.concat(seen).toString('latin1'), boundaries };
}

function framesIn(chunks: readonly Buffer[]): (ControlFrame | null)[] {
  const frames: (ControlFrame | null)[] = [];
  const reader = new ControlReader((frame) => frames.push(frame));
  reader.begin(TOKEN);
  for (const chunk of chunks) reader.feed(Buffer.from(chunk));
  return frames;
}

/** Output that is full of what a boundary is made of. */
const lookAlikes = fc
  .array(
    fc.oneof(
      fc.constantFrom('\0', '\0\0', TOKEN, `\0${TOKEN}`, `${TOKEN}\0`, `\0${TOKEN.slice(0, 31)}`, `\0${OTHER}\0`, `\0${TOKEN.slice(1)}\0`),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => !text.includes(`\0${TOKEN}\0`) && !`${text}\0${TOKEN}`.includes(`\0${TOKEN}\0`));

describe('the boundary of a stream', () => {
  it('is found and taken out however the stream is cut, and what looks like one is output', () => {
    fc.assert(
      fc.property(lookAlikes, fc.string({ maxLength: 20 }), fc.array(fc.nat(), { maxLength: 30 }), (before, behind, cuts) => {
        const bytes = Buffer.concat([Buffer.from(before, 'latin1'), boundary(TOKEN), Buffer.from(behind)]);
        const latin = Buffer.from(before, 'latin1').toString('latin1');
        expect(filtered(chunksOf(bytes, cuts))).toEqual({ output: latin, boundaries: 1 });
        expect(filtered([...bytes].map((byte) => Buffer.from([byte])))).toEqual({ output: latin, boundaries: 1 });
      }),
    );
  });

  it('passes on what it held back when nothing more comes', () => {
    const seen: string[] = [];
    const filter = new BoundaryFilter((bytes) => seen.push(bytes.toString('latin1')), () => undefined);
    filter.begin(TOKEN);
    filter.feed(Buffer.from(`end\0${TOKEN.slice(0, 9)}`));
    expect(seen.join('')).toBe('end');
    filter.end();
    expect(seen.join('')).toBe(`end\0${TOKEN.slice(0, 9)}`);
  });

  it('drops what comes between commands', () => {
    const seen: string[] = [];
    const filter = new BoundaryFilter((bytes) => seen.push(bytes.toString()), () => undefined);
    filter.feed(Buffer.from('before'));
    filter.begin(TOKEN);
    filter.feed(Buffer.concat([Buffer.from('one'), boundary(TOKEN), Buffer.from('between')]));
    filter.feed(Buffer.from('more'));
    filter.begin(OTHER);
    filter.feed(Buffer.concat([Buffer.from('two'), boundary(OTHER)]));
    expect(seen).toEqual(['one', 'two']);
  });
});

describe('the control frame', () => {
  const frame = (status: string, cwd: string, token = TOKEN): Buffer => Buffer.from(`${token}\0${status}\0${cwd}\n\0`);

  it('is found however the stream is cut, whatever else was written there', () => {
    const noise = fc.oneof(fc.string({ maxLength: 10 }), fc.constantFrom('\0', TOKEN.slice(0, 31), `${OTHER}\0` + '0\0/elsewhere\n\0'));
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 5 }), fc.nat(255), fc.array(fc.nat(), { maxLength: 30 }), (before, status, cuts) => {
        const bytes = Buffer.concat([Buffer.from(before.join('')), frame(String(status), '/a folder/with\na line break')]);
        expect(framesIn(chunksOf(bytes, cuts))).toEqual([{ status, cwd: '/a folder/with\na line break' }]);
      }),
    );
  });

  it('ignores frames with other tokens', () => {
    expect(framesIn([frame('0', '/x', OTHER)])).toEqual([]);
    expect(framesIn([frame('0', '/x', OTHER), frame('3', '/y')])).toEqual([{ status: 3, cwd: '/y' }]);
  });

  it('says that the shell is in no folder', () => {
    expect(framesIn([Buffer.from(`${TOKEN}\0` + '0\0\0')])).toEqual([{ status: 0, cwd: '' }]);
  });

  it('is none with a status that is no number, or a field over 8 KiB, and holds no more than that', () => {
    expect(framesIn([frame('x', '/y')])).toEqual([null]);
    expect(framesIn([frame('0', `/${'a'.repeat(8_300)}`)])).toEqual([null]);
    expect(framesIn([Buffer.from(`${TOKEN}\0`), ...Array.from({ length: 40 }, () => Buffer.from('9'.repeat(1_000)))])).toEqual([null]);
    expect(framesIn([frame('0', `/${'a'.repeat(8_000)}`)])).toEqual([{ status: 0, cwd: `/${'a'.repeat(8_000)}` }]);
  });
});

describe('what is written to a shell', () => {
  it('has a fresh token of 122 random bits each time', () => {
    const tokens = Array.from({ length: 100 }, newToken);
    expect(new Set(tokens).size).toBe(100);
    expect(tokens.filter((token) => !/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(token))).toEqual([]);
  });

  it.each([LOCAL_FRAMES.sh, LOCAL_FRAMES.bash, REMOTE_FRAMES])('stays within 64 KiB for 16,000 quotes', (frames) => {
    expect(Buffer.byteLength(frames.commandText("'".repeat(16_000), TOKEN))).toBeLessThanOrEqual(65_536);
  });
});
