import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import { cliPlace, WC, type CliPlace } from './cli.js';
import { giveNodeTools, giveOwnTool } from './node-tools.js';

const REPOSITORIES = join(import.meta.dirname, '..', '..', 'fixtures', 'repositories');

let place: CliPlace;
beforeAll(() => {
  place = cliPlace();
});
afterAll(() => {
  place.close();
});

/** A fixture, what fails in it, and the edit that mends it. */
interface Case {
  readonly fixture: string;
  readonly prepare?: (project: string) => void;
  readonly parser: string;
  readonly counts: readonly [passed: number, failed: number, ignored: number];
  readonly failed: { readonly name: string; readonly message: RegExp; readonly file: string; readonly line: number };
  readonly mend: { readonly path: string; readonly from: string; readonly to: string };
}

const slug = { path: 'slug.js', from: ".replace(/[^a-z0-9]+/g, '-')", to: ".replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')" };
const CASES: readonly Case[] = [
  {
    fixture: 'parse-duration',
    parser: 'node_test/1',
    counts: [2, 1, 0],
    failed: { name: 'several parts are added up', message: /1800 !== 5400/, file: 'test/duration.test.js', line: 10 },
    mend: { path: 'src/duration.js', from: 'total = Number(', to: 'total += Number(' },
  },
  {
    fixture: 'slug-vitest',
    prepare: (project) => giveOwnTool(project, 'vitest'),
    parser: 'vitest/1',
    counts: [1, 1, 1],
    failed: { name: 'slug > has no dash at its ends', message: /expected 'hello-' to be 'hello'/, file: 'test/slug.test.js', line: 10 },
    mend: slug,
  },
  {
    fixture: 'slug-jest',
    prepare: giveNodeTools,
    parser: 'jest/1',
    counts: [1, 1, 1],
    failed: { name: 'slug > has no dash at its ends', message: /Expected: "hello" Received: "hello-"/, file: 'test/slug.test.js', line: 9 },
    mend: slug,
  },
  {
    fixture: 'word-count-python',
    parser: 'pytest/1',
    counts: [1, 1, 0],
    failed: { name: 'tests/test_word_count.py::test_case_does_not_matter', message: /^AssertionError: assert/, file: 'tests/test_word_count.py', line: 9 },
    mend: { path: 'word_count.py', from: 'text.split()', to: 'text.lower().split()' },
  },
  {
    fixture: 'parse-duration-go',
    parser: 'go_test/1',
    counts: [2, 1, 0],
    failed: {
      name: 'example.com/parse-duration.TestParse/1h30m',
      message: /^Parse\("1h30m"\) = 1800, true, want 5400$/,
      file: 'duration_test.go',
      line: 9,
    },
    mend: { path: 'duration.go', from: 'total = count * unit', to: 'total += count * unit' },
  },
  {
    fixture: 'parse-duration-rust',
    parser: 'cargo_test/1',
    counts: [2, 1, 0],
    failed: { name: 'tests::several_units', message: /^assertion `left == right` failed left: Some\(1800\)/, file: 'src/lib.rs', line: 39 },
    mend: {
      path: 'src/lib.rs',
      from: 'total = Some(number.parse::<u64>().ok()? * unit);',
      to: 'total = Some(total.unwrap_or(0) + number.parse::<u64>().ok()? * unit);',
    },
  },
];

function copyOf({ fixture, prepare }: Case): string {
  const project = join(place.folder, fixture);
  cpSync(join(REPOSITORIES, fixture), project, { recursive: true });
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n__pycache__/\n.pytest_cache/\n');
  place.shell('git init -q -b main && git add -A && git -c user.name=t -c user.email=t@localhost commit -q -m first', { cwd: project });
  prepare?.(project);
  return project;
}

function register(project: string): void {
  expect(place.wc(['project', 'add', project]).code).toBe(0);
}

function json(project: string, ...words: string[]): ToolResult & { readonly output: Record<string, unknown> } {
  const { out, err } = place.wc([...words, '--json'], { cwd: project });
  if (out === '') throw new Error(err);
  return JSON.parse(out) as ToolResult & { readonly output: Record<string, unknown> };
}

async function overMcp(name: string, args: Record<string, unknown>): Promise<ToolResult> {
  const client = new Client({ name: 'test', version: '1' }, {});
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', WC_HOME: place.home };
  await client.connect(new StdioClientTransport({ command: WC, args: ['mcp'], env, stderr: 'ignore' }));
  try {
    return (await client.callTool({ name, arguments: args })).structuredContent as ToolResult;
  } finally {
    await client.close();
  }
}

/** The finished validations of a Session as the exported ledger has them. */
function validationsOf(sessionId: string): readonly Record<string, unknown>[] {
  const file = join(place.folder, `${sessionId}.json`);
  expect(place.wc(['ledger', 'export', file]).code).toBe(0);
  const ledger = JSON.parse(readFileSync(file, 'utf8')) as { sessions: { session_id: string; events: Record<string, unknown>[] }[] };
  const session = ledger.sessions.find((one) => one.session_id === sessionId);
  return (session?.events ?? []).filter(({ kind, tool_name: tool }) => kind === 'tool_call_finished' && tool === 'project_validate');
}

describe('project_validate', () => {
  it.each(CASES)('finds the failing test of $fixture, and its pass resolves it under one target', { timeout: 120_000 }, async (one) => {
    const project = copyOf(one);
    const started = json(project, 'work-on-project', 'mend the failing test');
    const session = started.output['session_id'] as string;
    const id = started.output['project'] as string | { id: string };
    const projectId = typeof id === 'string' ? id : id.id;

    const before = json(project, 'project-validate', 'test', '--session', session, '--no-env');
    const [passed, failed, ignored] = one.counts;
    const file = one.failed.file;
    expect(before).toMatchObject({
      success: false,
      error: '1 test failed.',
      output: {
        error_kind: 'tests_failed',
        execution_state: 'completed',
        validation: {
          status: 'failed',
          parser: one.parser,
          evidence_kind: 'test_failure',
          evidence_reason_code: 'complete_summary',
          counts: { passed, failed, ignored, total: passed + failed + ignored },
          failed_tests: [{ name: one.failed.name, message: expect.stringMatching(one.failed.message) as string, file, line: one.failed.line }],
        },
      },
    });

    const { path, from, to } = one.mend;
    const change = { kind: 'edit', path, edits: [{ kind: 'replace_exact', old_text: from, new_text: to }] };
    const edited = json(project, 'edit-project-files', '--input', JSON.stringify({ project: projectId, session_id: session, changes: [change] }));
    expect(edited.success, JSON.stringify(edited)).toBe(true);

    const after = await overMcp('project_validate', { project: projectId, session_id: session, action: 'test' });
    expect(after).toMatchObject({
      success: true,
      output: {
        validation_target_id: before.output['validation_target_id'],
        validation: { status: 'passed', validation_passed: true, counts: { passed: passed + 1, failed: 0, ignored }, failed_tests: [] },
      },
    });

    const identity = `target:${before.output['validation_target_id'] as string}`;
    expect(validationsOf(session)).toMatchObject([
      { status: 'failed', context_result_summary: { validation_identity: identity }, validation_output_summary: { evidence: { status: 'failed', failures: [{ kind: 'test', name: one.failed.name, file }] } } },
      { status: 'succeeded', context_result_summary: { validation_identity: identity }, validation_output_summary: { evidence: { status: 'passed', failures: [] } } },
    ]);
  });

  it('shows people the same of a validator for one toolchain', { timeout: 60_000 }, () => {
    const project = join(place.folder, 'people-go');
    cpSync(join(REPOSITORIES, 'parse-duration-go'), project, { recursive: true });
    register(project);
    const { out, err, code } = place.wc(['go-test', '--no-env'], { cwd: project });
    expect(out).toMatch(/^failed {2}go_test {2}2 passed, 1 failed, 0 ignored, test_failure, [^\n]+\n\nFAILED TEST +WHERE +WHY\nexample\.com\/parse-duration\.TestParse\/1h30m {2}duration_test\.go:9 {2}/);
    expect([err, code]).toEqual(['error: 1 test failed. (tests_failed)\n', 1]);
  });

  it('shows people counts, and what failed where', () => {
    const project = join(place.folder, 'people');
    cpSync(join(REPOSITORIES, 'parse-duration'), project, { recursive: true });
    register(project);
    const { out, err, code } = place.wc(['project-validate', 'test', '--no-env'], { cwd: project });
    expect(out).toMatch(
      /^failed {2}node_test {2}2 passed, 1 failed, 0 ignored, test_failure, [\d.]+ m?s\n\nFAILED TEST {17}WHERE {21}WHY\nseveral parts are added up {2}test\/duration\.test\.js:10 {2}Expected values .*1800 !== 5400\n\ntarget {2}[0-9a-f]{24}\noutput {2}wc_out_[0-9a-f]+\n$/,
    );
    expect([err, code]).toEqual(['error: 1 test failed. (tests_failed)\n', 1]);
    const shown = place.wc(['project-validate', 'test', '--no-env', '--progress'], { cwd: project });
    expect(shown.err).toContain('several parts are added up');
    expect(shown.err).not.toContain('wc_report');
    const filtered = place.wc(['project-validate', 'test', '--no-env', '--filter', 'one part', '--min-tests', '2'], { cwd: project });
    expect(filtered.out).toMatch(/^evidence_gap {2}node_test {2}1 passed, 0 failed, 2 ignored/);
    expect([filtered.err, filtered.code]).toEqual(['error: 1 test ran, and at least 2 tests should have; no test failed. (validation_failed)\n', 1]);
  });

  it('checks types, lint and formatting with the tools of the package', { timeout: 120_000 }, () => {
    const project = join(place.folder, 'checked');
    mkdirSync(join(project, 'src'), { recursive: true });
    register(project);
    const write = (path: string, text: string): void => writeFileSync(join(project, path), text);
    write('package.json', '{\n  "name": "checked",\n  "private": true\n}\n');
    write('src/a.ts', "export const a: number = 'one';\n");
    giveNodeTools(project);
    const validate = (action: string): unknown => json(project, 'project-validate', action, '--no-env').output['validation'];

    expect(validate('format_check')).toMatchObject({ status: 'failed', kind: 'format', evidence_kind: 'format_diff', parser: 'prettier/1', diagnostics: [{ file: 'src/a.ts', message: 'not formatted' }] });
    write('.prettierrc', '{ "singleQuote": true }\n');
    expect(validate('format_check')).toMatchObject({ status: 'passed', diagnostics: [] });

    for (const [tool, name] of [['tsc', 'typescript'], ['eslint', 'eslint']] as const) giveOwnTool(project, tool, name);
    write('eslint.config.js', "export default [{ files: ['src/*.js'], rules: { 'no-unused-vars': 'error' } }];\n");
    write('src/b.js', 'const unused = 1;\n');
    expect(validate('check')).toMatchObject({
      status: 'failed',
      parser: 'eslint/1',
      diagnostics: [{ severity: 'error', code: 'no-unused-vars', file: 'src/b.js', line: 1, column: 7 }],
    });
    write('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src/*.ts"] }\n');
    expect(validate('check')).toMatchObject({
      status: 'failed',
      evidence_kind: 'compile_error',
      parser: 'tsc/1',
      diagnostics: [{ severity: 'error', code: 'TS2322', file: 'src/a.ts', line: 1, column: 14 }],
    });
    write('src/a.ts', "export const a: string = 'one';\n");
    expect(validate('check')).toMatchObject({ status: 'passed' });
  });
});
