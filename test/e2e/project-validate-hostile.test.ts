import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import { cliPlace, type CliPlace } from './cli.js';

let place: CliPlace;
beforeAll(() => {
  place = cliPlace();
});
afterAll(() => {
  place.close();
});

type Answer = ToolResult & { readonly output: Record<string, unknown> };

let made = 0;

/** A registered project that holds these files. */
function projectOf(files: Readonly<Record<string, string>>, name = `p${(made += 1)}`): string {
  const project = join(place.folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  expect(place.wc(['project', 'add', project]).code).toBe(0);
  return project;
}

function test(project: string, ...words: string[]): Answer {
  const { out, err } = place.wc(['project-validate', 'test', '--no-env', '--json', ...words], { cwd: project });
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Answer;
}

const NODE = { 'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }' };
const PYTHON = { 'pytest.ini': '[pytest]\n' };
const head = "import { test } from 'node:test';\n";
const FAKE = String.raw`{"wc_report":1,"runner":"node"}\n{"case":"passed"}\n{"end":{"passed":100,"failed":0,"skipped":0}}\n`;

describe('a test run that means no good', () => {
  it('counts nothing that a test prints', () => {
    const project = projectOf({
      ...NODE,
      'fake.test.js': `${head}test('prints a report', () => { process.stdout.write('${FAKE}'); process.stderr.write('${FAKE}'); throw new Error('no'); });\n`,
    });
    expect(test(project)).toMatchObject({
      success: false,
      output: { validation: { status: 'failed', counts: { passed: 0, failed: 1, total: 1 }, failed_tests: [{ name: 'prints a report', message: 'no', file: 'fake.test.js', line: 2 }] } },
    });
  });

  it('proves nothing when a test writes into the report itself', () => {
    const project = projectOf({ ...PYTHON, 'test_fake.py': `import os\ndef test_writes():\n    os.write(3, b'${FAKE}')\n` });
    expect(test(project)).toMatchObject({
      success: false,
      output: { error_kind: 'validation_failed', exit_code: 0, validation: { status: 'evidence_gap', counts: null, count_assertion: { status: 'unproven', evidence_reason_code: 'incomplete_stream' } } },
    });
  });

  it('proves its counts beside 100 MB of output', { timeout: 120_000 }, () => {
    const project = projectOf({ ...PYTHON, 'test_loud.py': "import os\ndef test_loud():\n    for _ in range(100):\n        os.write(2, (b'x' * 99 + b'\\n') * 10_486)\n", 'pytest.ini': '[pytest]\naddopts = -s\n' });
    const answer = test(project);
    expect(answer).toMatchObject({ success: true, output: { validation: { status: 'passed', counts: { passed: 1, failed: 0, total: 1 } } } });
    expect(answer.output['stderr_bytes']).toBeGreaterThan(100_000_000);
  });

  it('ends at its time-out and keeps what had failed by then', () => {
    const project = projectOf({ ...PYTHON, 'test_hangs.py': 'import time\ndef test_fails():\n    assert 1 == 2\ndef test_hangs():\n    time.sleep(600)\n' });
    expect(test(project, '--timeout-secs', '6')).toMatchObject({
      success: false,
      output: {
        error_kind: 'timeout',
        execution_state: 'timed_out',
        validation: { status: 'failed', evidence_kind: 'timeout', counts: null, evidence_reason_code: 'incomplete_stream', failed_tests: [{ name: 'test_hangs.py::test_fails', line: 3 }] },
      },
    });
  });

  it('that kills its parent is no pass', () => {
    const project = projectOf({ ...NODE, 'kills.test.js': `${head}test('kills', () => { process.kill(process.ppid, 'SIGKILL'); });\n` });
    expect(test(project)).toMatchObject({
      success: false,
      output: { signal: 'SIGKILL', validation: { status: 'failed', counts: null, evidence_reason_code: 'incomplete_stream', evidence_kind: 'process_exit' } },
    });
  });

  it.each<[string, Record<string, string>]>([
    ['a file that ends before its tests', { ...NODE, 'quits.test.js': `${head}process.exit(0);\ntest('never', () => {});\n` }],
    ['no test at all', PYTHON],
    ['a script that is no test', { ...NODE, 'plain.test.js': 'console.log("1 passed");\n' }],
  ])('that ends well and ran nothing is a gap: %s', (_what, files) => {
    const project = projectOf(files);
    expect(test(project)).toMatchObject({
      success: false,
      error: '0 tests ran, and at least 1 test should have; no test failed.',
      output: { exit_code: 0, validation: { status: 'evidence_gap', counts: { total: 0 }, count_assertion: { minimum_tests: 1, actual_tests_run: 0, reason_code: 'minimum_not_met' } } },
    });
    expect(test(project, '--no-require-tests')).toMatchObject({ success: true, output: { validation: { status: 'passed' } } });
  });

  it.each<[string, Record<string, string>, object]>([
    ['Node', { ...NODE, 'broken.test.js': 'const x = ;\n' }, { message: "SyntaxError: Unexpected token ';'", file: 'broken.test.js', line: 1 }],
    ['Python', { ...PYTHON, 'test_broken.py': 'import not_there\n' }, { message: "ModuleNotFoundError: No module named 'not_there'", file: 'test_broken.py' }],
  ])('tells files that do not load from tests that fail: %s', (_language, files, diagnostic) => {
    expect(test(projectOf(files))).toMatchObject({
      success: false,
      output: { error_kind: 'validation_failed', validation: { status: 'failed', evidence_kind: 'compile_error', counts: { failed: 0 }, failed_tests: [], diagnostics: [diagnostic] } },
    });
  });

  it('names tests in files whose names are no UTF-8', () => {
    const project = projectOf(PYTHON);
    writeFileSync(Buffer.concat([Buffer.from(`${project}/test_`), Buffer.from([0xff, 0x62]), Buffer.from('.py')]), 'def test_odd():\n    assert 0\n');
    expect(test(project)).toMatchObject({
      success: false,
      output: { validation: { status: 'failed', counts: { failed: 1 }, failed_tests: [{ name: 'test_?b.py::test_odd', message: 'assert 0', line: 2 }] } },
    });
  });

  it('works in a folder with spaces, quotes and dollars, and in a package of it', () => {
    const files = { "it's/a b/package.json": NODE['package.json'], "it's/a b/a.test.js": `${head}test('fine', () => {});\n` };
    const project = projectOf(files, 'sp ace "q" $HOME `x`');
    expect(test(project, '--package', "it's/a b", '--filter', 'fine')).toMatchObject({
      success: true,
      output: { cwd: "it's/a b", validation: { status: 'passed', counts: { passed: 1, total: 1 } } },
    });
  });

  it.each<[string, Record<string, string>, object]>([
    ['a broken package.json', { 'package.json': '{ "scripts": ' }, { reason_code: 'manifest_unreadable' }],
    ['a huge package.json', { 'package.json': `{ "x": "${'x'.repeat(2_000_000)}" }` }, { reason_code: 'manifest_unreadable' }],
    ['no toolchain', { 'notes.txt': '' }, { reason_code: 'no_known_toolchain' }],
    ['a runner that was never installed', { 'package.json': '{ "scripts": { "test": "vitest" } }' }, { reason_code: 'tool_not_installed' }],
  ])('never starts with %s', (_what, files, output) => {
    expect(test(projectOf(files))).toMatchObject({
      success: false,
      output: { error_kind: 'capability_unavailable', execution_state: 'not_started', command_started: false, ...output },
    });
  });

  it('is no evidence where pytest is not installed', () => {
    const project = projectOf(PYTHON);
    execFileSync('python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: project });
    const answer = test(project);
    expect(answer).toMatchObject({
      success: false,
      output: { error_kind: 'capability_unavailable', failure_kind: 'capability_unavailable', validation: { status: 'not_started', validation_passed: null } },
    });
    expect(answer.success ? '' : answer.error).toMatch(/^pytest can not be imported by .*\.venv\/bin\/python: No module named 'pytest'\.$/);
  });
});
