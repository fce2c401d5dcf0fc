import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameFilter, type RemoteFrame } from '../../../src/runner/ssh/frame-filter.js';

const TOKEN = 'f00dfeed';
const frame = (...fields: string[]): string => `\0${TOKEN}\0${fields.map((field) => `${field}\0`).join('')}`;

/** What comes of a stream that is cut at some places. */
function filtered(stream: Buffer, cuts: readonly number[] = []): { readonly frames: readonly RemoteFrame[]; readonly bytes: string } {
  const frames: RemoteFrame[] = [];
  const passed: Buffer[] = [];
  const filter = new FrameFilter(TOKEN, (one) => frames.push(one), (bytes) => passed.push(Buffer.from(bytes)));
  const places = [...new Set([0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length])].sort((one, other) => one - other);
  places.forEach((from, index) => filter.feed(stream.subarray(from, places[index + 1] ?? stream.length)));
  filter.end();
  return { frames, bytes: Buffer.concat(passed).toString('latin1') };
}

describe('the standard error of a remote command', () => {
  it('gives the frames, and what lies between and behind them', () => {
    const stream = Buffer.from(`banner${frame('start', '7', 'bash', '/srv')}err${frame('exit', '3')}late`);
    expect(filtered(stream)).toEqual({ frames: [{ kind: 'start', pid: 7, shell: 'bash', cwd: '/srv' }, { kind: 'exit', status: 3 }], bytes: 'errlate' });
    expect(filtered(Buffer.from(`noise${frame('cwd')}`)).frames).toEqual([{ kind: 'cwd' }]);
    expect(filtered(Buffer.from(frame('shell'))).frames).toEqual([{ kind: 'shell' }]);
  });

  it('passes on what only looks like a frame', () => {
    const start = frame('start', '7', 'sh', '/');
    for (const text of [`\0${TOKEN}`, frame('exit', '1000'), frame('exit', 'x'), frame('start', '0', 'sh', '/'), frame('start', '7', 'zsh', '/'), frame('other'), `\0f00dfee\0exit\0`, frame('exit').slice(0, -1)]) {
      expect(filtered(Buffer.from(start + text))).toEqual({ frames: [{ kind: 'start', pid: 7, shell: 'sh', cwd: '/' }], bytes: text });
    }
  });

  it('is the same however it is cut into reads', () => {
    const piece = fc.oneof(
      fc.constantFrom(frame('exit', '0'), frame('start', '12', 'sh', '/a'), '\0', TOKEN, `\0${TOKEN}`, `\0${TOKEN}\0`, 'exit\0', frame('exit', '9').slice(0, 5)),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(300), { maxLength: 20 }), (pieces, cuts) => {
        const stream = Buffer.from(pieces.join(''), 'utf8');
        expect(filtered(stream, cuts)).toEqual(filtered(stream));
      }),
    );
  });

  it('holds back no more than a frame can be', () => {
    const endless = frame('start', '7', 'sh', '/') + frame('start', '7', 'sh').slice(0, -1) + 'x'.repeat(20_000);
    expect(filtered(Buffer.from(endless), Array.from({ length: 40 }, (_, index) => index * 500)).bytes).toHaveLength(endless.length - frame('start', '7', 'sh', '/').length);
  });
});
