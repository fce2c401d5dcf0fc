import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countNewlines, endsWithNewline, lastLinesStart, skipLines } from '../../../src/runner/output/lines.js';
import { TailRing } from '../../../src/runner/output/tail-ring.js';
import { characterEnd, characterStart } from '../../../src/runner/output/utf8-boundary.js';

const text = fc.string({ unit: fc.constantFrom('a', '\n', 'ä', '€', '😀'), maxLength: 60 });

describe('UTF-8 cut', () => {
  it('a start is moved on to the next character, never further', () => {
    fc.assert(
      fc.property(text, fc.nat(200), (value, at) => {
        const bytes = Buffer.from(value);
        const offset = Math.min(at, bytes.length);
        const start = characterStart(bytes, offset);
        expect(start - offset).toBeGreaterThanOrEqual(0);
        expect(start - offset).toBeLessThanOrEqual(3);
        expect(value.endsWith(bytes.toString('utf8', start))).toBe(true);
      }),
    );
  });

  it('an end is moved back to the last whole character, never further', () => {
    fc.assert(
      fc.property(text, fc.nat(200), (value, at) => {
        const bytes = Buffer.from(value);
        const offset = Math.min(at, bytes.length);
        const end = characterEnd(bytes.subarray(0, offset), offset);
        expect(offset - end).toBeLessThanOrEqual(3);
        expect(value.startsWith(bytes.toString('utf8', 0, end))).toBe(true);
      }),
    );
  });

  it('bytes that are no UTF-8 are not skipped for ever', () => {
    const bytes = Buffer.alloc(20, 0x80);
    expect(characterStart(bytes, 10)).toBe(10);
    expect(characterStart(bytes, 0)).toBe(3);
    expect(characterEnd(bytes, 20)).toBe(20);
  });
});

describe('lines', () => {
  it('agree with splitting the text', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 10 }), (value, count) => {
        const bytes = Buffer.from(value);
        const split = value.split('\n');
        expect(countNewlines(bytes)).toBe(split.length - 1);
        expect(endsWithNewline(bytes)).toBe(value.endsWith('\n'));
        const skipped = skipLines(bytes, count);
        expect(skipped === -1 ? null : bytes.toString('utf8', skipped)).toBe(count > split.length - 1 ? null : split.slice(count).join('\n'));
        const lines = value.endsWith('\n') ? split.slice(0, -1).map((line) => `${line}\n`) : split.map((line, index) => (index < split.length - 1 ? `${line}\n` : line));
        expect(bytes.toString('utf8', lastLinesStart(bytes, count))).toBe(lines.slice(-count).join(''));
      }),
    );
  });
});

describe('the ring', () => {
  it('holds the last bytes of whatever was appended, and knows the byte before them', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 40 }), fc.integer({ min: 1, max: 64 }), (chunks, limit) => {
        const ring = new TailRing(limit);
        for (const chunk of chunks) ring.append(chunk);
        const all = Buffer.concat(chunks);
        const kept = all.subarray(Math.max(0, all.length - limit));
        expect(ring.content().equals(kept)).toBe(true);
        expect(ring.length).toBe(kept.length);
        expect(ring.byteBefore).toBe(all.length > limit ? all[all.length - limit - 1] : null);
      }),
    );
  });
});
