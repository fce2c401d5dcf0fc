import { describe, expect, it } from 'vitest';
import {
  byteSize,
  counted,
  duration,
  factLines,
  printable,
  printableLine,
  renderFailure,
  renderJobs,
  renderValue,
  shellQuote,
  styleFor,
  textTable,
  utcTime,
} from '../../../src/client/render/index.js';
import { failure } from '../../../src/protocol/tool-result.js';

const plain = styleFor({ isTerminal: false, env: {} });

describe('colour', () => {
  it('is only for terminals that want it', () => {
    const bold = (isTerminal: boolean, env: Record<string, string>): string => styleFor({ isTerminal, env }).bold('x');
    expect(bold(true, { TERM: 'xterm' })).toBe('\u001b[1mx\u001b[22m');
    expect(bold(false, { TERM: 'xterm' })).toBe('x');
    expect(bold(true, { NO_COLOR: '1' })).toBe('x');
    expect(bold(true, { NO_COLOR: '', TERM: 'xterm' })).not.toBe('x');
    expect(bold(true, { TERM: 'dumb' })).toBe('x');
  });
});

describe('text from elsewhere', () => {
  it('can not steer the terminal', () => {
    expect(printable('a\u001b[31mb\u0007\tc\nd\u009b')).toBe('a\\x1b[31mb\\x07\tc\nd\\x9b');
    expect(printableLine('a \n\t b\r\nc')).toBe('a b c');
    expect(printable('safe\u202egnp.exe\u2066x')).toBe('safe\\u{202e}gnp.exe\\u{2066}x');
  });
});

describe('a table', () => {
  it('is as wide as its cells are on a terminal, numbers on the right', () => {
    const rows = [
      { name: '日本', size: 5 },
      { name: 'abc', size: 1200 },
    ];
    expect(
      textTable(rows, [
        { title: 'name', value: ({ name }) => name },
        { title: 'size', value: ({ size }) => String(size), align: 'right' },
        { title: 'last', value: () => 'x' },
      ], plain),
    ).toBe('NAME  SIZE  LAST\n日本     5  x\nabc   1200  x');
  });

  it('keeps a row on its line whatever stands in a cell', () => {
    expect(textTable([{ a: 'x\ny\u001b[2J' }], [{ title: 'a', value: ({ a }) => a }], plain)).toBe('A\nx y\\x1b[2J');
  });

  it('of facts leaves out what has no value', () => {
    expect(factLines([['a', 'x'], ['long', null], ['bcd', 'y'], ['e', '']], plain)).toBe('a    x\nbcd  y');
  });
});

describe('any value', () => {
  it('is shown whole: scalars, texts, tables of rows, lists, nothing', () => {
    const output = {
      text: 'one line',
      number: 3,
      yes: true,
      none: null,
      block: 'first\n second\n',
      rows: [
        { id: 'a', n: 1 },
        { id: 'bb', n: 22 },
      ],
      words: ['x', 'y'],
      deep: { inner: { leaf: 1 }, list: [[1, 2], { a: { b: 1 } }] },
      empty: [],
      nothing: {},
    };
    expect(renderValue(output, plain)).toBe(
      [
        'text: one line',
        'number: 3',
        'yes: true',
        'none: -',
        'block:',
        '  first',
        '   second',
        'rows:',
        '  ID   N',
        '  a    1',
        '  bb  22',
        'words:',
        '  - x',
        '  - y',
        'deep:',
        '  inner:',
        '    leaf: 1',
        '  list:',
        '    - - 1',
        '      - 2',
        '    - a:',
        '        b: 1',
        'empty: (none)',
        'nothing: (nothing)',
      ].join('\n'),
    );
  });
});

describe('a failure', () => {
  it('is its sentence, its kind, and a call that can be typed as it stands', () => {
    const result = failure('invalid_arguments', 'That is shell text.', {
      suggested_call: { follow_up_kind: 'fallback_recovery', tool: 'run_shell', arguments: { command: "echo 'x'" } },
    });
    expect(renderFailure(result, plain)).toBe(
      `error: That is shell text. (invalid_arguments)\ntry: wc run-shell --input '{"command":"echo '\\''x'\\''"}'`,
    );
  });
});

describe('units', () => {
  it('are for people', () => {
    expect([0.4, 240, 1_200, 59_999, 200_000, 7_500_000, 100_000_000].map(duration)).toEqual([
      '0 ms', '240 ms', '1.2 s', '60.0 s', '3 min 20 s', '2 h 5 min', '1 d 3 h',
    ]);
    expect([0, 1023, 1024, 1_572_864].map(byteSize)).toEqual(['0 B', '1023 B', '1.0 KiB', '1.5 MiB']);
    expect(utcTime(0)).toBe('1970-01-01T00:00:00Z');
    expect(utcTime(2 ** 53 * 1_000)).toBe('9007199254740992000 ms');
    expect([counted(1, 'file'), counted(2, 'file'), counted(0, 'entry', 'entries')]).toEqual(['1 file', '2 files', '0 entries']);
  });

  it('quote a word for a shell only where it must be', () => {
    expect(['a/b.c', '~s1', 'two words', "it's", ''].map(shellQuote)).toEqual(['a/b.c', "'~s1'", "'two words'", `'it'\\''s'`, "''"]);
  });
});

describe('Jobs', () => {
  const job = { job_id: 'wc_job_1', status: 'lost', terminal: true, project: 'p', created_at_ms: 0, duration_ms: null, exit_code: null, signal: null, execution_source: 'run_shell' };

  it('are named by the beginning of their command, and by their tool where nobody keeps it', () => {
    const rows = renderJobs({ jobs: [{ ...job, command_preview: 'make all' }, { ...job, command_preview: '' }] }, plain).split('\n').slice(1);
    expect(rows.map((row) => row.replace(/.* {2}/, ''))).toEqual(['make all', '(run_shell)']);
  });
});
