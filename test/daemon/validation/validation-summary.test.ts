import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HandlerOutcome } from '../../../src/daemon/kernel/tool.js';
import type { TemporaryProject } from '../../runner/temporary-project.js';
import { edited, ended, scriptedTools } from '../continuity/scripted-tools.js';
import { taskHouse, type Result, type TaskHouse } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';
import { counts, failedTest, OTHER_TARGET, scriptedValidator, tested, testsFailed } from './validation-scripts.js';

let project: TemporaryProject;
let house: TaskHouse;
let scripted: ReturnType<typeof scriptedTools>;
let cargo: ReturnType<typeof scriptedValidator>;
let go: ReturnType<typeof scriptedValidator>;
let sessionId: string;

beforeEach(async () => {
  project = await temporaryRepository();
  scripted = scriptedTools();
  cargo = scriptedValidator('cargo_test');
  go = scriptedValidator('go_test');
  house = await taskHouse({ tools: [...scripted.tools, cargo.tool, go.tool] });
  await house.call('register_project', { path: project.folder, id: 'a' });
  sessionId = (await house.call('work_on_project', { project: 'a', instruction: 'fix the bug' })).output['session_id'] as string;
});
afterEach(async () => {
  await house.close();
  await project.remove();
});

interface Summary {
  readonly validation: Record<string, unknown> & { readonly events: readonly Record<string, unknown>[] };
  readonly validation_delta: {
    readonly comparison: Record<string, unknown>;
    readonly counts: Record<string, number>;
    readonly failures: Record<string, unknown>;
  };
}

const on = { project: 'a' };
async function validates(outcome: HandlerOutcome, validator = cargo): Promise<void> {
  validator.script.next = outcome;
  await house.call(validator === cargo ? 'cargo_test' : 'go_test', { ...on, session_id: sessionId });
}
async function happens(tool: string, outcome: HandlerOutcome, purpose?: string): Promise<void> {
  scripted.script.next = outcome;
  await house.call(tool, { ...on, session_id: sessionId, ...(purpose === undefined ? {} : { purpose }) });
}
async function summary(args: object = {}): Promise<Summary> {
  const result = await house.call('read_validation_summary', { session_id: sessionId, ...args });
  if (!result.success) throw new Error(JSON.stringify(result));
  return result.output as unknown as Summary;
}
const finish = (): Promise<Result> => house.call('finish_coding_task', { session_id: sessionId, include_workspace: false });
const outcomeOf = ({ output }: Result) =>
  output['task_outcome'] as { status: string; blocking_reasons: string[]; warning_reasons: string[] };

describe('read_validation_summary', () => {
  it('of a Session where nothing was validated says so', async () => {
    const { validation, validation_delta: delta } = await summary();
    expect(validation).toMatchObject({
      available: true,
      status: 'not_run',
      reason: 'no_validation_tool_invoked',
      latest: null,
      latest_status: 'not_run',
      events_total: 0,
      current_evidence: { status: 'not_run', events_total: 0 },
      events: [],
    });
    expect(delta.comparison).toMatchObject({ status: 'unavailable', reason_code: 'no_previous_validation' });
  });

  it('lists checks that ran as plain commands as such', async () => {
    await happens('run_process', ended(0), 'test');
    expect((await summary()).validation).toMatchObject({
      status: 'not_run',
      reason: 'checks_ran_outside_validators',
      events_total: 0,
      checks_outside_validators: { total: 1, items: [{ tool_name: 'run_process', purpose: 'test', outcome: 'passed' }] },
    });
  });

  it('a failing run, then a passing one of the same target: failed, then passed, and the failure is history', async () => {
    await validates(testsFailed(['tests::adds']));
    expect((await summary()).validation).toMatchObject({
      status: 'failed',
      latest_status: 'failed',
      failures: 1,
      unresolved_failures: { count: 1, events: [{ failures: [failedTest('tests::adds')], resolved_by: null }] },
    });
    await validates(tested());
    const { validation, validation_delta: delta } = await summary();
    expect(validation).toMatchObject({
      status: 'passed',
      latest_status: 'passed',
      events_total: 2,
      successes: 1,
      resolved_failures: { count: 1 },
      unresolved_failures: { count: 0 },
      historical_failures: { count: 1, resolved: 1, unresolved: 0 },
    });
    expect(validation.events.map(({ status, validation_target_id: id }) => [status, id])).toEqual([
      ['passed', '0123456789abcdef01234567'],
      ['failed', '0123456789abcdef01234567'],
    ]);
    expect(delta.failures).toMatchObject({ identity_status: 'available', resolved: [failedTest('tests::adds')], total_resolved: 1, newly_failed: [] });
  });

  it('[06-A5] an accepted exit code is as expected: the result stays, and nothing passed', async () => {
    await happens('run_process', ended(1, { acceptedExitCodes: [0, 1], failureExpectationResult: 'matched_expected_result' }), 'test');
    const { validation } = await summary();
    expect(validation).toMatchObject({ status: 'not_run', successes: 0, checks_outside_validators: { items: [{ outcome: 'expected', exit_code: 1 }] } });
  });

  it('[06-A6] X fails, then an observed failure of X: 1 unresolved', async () => {
    await validates(testsFailed(['x']));
    await validates(tested({ status: 'expected_result', counts: counts(3, 1) }, { failureExpectationResult: 'matched_expected_result', resultExpectation: 'observe' }));
    expect((await summary()).validation).toMatchObject({
      status: 'failed',
      latest_status: 'failed',
      expected_results: 1,
      unresolved_failures: { count: 1 },
    });
  });

  it('[06-A7] a mismatch is a failure of the task and an error of integrity', async () => {
    await happens('run_process', ended(0, { acceptedExitCodes: [1], failureExpectationResult: 'expectation_mismatch' }), 'test');
    const result = await finish();
    expect(outcomeOf(result)).toMatchObject({ status: 'fail', blocking_reasons: ['expectation_mismatches'] });
    expect(result.output['evidence_integrity']).toEqual({ status: 'error', reasons: ['expectation_mismatches'] });
  });

  it('[06-A10] too few tests: a gap, no unresolved failure', async () => {
    const assertion = {
      minimum_tests: 5,
      actual_tests_run: 3,
      status: 'failed',
      reason_code: 'minimum_not_met',
      evidence_reason_code: 'complete_summary',
    } as const;
    await validates(tested({ status: 'evidence_gap', counts: counts(3), count_assertion: assertion }, { failureKind: 'validation_failed' }));
    expect((await summary()).validation).toMatchObject({
      status: 'inconclusive',
      latest_status: 'inconclusive',
      evidence_gaps: 1,
      failures: 0,
      unresolved_failures: { count: 0 },
      events: [{ count_assertion: assertion }],
    });
    const result = await finish();
    expect(outcomeOf(result)).toMatchObject({ status: 'warn', blocking_reasons: [] });
    expect(outcomeOf(result).warning_reasons).toContain('validation_inconclusive');
  });

  it('[06-A12] T fails; a run with 0 tests resolves nothing; 4 passes resolve it', async () => {
    await validates(testsFailed(['t']));
    await validates(tested({ counts: counts(0) }));
    const zero = await summary();
    expect(zero.validation).toMatchObject({ unresolved_failures: { count: 1 }, cargo_test_zero_tests_run: true });
    expect(zero.validation_delta).toMatchObject({
      comparison: { status: 'available' },
      failures: { identity_status: 'unavailable', identity_reason_code: 'test_identity_unavailable', resolved: [], total_resolved: 0 },
    });
    expect((await finish()).output['evidence_integrity']).toEqual({ status: 'warning', reasons: ['cargo_test_zero_tests'] });
    await validates(tested({ counts: counts(4) }));
    expect((await summary()).validation).toMatchObject({ resolved_failures: { count: 1 }, unresolved_failures: { count: 0 } });
  });

  it('[06-A13] 10 pass, then 7 pass and 3 fail: the deltas are signed', async () => {
    await validates(tested({ counts: counts(10) }));
    await validates(testsFailed(['a', 'c', 'b'], 7));
    const { validation_delta: delta } = await summary();
    expect(delta.counts).toEqual({ passed_delta: -3, failed_delta: 3, ignored_delta: 0, total_delta: 0 });
    expect((delta.failures['newly_failed'] as { name: string }[]).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('[06-A14] another scope is not compared, and no filter stands in the output', async () => {
    await validates(tested());
    await validates(tested({ scope_identity: `validation_scope:v1:${'1'.repeat(64)}` }));
    expect((await summary()).validation_delta).toMatchObject({
      comparison: { status: 'unavailable', reason_code: 'validation_scope_changed' },
      counts: { passed_delta: 0, failed_delta: 0, ignored_delta: 0, total_delta: 0 },
      failures: { newly_failed: [], resolved: [] },
    });
  });

  it.each([
    ['insufficient_scope_identity', { scope_identity: null }, {}],
    ['current_evidence_incomplete', { evidence_reason_code: 'output_truncated', counts: null }, {}],
    ['previous_evidence_incomplete', {}, { evidence_reason_code: 'no_complete_summary', counts: null }],
    ['parser_identity_unavailable', { parser: null }, {}],
    ['parser_changed', { parser: 'cargo_test/2' }, {}],
  ] as const)('a comparison that cannot be made says why: %s', async (reason, current, previous) => {
    await validates(tested(previous));
    await validates(tested(current));
    expect((await summary()).validation_delta.comparison).toMatchObject({ status: 'unavailable', reason_code: reason });
  });

  it('tells more than 20 failures apart, and says how many there are beside those that it names', async () => {
    const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, index) => `t${String(from + index).padStart(3, '0')}`);
    await validates(testsFailed(names(0, 30)));
    await validates(testsFailed(names(5, 60)));
    const { validation, validation_delta: delta } = await summary();
    expect(delta.failures).toMatchObject({
      identity_status: 'available',
      total_newly_failed: 30,
      total_still_failing: 25,
      total_resolved: 5,
      list_truncated: true,
    });
    expect(delta.failures['resolved']).toEqual(names(0, 5).map(failedTest));
    // Of those that fail in both, what either run keeps by name.
    expect((delta.failures['still_failing'] as { name: string }[]).map(({ name }) => name)).toEqual(names(5, 25));
    expect(delta.failures['newly_failed']).toEqual([]);
    expect(validation.events[0]).toMatchObject({ failures_total: 55 });
    expect(validation.events[0]?.['failures']).toHaveLength(20);
    expect(JSON.stringify(validation)).not.toContain('further');
  });

  it('compares no failures where not all of them are told apart', async () => {
    await validates(testsFailed(['a']));
    await validates(tested({ status: 'failed', evidence_kind: 'test_failure', counts: counts(0, 3), failures: [failedTest('a')], failures_total: 3 }));
    expect((await summary()).validation_delta).toMatchObject({
      comparison: { status: 'available' },
      failures: { identity_status: 'unavailable', identity_reason_code: 'test_identity_unavailable', total_resolved: 0, list_truncated: false },
    });
  });

  it('[06-A11] too few tests by a cut output: a gap that proves no count, and no unresolved failure', async () => {
    const assertion = {
      minimum_tests: 5,
      actual_tests_run: null,
      status: 'unproven',
      reason_code: 'test_count_unproven',
      evidence_reason_code: 'output_truncated',
    } as const;
    await validates(tested({ status: 'evidence_gap', counts: null, evidence_reason_code: 'output_truncated', count_assertion: assertion }, { failureKind: 'validation_failed' }));
    expect((await summary()).validation).toMatchObject({ status: 'inconclusive', evidence_gaps: 1, failures: 0, unresolved_failures: { count: 0 }, events: [{ count_assertion: assertion }] });
  });

  it('compares with the newest earlier run of the same kind and tool', async () => {
    await validates(tested({ counts: counts(2) }));
    await validates(tested({ counts: counts(9) }, { identity: OTHER_TARGET }), go);
    await validates(tested({ counts: counts(3) }));
    expect((await summary()).validation_delta.counts).toMatchObject({ passed_delta: 1 });
  });

  it('content that changed since makes what passed stale, for the task as well', async () => {
    await happens('edit_project_files', edited('src/lib.rs'));
    await validates(tested());
    expect((await summary()).validation).toMatchObject({ current_evidence: { status: 'passed', successes: 1 } });
    expect(outcomeOf(await finish()).warning_reasons).not.toContain('validation_not_run');
    await happens('edit_project_files', edited('src/lib.rs'));
    expect((await summary()).validation).toMatchObject({
      status: 'passed',
      current_evidence: { status: 'stale', reason_code: 'validation_stale_after_changes', events_total: 0 },
    });
    expect(outcomeOf(await finish()).warning_reasons).toContain('validation_stale_after_changes');
  });

  it('a failing validation blocks the task under its own name, names what fails, and resolves when it passes', async () => {
    await validates(testsFailed(['tests::adds', 'tests::subs']));
    const failed = await finish();
    expect(outcomeOf(failed)).toMatchObject({ status: 'fail', blocking_reasons: ['validation_failed'] });
    expect(failed.output['suggested_next_actions']).toEqual([
      'Resolve tests::adds and 1 more: it ended with exit code 101 and has not passed since.',
    ]);
    await validates(tested());
    const passed = await finish();
    expect(outcomeOf(passed)).toMatchObject({ status: 'warn', blocking_reasons: [] });
    expect(outcomeOf(passed).warning_reasons.filter((reason) => reason.startsWith('validation_'))).toEqual([]);
    expect(passed.output['evidence_history']).toEqual({ status: 'mixed_resolved' });
  });

  it('[06-A2] a resume after a failing attempt has its instruction, and the first action names the test', async () => {
    await validates(testsFailed(['a::b']));
    const resumed = await house.call('work_on_project', { session_id: sessionId, instruction: 'go on' });
    expect(resumed.output['continuation_feedback']).toMatchObject({
      attempt: {
        instruction: { excerpt: 'fix the bug' },
        validation: { latest_status: 'failed', latest_kind: 'test', unresolved_failures: 1, open_failures: [{ name: 'a::b' }], stale_validations: 0 },
      },
    });
    expect((resumed.output['suggested_next_actions'] as string[])[0]).toBe('Resolve a::b: it ended with exit code 101 and has not passed since.');
  });

  it('a pass of another target resolves nothing', async () => {
    await validates(testsFailed(['x']));
    await validates(tested({}, { identity: OTHER_TARGET }));
    expect((await summary()).validation).toMatchObject({ status: 'mixed', unresolved_failures: { count: 1 } });
  });

  it('bounds the list of events and counts all; the shorter list moves nothing else', async () => {
    for (let run = 0; run < 4; run += 1) await validates(tested());
    const one = await summary({ limit: 1 });
    const all = await summary({ limit: 100 });
    expect(one.validation).toMatchObject({ events_total: 4, events_truncated: true });
    expect(one.validation.events).toHaveLength(1);
    expect({ ...one.validation, events: [], events_truncated: null }).toEqual({ ...all.validation, events: [], events_truncated: null });
  });
});
