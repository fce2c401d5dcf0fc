import { describe, expect, it } from 'vitest';
import { createGoTestParser } from '../../../../src/daemon/validation/adapters/go/go-test-parser.js';
import { isPackagePattern } from '../../../../src/daemon/validation/adapters/go/package-patterns.js';
import { parse } from '../parse.js';

const HINTS = { module: 'example.com/demo', module_folder: '.' };
const DEMO = 'example.com/demo';

/** Events as lines: `[action, test, output]`. */
function stream(name: string, events: readonly (readonly [string, (string | null)?, string?])[]): string {
  return events
    .map(([Action, Test, Output]) =>
      JSON.stringify({
        Time: '2026-11-30T22:19:22Z',
        Action,
        Package: name,
        ...(Test === undefined || Test === null ? {} : { Test }),
        ...(Output === undefined ? {} : { Output }),
      }),
    )
    .join('\n')
    .concat('\n');
}

const FAILING = stream(DEMO, [
  ['run', 'TestAdd'],
  ['output', 'TestAdd', '=== RUN   TestAdd\n'],
  ['output', 'TestAdd', '    a_test.go:3: got -1\n'],
  ['output', 'TestAdd', '--- FAIL: TestAdd (0.00s)\n'],
  ['fail', 'TestAdd'],
  ['run', 'TestSub'],
  ['run', 'TestSub/one'],
  ['output', 'TestSub/one', '    a_test.go:4: bad\n'],
  ['output', 'TestSub/one', '        second\n'],
  ['run', 'TestSub/two_words'],
  ['output', 'TestSub', '--- FAIL: TestSub (0.00s)\n'],
  ['output', 'TestSub/one', '    --- FAIL: TestSub/one (0.00s)\n'],
  ['fail', 'TestSub/one'],
  ['pass', 'TestSub/two_words'],
  ['fail', 'TestSub'],
  ['run', 'TestSkip'],
  ['skip', 'TestSkip'],
  ['output', null, 'FAIL\n'],
  ['fail'],
]);

describe('go test -json', () => {
  it('counts a test with subtests as what they are, and names files by their package’s folder', () => {
    expect(parse(createGoTestParser, { stdout: FAILING }, { exitCode: 1 }, { hints: { module: DEMO, module_folder: 'go' } })).toEqual({
      counts: { passed: 1, failed: 2, ignored: 1, total: 4 },
      reason: 'complete_summary',
      evidenceKind: 'test_failure',
      diagnostics: { items: [], total: 0 },
      failedTests: {
        items: [
          { name: 'example.com/demo.TestAdd', message: 'got -1', file: 'go/a_test.go', line: 3 },
          { name: 'example.com/demo.TestSub/one', message: 'bad', file: 'go/a_test.go', line: 4 },
        ],
        total: 2,
      },
    });
  });

  it('a test that failed after its subtests passed is one failure more', () => {
    const stdout = stream(DEMO, [['run', 'TestA'], ['run', 'TestA/x'], ['pass', 'TestA/x'], ['fail', 'TestA'], ['fail']]);
    expect(parse(createGoTestParser, { stdout }, { exitCode: 1 }).counts).toEqual({ passed: 1, failed: 1, ignored: 0, total: 2 });
  });

  it('a panic fails the test that it came from; others that only printed their end are taken at their word', () => {
    const stdout = stream(`${DEMO}/pan`, [
      ['run', 'TestOk'],
      ['output', 'TestOk', 'hello {"Action":"pass"}\n'],
      ['output', 'TestOk', 'no newline--- PASS: TestOk (0.00s)\n'],
      ['run', 'TestP'],
      ['output', 'TestP', 'panic: assignment to entry in nil map [recovered]\n'],
      ['output', 'TestP', '\t/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e\n'],
      ['output', 'TestP', '\t/srv/demo/pan/p_test.go:4 +0x2e\n'],
      ['output', null, 'FAIL\texample.com/demo/pan\t0.005s\n'],
      ['fail'],
    ]);
    expect(parse(createGoTestParser, { stdout }, { exitCode: 1 }, { hints: HINTS })).toMatchObject({
      counts: { passed: 1, failed: 1, ignored: 0, total: 2 },
      reason: 'complete_summary',
      failedTests: {
        items: [
          {
            name: 'example.com/demo/pan.TestP',
            message: 'panic: assignment to entry in nil map [recovered]',
            file: 'pan/p_test.go',
            line: 4,
          },
        ],
      },
    });
  });

  it('a test that ended its whole process did not finish, and its package’s count is unproven', () => {
    const stdout = stream(DEMO, [['run', 'TestA'], ['pass', 'TestA'], ['run', 'TestExit'], ['output', null, 'FAIL\n'], ['fail']]);
    expect(parse(createGoTestParser, { stdout }, { exitCode: 1 })).toMatchObject({
      counts: null,
      reason: 'partial_harness_summary',
      failedTests: { items: [{ name: 'example.com/demo.TestExit', message: 'it did not finish' }] },
    });
  });

  it.each([
    [
      'before 1.24, between the events',
      { stdout: `FAIL\t${DEMO}/bad [build failed]\n`, stderr: `# ${DEMO}/bad [${DEMO}/bad.test]\nbad/b.go:2:12: undefined: y\n` },
    ],
    [
      'as events since 1.24',
      {
        stdout: [
          { ImportPath: `${DEMO}/bad`, Action: 'build-output', Output: `# ${DEMO}/bad\n` },
          { ImportPath: `${DEMO}/bad`, Action: 'build-output', Output: 'bad/b.go:2:12: undefined: y\n' },
          { ImportPath: `${DEMO}/bad`, Action: 'build-fail' },
          { Action: 'start', Package: `${DEMO}/bad` },
          { Action: 'output', Package: `${DEMO}/bad`, Output: `FAIL\t${DEMO}/bad [build failed]\n` },
          { Action: 'fail', Package: `${DEMO}/bad`, FailedBuild: `${DEMO}/bad` },
        ]
          .map((event) => JSON.stringify(event))
          .join('\n'),
      },
    ],
  ])('a package that does not compile, %s', (_when, output) => {
    expect(parse(createGoTestParser, output, { exitCode: 1 })).toMatchObject({
      counts: null,
      evidenceKind: 'compile_error',
      diagnostics: { items: [{ severity: 'error', message: 'undefined: y', file: 'bad/b.go', line: 2, column: 12 }], total: 1 },
    });
  });

  it('a cached package counts, one without test files proves zero tests', () => {
    const cached = stream(DEMO, [['run', 'TestA'], ['pass', 'TestA'], ['output', null, 'ok  \texample.com/demo\t(cached)\n'], ['pass']]);
    const none = stream(`${DEMO}/sub`, [['output', null, '?   \texample.com/demo/sub\t[no test files]\n'], ['skip']]);
    expect(parse(createGoTestParser, { stdout: cached + none })).toMatchObject({
      counts: { passed: 1, failed: 0, ignored: 0, total: 1 },
      reason: 'complete_summary',
    });
    expect(parse(createGoTestParser, { stdout: none })).toMatchObject({
      counts: { passed: 0, failed: 0, ignored: 0, total: 0 },
      reason: 'complete_summary',
    });
  });

  it('a stream that ends in the middle, or has a part missing, proves no count', () => {
    const cut = FAILING.split('\n').slice(0, 8).join('\n');
    expect(parse(createGoTestParser, { stdout: cut }, { exitCode: -1, timedOut: true })).toMatchObject({
      counts: null,
      reason: 'incomplete_stream',
      failedTests: { total: 1 },
    });
    expect(parse(createGoTestParser, { stdout: FAILING }, { truncated: true })).toMatchObject({ counts: null, reason: 'output_truncated' });
    expect(parse(createGoTestParser, {})).toMatchObject({ counts: null, reason: 'no_complete_summary' });
  });

  it('go’s own refusal is a diagnostic', () => {
    expect(parse(createGoTestParser, { stderr: 'go: cannot find main module, but found .git/config in /work\n' }, { exitCode: 1 })).toMatchObject({
      evidenceKind: 'compile_error',
      diagnostics: { items: [{ message: 'cannot find main module, but found .git/config in /work', file: null }] },
    });
  });
});

describe('package patterns', () => {
  it.each(['.', './x', './...', './x/...', './x/y-z_1'])('takes %s', (pattern) => expect(isPackagePattern(pattern)).toBe(true));
  it.each(['', './', '..', './..', './../x', './x/../y', './x/./y', './x/.../y', 'x', '/x', '-x', './é', './a b', 'all', `./${'x'.repeat(255)}`])(
    'refuses %j',
    (pattern) => expect(isPackagePattern(pattern)).toBe(false),
  );
});
