import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../src/daemon/sessions/ledger-document/document-reader.js';
import { RejectedDocument } from '../../../src/daemon/sessions/ledger-document/rejected-document.js';
import { restoreRow } from '../../../src/daemon/sessions/ledger-document/restore-row.js';
import { document, LIMITS, pieces, rawBoard, rawEvent, rawMessage, rawSession, rawTombstone, sessionId } from './document-fixture.js';

interface Read {
  readonly rows: readonly unknown[];
  readonly bindings: unknown;
}

async function read(text: string | Uint8Array, size?: number): Promise<Read> {
  const rows: unknown[] = [];
  const document = readDocument(pieces(text, size));
  let next = await document.next();
  for (; next.done !== true; next = await document.next()) rows.push(next.value);
  return { rows, bindings: next.value };
}

async function rejected(text: string | Uint8Array): Promise<string> {
  const error: unknown = await read(text).then(() => 'taken', (reason: unknown) => reason);
  if (!(error instanceof RejectedDocument)) throw new Error(`not rejected: ${String(error)}`);
  return error.reason;
}

describe('a ledger document', () => {
  it('gives its rows in their order, however it is cut into pieces', async () => {
    const rows = [rawSession({ title: 'ü "quoted" \\ 𝄞 {[,:' }), rawTombstone(sessionId(1), 1), 7, 'text', null, [], {}, [[]]];
    const text = ` ${JSON.stringify({ version: 2, sessions: rows }, null, 2)}\r\n\t`;
    for (const size of [1, 2, 3, 7, 64, 100_000]) expect(await read(text, size)).toEqual({ rows, bindings: undefined });
  });

  it('may be empty, and may have its version last', async () => {
    expect((await read('{"version":2,"sessions":[]}')).rows).toEqual([]);
    expect((await read('{"sessions":[ 1 , 2 ],"version":2}')).rows).toEqual([1, 2]);
    expect((await read('{"sessions":[],"durable_current_bindings":[{"a":1}],"version":2.0}')).bindings).toEqual([{ a: 1 }]);
  });

  it.each([
    ['nothing', '', 'bad_json'],
    ['white space', ' \n', 'bad_json'],
    ['another value', '[]', 'bad_json'],
    ['no version', '{"sessions":[]}', 'missing_member'],
    ['no sessions', '{"version":2}', 'missing_member'],
    ['no members', '{}', 'missing_member'],
    ['version 1', '{"version":1,"sessions":[]}', 'unsupported_version'],
    ['version 1 after its sessions', '{"sessions":[1,2],"version":1}', 'unsupported_version'],
    ['a version that is text', '{"version":"2","sessions":[]}', 'unsupported_version'],
    ['an unknown member', '{"version":2,"sessions":[],"x":1}', 'unknown_member'],
    ['a member twice', '{"version":2,"version":2,"sessions":[]}', 'duplicate_member'],
    ['its sessions twice', '{"version":2,"sessions":[],"sessions":[]}', 'duplicate_member'],
    ['a member twice, once by an escape', '{"version":2,"sessions":[],"\\u0076ersion":2}', 'duplicate_member'],
    ['a member twice in a row', '{"version":2,"sessions":[{"a":1,"a":2}]}', 'duplicate_member'],
    ['a member twice deep in a row', '{"version":2,"sessions":[{"a":[{"b":{"c":1,"\\u0063":1}}]}]}', 'duplicate_member'],
    ['sessions that are no array', '{"version":2,"sessions":{}}', 'bad_json'],
    ['trailing bytes', '{"version":2,"sessions":[]}x', 'trailing_bytes'],
    ['a second document', '{"version":2,"sessions":[]}{"version":2,"sessions":[]}', 'trailing_bytes'],
    ['a trailing NUL', '{"version":2,"sessions":[]}\0', 'trailing_bytes'],
    ['a trailing comma', '{"version":2,"sessions":[1,]}', 'bad_json'],
    ['a leading comma', '{"version":2,"sessions":[,1]}', 'bad_json'],
    ['two rows without a comma', '{"version":2,"sessions":[{}{}]}', 'bad_json'],
    ['two numbers without a comma', '{"version":2,"sessions":[1 2]}', 'bad_json'],
    ['a comma after its last member', '{"version":2,"sessions":[],}', 'bad_json'],
    ['a name that is no text', '{2:2}', 'bad_json'],
    ['a word that is none', '{"version":2,"sessions":[nul]}', 'bad_json'],
    ['brackets that do not fit', '{"version":2,"sessions":[{"a":1]]}', 'bad_json'],
    ['a control character in a text', '{"version":2,"sessions":["\n"]}', 'bad_json'],
    ['a byte order mark', '\uFEFF{"version":2,"sessions":[]}', 'bad_json'],
    ['an absurd depth', `{"version":2,"sessions":[${'['.repeat(100_000)}`, 'too_deep'],
  ])('is rejected with %s', async (_what, text, reason) => {
    expect(await rejected(text)).toBe(reason);
  });

  it('is rejected when it is not UTF-8, also at its very end', async () => {
    expect(await rejected(Buffer.from('{"version":2,"sessions":["\xff"]}', 'latin1'))).toBe('not_utf8');
    expect(await rejected(Buffer.concat([Buffer.from('{"version":2,"sessions":[]}'), Buffer.from([0xc3])]))).toBe('not_utf8');
  });

  it('is rejected at every place where it is cut', async () => {
    const text = document([rawSession({ title: 'é' }), rawTombstone(sessionId(1), 1)]);
    for (let end = 0; end < Buffer.byteLength(text); end += 1) {
      expect(await rejected(Buffer.from(text).subarray(0, end))).toMatch(/^(bad_json|not_utf8)$/);
    }
  });

  it('is rejected when one value is huge, without being held', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"version":2,"sessions":["');
      const piece = Buffer.alloc(1024 * 1024, 'x');
      for (;;) yield piece;
    }
    const rows = readDocument(endless());
    await expect(rows.next()).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('is rejected when one value has more parts than any row, which would take memory far beyond its text', async () => {
    for (const part of ['{}', '[]', '0', '{"a":0}']) {
      await expect(read(`{"version":2,"sessions":[[${Array<string>(1_000_001).fill(part).join()}]]}`)).rejects.toMatchObject({ reason: 'too_large' });
    }
    expect(await read(`{"version":2,"sessions":[[${Array<string>(1_000_000).fill('0').join()}]]}`)).toBeDefined();
  });

  it('never quotes what it holds', async () => {
    const secret = 'hunter2-hunter2';
    for (const text of [`{"version":2,"sessions":[{"${secret}":${secret}}]}`, `{"${secret}":1}`, secret]) {
      await expect(read(text)).rejects.toThrow(expect.not.stringContaining(secret) as string);
    }
  });

  it('that was changed anywhere is restored by the rules or rejected whole, and never fails otherwise', async () => {
    const valid = Buffer.from(
      document([
        rawSession({ events: [rawEvent(1), rawEvent(2)], events_observed: 2, execution_context: { default_shell: 'sh' } }),
        rawBoard([rawMessage(1), rawMessage(2)], { session_id: sessionId(2) }),
        rawTombstone(sessionId(3), 3),
      ]),
    );
    const mutation = fc.oneof(
      fc.record({ at: fc.nat(valid.length - 1), bit: fc.nat(7) }).map(({ at, bit }) => {
        const bytes = Buffer.from(valid);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        return bytes;
      }),
      fc.record({ from: fc.nat(valid.length), length: fc.nat(80), by: fc.string() }).map(({ from, length, by }) =>
        Buffer.concat([valid.subarray(0, from), Buffer.from(by), valid.subarray(from + length)]),
      ),
      fc.record({ from: fc.nat(valid.length), to: fc.nat(valid.length), at: fc.nat(valid.length) }).map(({ from, to, at }) =>
        Buffer.concat([valid.subarray(0, at), valid.subarray(Math.min(from, to), Math.max(from, to)), valid.subarray(at)]),
      ),
    );
    await fc.assert(
      fc.asyncProperty(mutation, fc.integer({ min: 1, max: 4_096 }), async (bytes, size) => {
        try {
          for (const row of (await read(bytes, size)).rows) restoreRow(row, LIMITS);
        } catch (error) {
          expect(error).toBeInstanceOf(RejectedDocument);
        }
      }),
      { numRuns: 1_500, seed: 20_260 },
    );
  });

  it('of any JSON values is judged without failing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.constant('{"retention_tombstone":[]}')), (text) => {
        restoreRow(JSON.parse(text), LIMITS);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('agrees with the language on what is JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 50 }), async (value, size) => {
        expect(JSON.stringify((await read(document([value, value]), size)).rows)).toBe(JSON.stringify([value, value]));
      }),
      { numRuns: 300, seed: 11 },
    );
  });
});
