import { describe, expect, it } from 'vitest';
import { JsonLines, type Line } from '../../src/mcp/json-lines.js';
import { checkMessage, type Checked } from '../../src/mcp/message-check.js';

const none = { legacy: false, isOpen: () => false };
const rejectionOf = (checked: Checked): unknown => ('rejection' in checked ? checked.rejection : 'accepted');
const request = (more: Record<string, unknown>): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more });
const enveloped = (version: string): string =>
  request({ params: { _meta: { 'io.modelcontextprotocol/protocolVersion': version } } });

describe('a line of a client', () => {
  it.each([
    ['not json', -32700],
    ['[]', -32600],
    ['1', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":1}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', -32600],
  ])('%s is answered with %i', (text, code) => {
    expect(rejectionOf(checkMessage(text, none))).toMatchObject({ code });
  });

  it('with an id that is still open is refused under no id, so that the first request keeps its answer', () => {
    expect(rejectionOf(checkMessage(request({}), { legacy: false, isOpen: (id) => id === 1 }))).toMatchObject({
      id: null,
      code: -32600,
    });
  });

  it('of another version is refused with the versions that are spoken', () => {
    for (const version of ['2027-01-01', '2025-11-25']) {
      expect(rejectionOf(checkMessage(enveloped(version), none))).toEqual({
        id: 1,
        code: -32022,
        message: 'Unsupported protocol version',
        data: { supported: ['2026-07-28'], requested: version },
      });
    }
    expect(rejectionOf(checkMessage(enveloped('2026-07-28'), none))).toBe('accepted');
    expect(rejectionOf(checkMessage(enveloped('2027-01-01'), { ...none, legacy: true }))).toBe('accepted');
  });

  it('that is a notification or a response passes', () => {
    expect(rejectionOf(checkMessage('{"jsonrpc":"2.0","method":"notifications/initialized"}', none))).toBe('accepted');
    expect(rejectionOf(checkMessage('{"jsonrpc":"2.0","id":7,"result":{}}', none))).toBe('accepted');
  });
});

describe('lines', () => {
  const read = (chunks: readonly string[], bound = 10): (string | null)[] => {
    const seen: Line[] = [];
    const lines = new JsonLines(bound, (line) => seen.push(line));
    for (const chunk of chunks) lines.push(Buffer.from(chunk));
    return seen.map((line) => ('tooLong' in line ? null : line.text));
  };

  it('are cut wherever the chunks are cut, also inside a character', () => {
    const bytes = Buffer.from('ä\nb\n');
    const seen: Line[] = [];
    const lines = new JsonLines(10, (line) => seen.push(line));
    for (const byte of bytes) lines.push(Buffer.from([byte]));
    expect(seen).toEqual([{ text: 'ä' }, { text: 'b' }]);
  });

  it('over the bound are named, kept nowhere, and cost nothing of what follows', () => {
    expect(read(['x'.repeat(30), 'y\nok\n'])).toEqual([null, 'ok']);
  });

  it('that are blank are no messages', () => {
    expect(read(['\n\r\n \na\n'])).toEqual(['a']);
  });
});
