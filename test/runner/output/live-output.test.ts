import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OutputStream } from '../../../src/protocol/runner/jobs.js';
import type { LiveText } from '../../../src/runner/output/messages.js';
import { LiveOutput } from '../../../src/runner/output/worker/live-output.js';

interface Sent {
  readonly stream: OutputStream;
  readonly live: LiveText;
  readonly bytes: number;
}

const bytesOf = (sent: readonly Sent[], stream: OutputStream): Buffer =>
  Buffer.concat(sent.filter((one) => one.stream === stream).map(({ live }) => (live.base64 === undefined ? Buffer.from(live.text) : Buffer.from(live.base64, 'base64'))));

/** Sends chunks, one or several in a turn of the event loop, and gives back what came out. */
async function pass(chunks: readonly { readonly stream: OutputStream; readonly bytes: Uint8Array; readonly turn: boolean }[]): Promise<Sent[]> {
  const sent: Sent[] = [];
  const output = new LiveOutput({ send: (stream, live, bytes) => sent.push({ stream, live, bytes }), hold: () => undefined });
  const view = Buffer.alloc(256);
  for (const { stream, bytes, turn } of chunks) {
    // As a reader does: one buffer that is written over afterwards.
    view.set(bytes);
    output.add(stream, view.subarray(0, bytes.length));
    view.fill(0x21);
    if (turn) await new Promise((resolve) => setImmediate(resolve));
  }
  output.end();
  return sent;
}

const stream = fc.constantFrom<OutputStream>('stdout', 'stderr');

it('gives every byte back, whatever they are and however they come', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ stream, bytes: fc.uint8Array({ maxLength: 200 }), turn: fc.boolean() }), { maxLength: 20 }), async (chunks) => {
      const sent = await pass(chunks);
      for (const name of ['stdout', 'stderr'] as const) {
        const whole = Buffer.concat(chunks.filter((one) => one.stream === name).map(({ bytes }) => bytes));
        expect(bytesOf(sent, name).equals(whole)).toBe(true);
        expect(sent.filter((one) => one.stream === name).reduce((sum, { bytes }) => sum + bytes, 0)).toBe(whole.length);
      }
    }),
    { numRuns: 200 },
  );
});

it('sends text as text, also when a character comes in pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 7 }), async (raw, size) => {
      const whole = Buffer.from(raw);
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => ({ stream: 'stdout' as const, bytes: whole.subarray(at * size, (at + 1) * size), turn: true }));
      const sent = await pass(chunks);
      expect(sent.map(({ live }) => live.text).join('')).toBe(whole.toString('utf8'));
      expect(sent.every(({ live }) => live.base64 === undefined)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
