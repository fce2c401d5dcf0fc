import { describe, expect, it } from 'vitest';
import type { ParsedOutput } from '../../../../src/daemon/validation/parsed-output.js';
import type { ParserId } from '../../../../src/daemon/validation/adapter.js';
import { nodeAdapter } from '../../../../src/daemon/validation/adapters/node/index.js';

function parse(parser: ParserId, output: string): ParsedOutput {
  const parse = nodeAdapter.parsers[parser]?.({ root: '/home/me/project', cwd: 'web', hints: {} });
  if (parse === undefined) throw new Error(`no parser ${parser}`);
  for (const line of output.split('\n')) parse.line('stdout', line);
  return parse.finish({ exitCode: 1, timedOut: false, truncated: false });
}

describe('what the tools of a Node package find', () => {
  it('tsc', () => {
    const { diagnostics, evidenceKind, counts } = parse('tsc/1', "src/b.ts(1,5): error TS1005: ')' expected.\n  more of it\nerror TS18003: No inputs were found.\nFound 2 errors.");
    expect([evidenceKind, counts]).toEqual(['compile_error', null]);
    expect(diagnostics.items).toEqual([
      { severity: 'error', code: 'TS1005', message: "')' expected.", file: 'web/src/b.ts', line: 1, column: 5 },
      { severity: 'error', code: 'TS18003', message: 'No inputs were found.', file: null, line: null, column: null },
    ]);
  });

  it('ESLint', () => {
    const output = [
      '',
      '/home/me/project/web/z.js',
      "  1:8   error    'path' is defined but never used          no-unused-vars",
      '  1:25  warning  Unexpected var, use let or const instead  no-var',
      '  0:0   error    Parsing error: it is odd',
      '',
      '✖ 3 problems (2 errors, 1 warning)',
    ].join('\n');
    expect(parse('eslint/1', output).diagnostics.items).toEqual([
      { severity: 'error', code: 'no-unused-vars', message: "'path' is defined but never used", file: 'web/z.js', line: 1, column: 8 },
      { severity: 'error', code: null, message: 'Parsing error: it is odd', file: 'web/z.js', line: null, column: null },
      { severity: 'warning', code: 'no-var', message: 'Unexpected var, use let or const instead', file: 'web/z.js', line: 1, column: 25 },
    ]);
  });

  it('Prettier', () => {
    const output = "src/a b.ts\n[error] src/b.ts: SyntaxError: ')' expected. (1:5)\n[error] > 1 | foo(;\n[error]     |     ^\n[warn] Ignored unknown option.";
    const { diagnostics, evidenceKind } = parse('prettier/1', output);
    expect(evidenceKind).toBe('format_diff');
    expect(diagnostics.items).toEqual([
      { severity: 'error', code: null, message: 'not formatted', file: 'web/src/a b.ts', line: null, column: null },
      { severity: 'error', code: null, message: "SyntaxError: ')' expected.", file: 'web/src/b.ts', line: 1, column: 5 },
    ]);
  });
});
