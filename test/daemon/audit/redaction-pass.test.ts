import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedSummary } from '../../../src/daemon/audit/event-summary.js';
import { redactForStore, redactForView, storableText } from '../../../src/daemon/audit/redaction-pass.js';

describe('the write pass and the read pass', () => {
  it('[05-A24] keeps numbers and the shape of a command, and nothing else of it', () => {
    const stored = redactForStore({ password: 'p', n: 7, stdout: 'x', command_text: 'echo hi' });
    expect(stored).toEqual({
      password: '[redacted]',
      n: 7,
      command_text: { command_kind: 'command_text', line_count: 1, char_count: 7 },
    });
    expect(redactForView(stored)).toEqual({
      n: 7,
      command_text: { command_kind: 'command_text', line_count: 1, char_count: 7 },
    });
  });

  it('treats a row that an older version stored as it came like any other', () => {
    const old = { Api_Key: 'k', deep: [{ script_text: 'a\nb\n𝛼', diff: '+x', note: '  fine  ' }], error: 'token=abc' };
    expect(redactForView(old)).toEqual({
      deep: [{ script_text: { command_kind: 'script_text', line_count: 3, char_count: 5 }, note: 'fine' }],
      error: '[redacted]',
    });
  });

  it.each([
    '-----BEGIN RSA PRIVATE KEY-----',
    'Authorization: BEARER abc',
    'my api_key',
    'a token=1',
    'cat ~/.ssh/id_rsa',
    'id_ed25519',
    'wc_pat_abcdef',
    'wc_boot_x',
  ])('replaces %s wholly', (text) => {
    expect(storableText(`before ${text} after`)).toBe('[redacted]');
    expect(storableText(text)).toBe('[redacted]');
  });

  it('cuts credentials of other forms out of a text, and the text to 500 code points', () => {
    expect(storableText('see ghp_0123456789abcdef0123 there')).toBe('see [redacted] there');
    expect(storableText('𝛼'.repeat(600))).toBe('𝛼'.repeat(500));
  });

  it('bounds its depth', () => {
    let deep: unknown = 'bottom';
    for (let at = 0; at < 10_000; at += 1) deep = { deep };
    expect(JSON.stringify(redactForView(deep))).not.toContain('bottom');
  });

  it('lets no value of a secret member through, wherever it stands', () => {
    const secretKey = fc.tuple(fc.string(), fc.constantFrom('token', 'Api_Key', 'PASSWORD', 'secret', 'private_key', 'pem', 'authorization'), fc.string());
    fc.assert(
      fc.property(secretKey, fc.jsonValue(), fc.array(fc.string(), { maxLength: 4 }), ([before, key, after], noise, path) => {
        let document: unknown = { [`${before}${key}${after}`]: { sentinel: 'SENTINEL-1', list: ['SENTINEL-2'] }, noise };
        for (const step of path) document = { [step]: document };
        for (const pass of [redactForStore, redactForView]) expect(JSON.stringify(pass(document))).not.toContain('SENTINEL');
      }),
    );
  });

  it('changes nothing of what it has passed once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        const once = redactForStore(document);
        expect(redactForStore(once)).toEqual(once);
      }),
    );
  });
});

describe('the bound of a summary', () => {
  it('keeps transport and telemetry record of one that is too large', () => {
    const summary = { transport: 'cli', outcome: 'success', model_ergonomics: { schema_version: 12 }, more: 'x'.repeat(17_000) };
    expect(JSON.parse(boundedSummary(summary))).toEqual({
      transport: 'cli',
      model_ergonomics: { schema_version: 12 },
      summary_truncated: true,
    });
    expect(JSON.parse(boundedSummary({ transport: 'cli', outcome: 'success' }))).toEqual({ transport: 'cli', outcome: 'success' });
  });
});
