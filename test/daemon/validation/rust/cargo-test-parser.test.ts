import { describe, expect, it } from 'vitest';
import { createCargoTestParser } from '../../../../src/daemon/validation/adapters/rust/cargo-test-parser.js';
import { parse } from '../parse.js';

const STARTED = `   Compiling demo v0.1.0 (/srv/demo)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 1.01s
     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)
`;

const FAILING = `
running 6 tests
test tests::panics - should panic ... ok
test tests::adds ... FAILED
test tests::expects - should panic ... FAILED
test tests::slow ... ignored, slow
test tests::zero ... ok
test tests::result ... FAILED

failures:

---- tests::adds stdout ----
test result: ok. 6 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

thread 'tests::adds' (16494) panicked at src/lib.rs:9:132:
assertion \`left == right\` failed: one and
two
  left: -1
 right: 3
stack backtrace:
   0: __rustc::rust_begin_unwind
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.

---- tests::expects stdout ----

thread 'tests::expects' (16507) panicked at src/lib.rs:14:60:
x
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
note: panic did not contain expected string
      panic message: "x"
 expected substring: "abc"
---- tests::result stdout ----
Error: "boom"


failures:
    tests::adds
    tests::expects
    tests::result

test result: FAILED. 2 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.09s

`;

const passing = (count: number): string => `
running ${count} test${count === 1 ? '' : 's'}
${Array.from({ length: count }, (_value, index) => `test t${index} ... ok\n`).join('')}
test result: ok. ${count} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;

describe('cargo test', () => {
  it('says which tests failed, where and why, and is not taken in by what a failed test printed', () => {
    const parsed = parse(createCargoTestParser, { stdout: FAILING, stderr: `${STARTED}error: test failed, to rerun pass \`--lib\`\n` }, { exitCode: 101 });
    expect(parsed).toEqual({
      counts: { passed: 2, failed: 3, ignored: 1, total: 6 },
      reason: 'complete_summary',
      evidenceKind: 'test_failure',
      diagnostics: { items: [], total: 0 },
      failedTests: {
        items: [
          {
            name: 'tests::adds',
            message: 'assertion `left == right` failed: one and two left: -1 right: 3',
            file: 'src/lib.rs',
            line: 9,
          },
          { name: 'tests::expects', message: 'x', file: 'src/lib.rs', line: 14 },
          { name: 'tests::result', message: 'Error: "boom"', file: null, line: null },
        ],
        total: 3,
      },
    });
  });

  it('adds up several harnesses and the documentation tests', () => {
    const stderr = `${STARTED}     Running tests/outer.rs (target/debug/deps/outer-c3f780f4ebc756c0)\n   Doc-tests demo\n`;
    expect(parse(createCargoTestParser, { stdout: passing(3) + passing(1) + passing(2), stderr })).toMatchObject({
      counts: { passed: 6, failed: 0, ignored: 0, total: 6 },
      reason: 'complete_summary',
      evidenceKind: null,
    });
  });

  it('a harness that cargo started and that never summed up makes the counts unproven', () => {
    const stderr = `${STARTED}     Running tests/outer.rs (target/debug/deps/outer-c3f780f4ebc756c0)\n`;
    const begun = '\nrunning 2 tests\ntest a ... ok\n';
    for (const stdout of [passing(3), passing(3) + begun]) {
      expect(parse(createCargoTestParser, { stdout, stderr }, { exitCode: 101 })).toMatchObject({
        counts: null,
        reason: 'partial_harness_summary',
        evidenceKind: null,
      });
    }
  });

  it('an output with a part missing proves no count', () => {
    expect(parse(createCargoTestParser, { stdout: passing(3), stderr: STARTED }, { truncated: true })).toMatchObject({
      counts: null,
      reason: 'output_truncated',
    });
  });

  it('zero tests are a count, no summary is none', () => {
    expect(parse(createCargoTestParser, { stdout: passing(0), stderr: STARTED })).toMatchObject({
      counts: { passed: 0, failed: 0, ignored: 0, total: 0 },
      reason: 'complete_summary',
    });
    expect(parse(createCargoTestParser, { stdout: 'hello\n', stderr: '' })).toMatchObject({ counts: null, reason: 'no_complete_summary' });
  });

  it('a summary whose numbers do not add up to what its block announced is none', () => {
    const stdout = '\nrunning 2 tests\ntest result: ok. 900 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest a ... ok\ntest b ... ok\n';
    expect(parse(createCargoTestParser, { stdout, stderr: STARTED })).toMatchObject({ counts: null, reason: 'partial_harness_summary' });
  });

  it('what does not compile is a compile error, told once however often it was compiled', () => {
    const error = `error[E0308]: mismatched types
 --> src/lib.rs:5:31
  |
5 | pub fn add(a: i32, b: i32) -> i32 { a + "x" }
  |        ---                    ^^^ expected \`i32\`, found \`()\`
help: the trait is implemented for
 --> /rustc/59807616/library/core/src/ops/arith.rs:99:8
`;
    const stderr = `   Compiling demo v0.1.0 (/srv/demo)
warning: unused variable: \`y\`
 --> src/lib.rs:2:9
  |
warning: \`demo\` (lib) generated 1 warning
${error}
Some errors have detailed explanations: E0277, E0308.
error: could not compile \`demo\` (lib) due to 1 previous error
warning: build failed, waiting for other jobs to finish...
${error}
error: could not compile \`demo\` (lib test) due to 1 previous error
`;
    expect(parse(createCargoTestParser, { stderr }, { exitCode: 101 })).toEqual({
      counts: null,
      reason: 'no_complete_summary',
      evidenceKind: 'compile_error',
      diagnostics: {
        items: [
          { severity: 'error', code: 'E0308', message: 'mismatched types', file: 'src/lib.rs', line: 5, column: 31 },
          { severity: 'warning', code: null, message: 'unused variable: `y`', file: 'src/lib.rs', line: 2, column: 9 },
        ],
        total: 2,
      },
      failedTests: { items: [], total: 0 },
    });
  });

  it('reads coloured output, and messages of rustc before 1.73', () => {
    const stdout = `
running 1 test
test tests::old ... \u001b[31mFAILED\u001b[m

failures:

---- tests::old stdout ----
thread 'tests::old' panicked at 'explicit panic', src/lib.rs:7:5

failures:
    tests::old

test result: \u001b[31mFAILED\u001b[m. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;
    expect(parse(createCargoTestParser, { stdout, stderr: STARTED }, { exitCode: 101 }).failedTests.items).toEqual([
      { name: 'tests::old', message: 'explicit panic', file: 'src/lib.rs', line: 7 },
    ]);
  });

  it('names 20 failures of 25 and counts them all; a message has at most 240 characters', () => {
    const names = Array.from({ length: 25 }, (_value, index) => `tests::t${String(index).padStart(2, '0')}`);
    const stdout = [
      'running 25 tests',
      ...names.map((name) => `test ${name} ... FAILED`),
      '',
      'failures:',
      '',
      ...names.flatMap((name) => [`---- ${name} stdout ----`, `thread '${name}' panicked at src/lib.rs:1:1:`, 'é'.repeat(900), '']),
      'failures:',
      ...names.map((name) => `    ${name}`),
      '',
      'test result: FAILED. 0 passed; 25 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
    ].join('\n');
    const { failedTests } = parse(createCargoTestParser, { stdout, stderr: STARTED }, { exitCode: 101 });
    expect(failedTests.items.map(({ name }) => name)).toEqual(names.slice(0, 20));
    expect(failedTests.total).toBe(25);
    expect([...(failedTests.items[0]?.message ?? '')]).toHaveLength(240);
  });

  it('names files relative to the project, from the workspace that a member is in; files outside have no name', () => {
    const stderr = 'error: bad\n --> crates/a/src/lib.rs:1:2\nerror: worse\n --> /usr/share/x.rs:1:2\nerror: could not compile `a` (lib) due to 2 previous errors\n';
    const { diagnostics } = parse(createCargoTestParser, { stderr }, { exitCode: 101 }, { cwd: 'rs/crates/a', hints: { workspace: 'rs' } });
    expect(diagnostics.items.map(({ file }) => file)).toEqual(['rs/crates/a/src/lib.rs', null]);
  });
});
