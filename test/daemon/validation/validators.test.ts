import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/tool-result.js';
import type { HandlerOutcome } from '../../../src/daemon/kernel/tool.js';
import { ExecutionHouse, projectAt, sessionOn, type CallOptions, type DaemonSide } from '../execution/execution-house.js';
import { copyFixture, toolchainEnvironment } from './toolchains.js';

const environment = toolchainEnvironment();

/** The fields that validation adds. */
function validationOf({ result }: HandlerOutcome): JsonObject {
  return result.output['validation'] as JsonObject;
}

describe('validators on real toolchains', () => {
  const house = new ExecutionHouse();
  let daemon: DaemonSide;
  const call = (tool: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<HandlerOutcome> =>
    daemon.call(tool, args, { environment, ...options });

  beforeAll(() => {
    daemon = house.daemon();
    copyFixture('parse-duration-rust', join(house.projectPath, 'rust'));
    copyFixture('parse-duration-go', join(house.projectPath, 'go'));
  });
  afterAll(() => house.close());

  it('[03-A18] a Session’s default_cwd and default_shell are not inherited', async () => {
    mkdirSync(join(house.projectPath, 'elsewhere'));
    const session = sessionOn(house.project, { default_cwd: 'elsewhere', default_shell: 'sh' });
    const { result } = await call('cargo_check', {}, { session });
    expect(result.output).toMatchObject({ cwd: '.', shell: null, exit_code: 101 });
    expect(JSON.stringify(result.output['validation'])).toContain('could not find `Cargo.toml`');
  });

  it('[03-A18] with a Session resource a validator refuses and starts nothing', async () => {
    const session = sessionOn(house.project, { resource: 'build-box' });
    for (const tool of ['cargo_fmt', 'cargo_check', 'cargo_test', 'go_test']) {
      const outcome = await call(tool, {}, { session });
      expect(outcome.result.output).toMatchObject({
        error_kind: 'unsupported_resource',
        failure_kind: 'unsupported_resource',
        execution_state: 'not_started',
        state_changed: false,
      });
      expect(outcome.facts?.validationOutput).toBeUndefined();
    }
  });

  it('cargo_test: says which test failed, where and why, and keeps it as evidence', async () => {
    const outcome = await call('cargo_test', { cwd: 'rust' });
    const failed = {
      name: 'tests::several_units',
      message: 'assertion `left == right` failed left: Some(1800) right: Some(5400)',
      file: 'rust/src/lib.rs',
      line: 39,
    };
    expect(outcome.result).toMatchObject({
      success: false,
      error: '1 test failed.',
      output: {
        error_kind: 'tests_failed',
        failure_kind: 'command_exit_nonzero',
        exit_code: 101,
        validation: {
          adapter: 'rust',
          kind: 'test',
          status: 'failed',
          validation_passed: false,
          evidence_kind: 'test_failure',
          evidence_reason_code: 'complete_summary',
          parser: 'cargo_test/1',
          counts: { passed: 2, failed: 1, ignored: 0, total: 3 },
          count_assertion: null,
          failed_tests: [failed],
          failed_tests_total: 1,
        },
      },
    });
    expect(outcome.facts).toMatchObject({
      failureExpectationResult: 'unexpected_failure',
      validationOutput: {
        evidence: { kind: 'test', status: 'failed', failures: [{ kind: 'test', name: failed.name, file: failed.file, line: 39 }] },
      },
    });
  });

  it('[03-A17] [04-A40] min_tests 5 where 3 ran with exit 0: failed and a gap; without it the same target passes', async () => {
    copyFixture('parse-duration-rust', join(house.projectPath, 'rust-mended'));
    const source = join(house.projectPath, 'rust-mended/src/lib.rs');
    writeFileSync(source, readFileSync(source, 'utf8').replace('total = Some(number', 'total = Some(total.unwrap_or(0) + number'));
    const short = await call('cargo_test', { cwd: 'rust-mended', min_tests: 5 });
    expect(short.result).toMatchObject({ success: false, output: { exit_code: 0, command_ok: true } });
    expect(validationOf(short)).toMatchObject({
      status: 'evidence_gap',
      counts: { passed: 3, failed: 0, total: 3 },
      count_assertion: { minimum_tests: 5, actual_tests_run: 3, reason_code: 'minimum_not_met' },
    });
    const plain = await call('cargo_test', { cwd: 'rust-mended' });
    expect(plain.result.success).toBe(true);
    expect(validationOf(plain)).toMatchObject({ status: 'passed', validation_passed: true });
    expect(plain.result.output['validation_target_id']).toBe(short.result.output['validation_target_id']);
  });

  it('[06-A10] min_tests 5 where one ran: a failed call, a gap, no failing code, and the same target', async () => {
    const plain = await call('cargo_test', { cwd: 'rust', filter: 'no_' });
    expect(validationOf(plain)).toMatchObject({ status: 'passed', counts: { passed: 1, total: 1 } });
    const outcome = await call('cargo_test', { cwd: './rust/', filter: 'no_', min_tests: 5 });
    expect(outcome.result).toMatchObject({
      success: false,
      error: '1 test ran, and at least 5 tests should have; no test failed.',
      output: {
        error_kind: 'validation_failed',
        failure_kind: 'validation_failed',
        exit_code: 0,
        command_ok: true,
        validation_target_id: plain.result.output['validation_target_id'],
        validation: {
          status: 'evidence_gap',
          validation_passed: false,
          execution_success: true,
          evidence_kind: null,
          count_assertion: {
            minimum_tests: 5,
            actual_tests_run: 1,
            status: 'failed',
            reason_code: 'minimum_not_met',
            evidence_reason_code: 'complete_summary',
          },
        },
      },
    });
    expect(outcome.facts?.validationOutput?.evidence?.status).toBe('evidence_gap');
  });

  it('require_tests: no test matched, so the call fails; without it zero tests pass', async () => {
    expect(validationOf(await call('cargo_test', { cwd: 'rust', filter: 'nothing_like_it' }))).toMatchObject({ status: 'passed' });
    expect(validationOf(await call('cargo_test', { cwd: 'rust', filter: 'nothing_like_it', require_tests: true }))).toMatchObject({
      status: 'evidence_gap',
      count_assertion: { minimum_tests: 1, actual_tests_run: 0, reason_code: 'minimum_not_met' },
    });
  });

  it.each([
    [{ no_run: true, min_tests: 1 }],
    [{ no_run: true, require_tests: true }],
    [{ min_tests: 0 }],
    [{ min_tests: 1_000_001 }],
    [{ filter: '--nocapture' }],
    [{ filter: 'é'.repeat(101) }],
    [{ package: 'a\nb' }],
    [{ package: 'a', packages: ['b'] }],
    [{ packages: [] }],
    [{ features: ['-Z'] }],
    [{ accepted_exit_codes: [0] }],
  ])('cargo_test %j is refused before anything starts', async (args) => {
    const { result } = await call('cargo_test', { cwd: 'rust', ...args });
    expect(result.output).toMatchObject({ error_kind: 'invalid_arguments' });
  });

  it('an expected failure is neutral, and rewrites nothing of the run', async () => {
    const outcome = await call('cargo_test', { cwd: 'rust', result_expectation: 'failure' });
    expect(outcome.result).toMatchObject({ success: false, output: { exit_code: 101, validation: { status: 'expected_result', validation_passed: false } } });
    expect(outcome.facts?.failureExpectationResult).toBe('matched_expected_failure');
  });

  it('cargo_check: names what does not compile', async () => {
    const file = join(house.projectPath, 'rust', 'src', 'broken.rs');
    const lib = join(house.projectPath, 'rust', 'src', 'lib.rs');
    const before = readFileSync(lib, 'utf8');
    expect(validationOf(await call('cargo_check', { cwd: 'rust' }))).toMatchObject({ status: 'passed', counts: null });
    writeFileSync(file, 'pub fn wrong() -> u32 { "text" }\n');
    writeFileSync(lib, `${before}mod broken;\n`);
    const outcome = await call('cargo_check', { cwd: 'rust' });
    writeFileSync(lib, before);
    expect(outcome.result).toMatchObject({
      success: false,
      output: {
        error_kind: 'validation_failed',
        validation: {
          evidence_kind: 'compile_error',
          diagnostics: [{ severity: 'error', code: 'E0308', message: 'mismatched types', file: 'rust/src/broken.rs', line: 1, column: 25 }],
                  },
      },
    });
  });

  it('cargo_fmt: checks without writing, then writes, and takes an expectation only for a check', async () => {
    const file = join(house.projectPath, 'rust', 'src', 'lib.rs');
    const tidy = readFileSync(file, 'utf8');
    appendFileSync(file, 'fn   spaced ( ) { }\n');
    const untidy = readFileSync(file, 'utf8');
    const check = await call('cargo_fmt', { cwd: 'rust', check: true });
    expect(validationOf(check)).toMatchObject({
      kind: 'format',
      status: 'failed',
      evidence_kind: 'format_diff',
      diagnostics: [{ file: 'rust/src/lib.rs', line: tidy.split('\n').length - 3 }],
    });
    expect(readFileSync(file, 'utf8')).toBe(untidy);
    expect((await call('cargo_fmt', { cwd: 'rust', result_expectation: 'observe' })).result.output).toMatchObject({ error_kind: 'invalid_arguments' });
    expect(validationOf(await call('cargo_fmt', { cwd: 'rust' }))).toMatchObject({ status: 'passed' });
    expect(readFileSync(file, 'utf8')).toBe(`${tidy}fn spaced() {}\n`);
    expect(validationOf(await call('cargo_fmt', { cwd: 'rust', check: true }))).toMatchObject({ status: 'passed' });
    writeFileSync(file, tidy);
  });

  it('project_validate: a failing harness of a workspace keeps none of the others from running', async () => {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(house.projectPath, 'crates', path)), { recursive: true });
      writeFileSync(join(house.projectPath, 'crates', path), text);
    };
    write('Cargo.toml', '[workspace]\nmembers = ["one", "two"]\nresolver = "2"\n');
    for (const name of ['one', 'two']) {
      write(`${name}/Cargo.toml`, `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n`);
      write(`${name}/src/lib.rs`, `#[test]\nfn ${name}_fails() {\n    assert!(false);\n}\n#[test]\nfn passes() {}\n`);
    }
    const project = projectAt(join(house.projectPath, 'crates'), 'crates');
    const { result } = await call('project_validate', { action: 'test', sync_wait_secs: 60 }, { project });
    expect(result.output['validation']).toMatchObject({
      counts: { passed: 2, failed: 2, ignored: 0, total: 4 },
      failed_tests: [{ name: 'one_fails', file: 'one/src/lib.rs', line: 3 }, { name: 'two_fails', file: 'two/src/lib.rs', line: 3 }],
      diagnostics: [],
    });
  });

  it('go_test: says which subtest failed, where and why; the fix passes with the same target', async () => {
    const first = await call('go_test', { cwd: 'go', require_tests: true });
    expect(first.result).toMatchObject({
      success: false,
      output: {
        error_kind: 'tests_failed',
        validation: {
          adapter: 'go',
          status: 'failed',
          counts: { passed: 2, failed: 1, ignored: 0, total: 3 },
          failed_tests: [
            {
              name: 'example.com/parse-duration.TestParse/1h30m',
              message: 'Parse("1h30m") = 1800, true, want 5400',
              file: 'go/duration_test.go',
              line: 9,
            },
          ],
        },
      },
    });
    const file = join(house.projectPath, 'go', 'duration.go');
    writeFileSync(file, readFileSync(file, 'utf8').replace('total = count * unit', 'total += count * unit'));
    const second = await call('go_test', { cwd: './go', packages: ['./...', './...'] });
    expect(validationOf(second)).toMatchObject({ status: 'passed', counts: { passed: 3, failed: 0, ignored: 0, total: 3 } });
    expect(second.result.output['validation_target_id']).toBe(first.result.output['validation_target_id']);
    expect(second.result.output['validation_target_id']).toMatch(/^[0-9a-f]{24}$/);
  });

  it('go_test: what does not compile is no failed test', async () => {
    writeFileSync(join(house.projectPath, 'go', 'broken.go'), 'package duration\n\nfunc x() int { return y }\n');
    const outcome = await call('go_test', { cwd: 'go' });
    expect(validationOf(outcome)).toMatchObject({
      evidence_kind: 'compile_error',
      counts: null,
      diagnostics: [{ file: 'go/broken.go', line: 3, message: 'undefined: y' }],
      failed_tests_total: 0,
    });
    writeFileSync(join(house.projectPath, 'go', 'broken.go'), 'package duration\n');
  });

  it.each([[['../x']], [['./a/../b']], [['all']], [[]], [Array.from({ length: 9 }, () => '.')]])('go_test packages %j are refused', async (packages) => {
    expect((await call('go_test', { cwd: 'go', packages })).result.output).toMatchObject({ error_kind: 'invalid_arguments' });
  });

  it('a run that takes longer goes on as a Job with the same fields, and the Job knows its target', async () => {
    writeFileSync(
      join(house.projectPath, 'go', 'slow_test.go'),
      'package duration\n\nimport ("testing"; "time"; "fmt")\n\nfunc TestSlow(t *testing.T) { time.Sleep(2500 * time.Millisecond); fmt.Println(time.Now()) }\n',
    );
    const outcome = await call('go_test', { cwd: 'go', sync_wait_secs: 1 });
    expect(outcome.result).toMatchObject({
      success: true,
      output: { execution_state: 'running', promoted_to_job: true, validation: { status: 'pending', validation_passed: null } },
    });
    const jobId = outcome.result.output['job_id'];
    const { jobs } = await daemon.output('list_jobs', {});
    expect(jobs).toMatchObject([{ job_id: jobId, validation_target_id: outcome.result.output['validation_target_id'] }]);
    const seen = await daemon.output('observe_jobs', (outcome.result.output['continuation'] as JsonObject)['arguments'] as JsonObject);
    expect(seen['items']).toMatchObject([{ job_id: jobId, status: 'completed', exit_code: 0 }]);
  });

  it('[06-A8] a time-out is its own evidence, and no declared failure', async () => {
    writeFileSync(
      join(house.projectPath, 'go', 'hanging_test.go'),
      'package duration\n\nimport "testing"\n\nfunc TestHangs(t *testing.T) { for { } }\n',
    );
    const outcome = await call('go_test', { cwd: 'go', timeout_secs: 1, packages: ['.'], result_expectation: 'failure' });
    expect(outcome.result.output).toMatchObject({
      error_kind: 'timeout',
      execution_state: 'timed_out',
      validation: { status: 'failed', evidence_kind: 'timeout', counts: null, failure_expectation_result: 'unexpected_failure', expectation_satisfied: false },
    });
    expect(outcome.facts?.failureExpectationResult).toBe('unexpected_failure');
  });
});

describe('a validator whose output is longer than the spool', () => {
  const house = new ExecutionHouse({ spool_max_bytes: 64 * 1024 });
  afterAll(() => house.close());

  it('[06-A11] proves no count, so that min_tests is unproven and the call fails with a gap', async () => {
    const daemon = house.daemon();
    writeFileSync(join(house.projectPath, 'go.mod'), 'module example.com/loud\n\ngo 1.19\n');
    const loud = 'for i := 0; i < 2000; i++ { t.Log("a line of what it has to say, and not a short one") }';
    writeFileSync(join(house.projectPath, 'a_test.go'), `package loud\n\nimport "testing"\n\nfunc TestLoud(t *testing.T) { ${loud} }\n`);
    const outcome = await daemon.call('go_test', { min_tests: 1 }, { environment });
    expect(outcome.result).toMatchObject({
      success: false,
      error: 'The output does not prove that 1 test ran; no test is known to have failed.',
      output: {
        error_kind: 'validation_failed',
        exit_code: 0,
        validation: {
          status: 'evidence_gap',
          counts: null,
          count_assertion: { minimum_tests: 1, actual_tests_run: null, status: 'unproven', reason_code: 'test_count_unproven', evidence_reason_code: 'output_truncated' },
        },
      },
    });
    expect(outcome.facts?.validationOutput?.evidence).toMatchObject({ status: 'evidence_gap', evidence_reason_code: 'output_truncated' });
    expect((await daemon.call('go_test', {}, { environment })).result).toMatchObject({ success: true, output: { validation: { status: 'passed', counts: null } } });
  });
});
