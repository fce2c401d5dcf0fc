import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HandoffBrief } from '../../../src/daemon/continuity/handoff/brief.js';
import type { HandlerOutcome } from '../../../src/daemon/kernel/tool.js';
import { failure, success } from '../../../src/protocol/tool-result.js';
import type { TemporaryProject } from '../../runner/temporary-project.js';
import { taskHouse, type Result, type TaskHouse } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';
import { wholeJob } from '../whole-job.js';
import { ended, edited, scriptedTools } from './scripted-tools.js';

let project: TemporaryProject;
let house: TaskHouse;
let script: ReturnType<typeof scriptedTools>['script'];
let sessionId: string;

beforeEach(async () => {
  project = await temporaryRepository();
  const scripted = scriptedTools();
  script = scripted.script;
  house = await taskHouse({ tools: scripted.tools });
  await house.call('register_project', { path: project.folder, id: 'a' });
  const started = await house.call('work_on_project', { project: 'a', instruction: 'fix the bug' });
  sessionId = started.output['session_id'] as string;
});
afterEach(async () => {
  await house.close();
  await project.remove();
});

async function happens(tool: string, outcome: HandlerOutcome, purpose?: string): Promise<void> {
  script.next = outcome;
  await house.call(tool, { project: 'a', session_id: sessionId, ...(purpose === undefined ? {} : { purpose }) });
}
const finish = (more: object = {}): Promise<Result> => house.call('finish_coding_task', { session_id: sessionId, ...more });
const resume = (): Promise<Result> => house.call('work_on_project', { session_id: sessionId, instruction: 'go on' });

const outcomeOf = (result: Result) =>
  result.output['task_outcome'] as { status: string; blocking: boolean; blocking_reasons: string[]; warning_reasons: string[] };

describe('the outcome of a task', () => {
  it('of a clean one warns of what was not checked, and of nothing else', async () => {
    const result = await finish();
    expect(result.success).toBe(true);
    expect(outcomeOf(result)).toEqual({
      status: 'warn',
      blocking: false,
      blocking_reasons: [],
      warning_reasons: ['validation_not_run'],
    });
    expect(result.output).toMatchObject({
      session_id: sessionId,
      project: 'agent:local:a',
      lifecycle: 'active',
      hard_blockers: [],
      evidence_history: { status: 'clean' },
      evidence_integrity: { status: 'clean', reasons: [] },
      workspace: { status: 'clean', git: { branch: 'main' } },
      jobs: { status: 'available', active_count: 0, recovery_state: 'none' },
      validation: { status: 'not_run', reason: 'no_validation_tool_invoked' },
      hygiene: { status: 'clean', counts: {}, findings: [] },
      handoff_brief: { version: 1, progress: { state: 'ready_to_continue' }, validation: { status: 'not_run' }, basis: { complete: true } },
      suggested_next_actions: ['Go on with the instruction.'],
    });
  });

  it('carries the handoff brief unless it is not asked for, and one that only a report makes outdated', async () => {
    const brief = async (more: object = {}) => (await finish(more)).output['handoff_brief'] as HandoffBrief | undefined;
    expect(await brief({ include_handoff: false })).toBeUndefined();
    expect(await brief({ summary_only: true })).toBeUndefined();
    expect(await brief({ include_validation_summary: false })).toMatchObject({ validation: { status: 'not_requested' }, basis: { reason_codes: ['validation_not_requested'] } });
    const call = house.runner.call.bind(house.runner);
    house.runner.call = async (asked, ...rest) => {
      if (asked.name === 'git/hygiene') {
        await happens('read_files', { result: success({}) });
        await house.call('record_external_observation', { project: 'a', session_id: sessionId, adapter_id: 'a'.repeat(64), event_id: 'b'.repeat(64), observed_tool: 'make' });
      }
      return call(asked, ...rest);
    };
    expect(await brief()).toMatchObject({
      basis: { complete: false, reason_codes: ['external_observations_changed_during_snapshot'] },
      progress: { state: 'insufficient_evidence' },
    });
  });

  it('fails on a failed command that nothing resolved', async () => {
    await happens('run_process', ended(3));
    const result = await finish();
    expect(outcomeOf(result)).toMatchObject({ status: 'fail', blocking: true, blocking_reasons: ['unexpected_tool_failures'] });
    expect(result.output['hard_blockers']).toMatchObject([
      {
        reason: 'unexpected_tool_failures',
        count: 1,
        newest: [{ tool_name: 'run_process', error_kind: 'command_exit_nonzero', exit_code: 3 }],
      },
    ]);
    expect(result.output['evidence_history']).toEqual({ status: 'failed' });
    expect(result.output['suggested_next_actions']).toEqual([
      'Look at 1 failed call of the latest attempt: read_session_summary shows them.',
    ]);
  });

  it('is history once the same check passed later, and only then', async () => {
    await happens('run_process', ended(1, { assertionName: 'unit tests' }), 'test');
    await happens('run_process', ended(0, { assertionName: 'other tests' }), 'test');
    expect(outcomeOf(await finish()).blocking_reasons).toEqual(['unexpected_tool_failures']);
    expect((await finish()).output['suggested_next_actions']).toEqual([
      'Resolve unit tests: it ended with exit code 1 and has not passed since.',
    ]);
    await happens('run_process', ended(0, { assertionName: 'unit tests' }), 'test');
    const result = await finish();
    expect(outcomeOf(result).status).toBe('warn');
    expect(result.output['evidence_history']).toEqual({ status: 'mixed_resolved' });
  });

  it('takes the identity that a tool gave its check where it has no name', async () => {
    const identity = { contextResultSummary: { validation_identity: 'command:0123456789abcdef01234567' } };
    await happens('run_process', ended(1, identity), 'test');
    await happens('run_process', ended(0, identity), 'test');
    expect((await finish()).output['evidence_history']).toEqual({ status: 'mixed_resolved' });
  });

  it('[00-D40] lists tests that ran outside the validators, instead of a plain not_run', async () => {
    await happens('run_process', ended(0), 'test');
    await happens('edit_project_files', edited('a.txt'));
    await happens('run_process', ended(1, { assertionName: 'unit' }), 'test');
    await happens('run_process', ended(0), 'operation');
    const { validation } = (await finish()).output as { validation: Record<string, unknown> };
    expect(validation).toMatchObject({
      status: 'not_run',
      reason: 'checks_ran_outside_validators',
      checks_outside_validators: {
        total: 2,
        items: [
          { tool_name: 'run_process', purpose: 'test', outcome: 'passed', exit_code: 0, after_last_change: false, resolved: false },
          { purpose: 'test', assertion_name: 'unit', outcome: 'failed', exit_code: 1, after_last_change: true },
        ],
      },
    });
  });

  it('never counts a denied run, a proven no-op or a matched expectation as a failure', async () => {
    await happens('run_process', {
      result: failure('permission_denied', 'no'),
      facts: { effect: { commandStarted: false, executionState: 'not_started' } },
    }, 'test');
    await happens('edit_project_files', {
      result: failure('sha256_mismatch', 'changed meanwhile'),
      facts: { effect: { stateChanged: false } },
    });
    await happens('read_files', { result: failure('not_found', 'gone') });
    await happens('run_process', ended(1, { resultExpectation: 'observe', failureExpectationResult: 'matched_expected_result' }));
    const result = await finish();
    expect(outcomeOf(result).blocking_reasons).toEqual([]);
    expect(result.output['facts']).toMatchObject({ harmless_failures: 3, expected_results: 1, failed: 0 });
    expect(result.output['evidence_history']).toEqual({ status: 'clean' });
    expect(result.output['validation']).toMatchObject({ checks_outside_validators: { items: [{ outcome: 'denied' }] } });
  });

  it('keeps an unknown outcome actionable', async () => {
    await happens('edit_project_files', {
      result: failure('outcome_unknown', 'who knows', { state_changed: null }),
      facts: { effect: { stateChanged: null, executionState: 'outcome_unknown' } },
    });
    expect(outcomeOf(await finish()).blocking_reasons).toEqual(['unexpected_tool_failures']);
  });

  it('[06-A7] fails on an expectation that did not hold, with an integrity error', async () => {
    await happens('run_process', ended(0, { acceptedExitCodes: [1], failureExpectationResult: 'expectation_mismatch' }));
    const result = await finish();
    expect(outcomeOf(result)).toMatchObject({ status: 'fail', blocking_reasons: ['expectation_mismatches'] });
    expect(result.output['evidence_integrity']).toEqual({ status: 'error', reasons: ['expectation_mismatches'] });
  });

  it('warns of an unexpected success, and does not fail on it', async () => {
    await happens('run_process', ended(0, { resultExpectation: 'failure', failureExpectationResult: 'unexpected_success' }));
    const result = await finish();
    expect(outcomeOf(result).blocking).toBe(false);
    expect(result.output['evidence_integrity']).toEqual({ status: 'warning', reasons: ['unexpected_successes'] });
  });

  it('asks for a check after the last change, and takes no Job’s start for one', async () => {
    await happens('run_process', ended(0), 'test');
    await happens('edit_project_files', edited('b.txt', 'a.txt'));
    await happens('run_process', {
      result: success({ job_id: 'job_1' }),
      facts: { effect: { commandStarted: true, executionState: 'running' } },
    }, 'test');
    const asked = await finish();
    expect(asked.output['suggested_next_actions']).toEqual(['Run the tests: nothing was checked since the last change.']);
    expect(asked.output['facts']).toMatchObject({ changed_paths: ['a.txt', 'b.txt'], changed_paths_total: 2, admitted_jobs: 1 });
    await happens('run_process', ended(0), 'test');
    expect((await finish()).output['suggested_next_actions']).toEqual(['Go on with the instruction.']);
  });

  it('counts a call once that its Session both recorded and was about', async () => {
    script.next = ended(1);
    await house.call('run_process', { project: 'a', session_id: sessionId }, { recordingSessionId: sessionId });
    expect((await finish()).output['facts']).toMatchObject({ tool_calls: 1, failed: 1 });
  });
});

describe('the work tree in the report', () => {
  it('is shown with its changes, bounded and without the diff when only the summary is asked for', async () => {
    await project.write('a.txt', 'changed\n');
    await project.write('new.txt', 'new\n');
    const full = await finish();
    expect(outcomeOf(full).warning_reasons).toContain('workspace_dirty');
    expect(full.output['workspace']).toMatchObject({
      status: 'dirty',
      counts: { changed: 2, untracked: 1 },
      diff_stat: { files: 1, insertions: 1, deletions: 1 },
      files: [{ path: 'a.txt' }, { path: 'new.txt' }],
      hunks: [{ path: 'a.txt' }],
    });
    const summary = await finish({ summary_only: true });
    for (const part of ['facts', 'continuation_feedback']) expect(summary.output).not.toHaveProperty(part);
    expect(summary.output['workspace']).not.toHaveProperty('hunks');
    expect(summary.output['workspace']).not.toHaveProperty('files');
    expect(outcomeOf(summary)).toEqual(outcomeOf(full));
  });

  it('is a risk when it holds a secret file, whose text is not shown', async () => {
    await project.write('.env', 'PASSWORD=hunter2\n');
    const result = await finish();
    expect(outcomeOf(result).blocking_reasons).toEqual(['sensitive_path_risk']);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('starts no git when it is not asked for, and says that it was not checked', async () => {
    house.runner.requests.length = 0;
    const result = await finish({ include_workspace: false, include_hygiene: false });
    // The ends of Jobs are taken in, then Jobs are counted.
    expect(house.runner.requests).toEqual(['jobs/list', 'jobs/list']);
    expect(outcomeOf(result).warning_reasons).toEqual(expect.arrayContaining(['workspace_not_checked', 'hygiene_not_checked']));
    expect(result.output['workspace']).toEqual({ status: 'not_requested' });
  });

  it('is unavailable, not clean, when it could not be seen; so are the Jobs', async () => {
    house.runner.failing.set('git/workspace_changes', 'git_failed').set('git/hygiene', 'git_failed').set('jobs/list', 'runner_unavailable');
    const result = await finish();
    expect(outcomeOf(result).warning_reasons).toEqual([
      'workspace_observation_failed',
      'hygiene_observation_failed',
      'jobs_observation_failed',
      'validation_not_run',
    ]);
    expect(result.output).toMatchObject({
      workspace: { status: 'unavailable', reason_code: 'git_failed' },
      jobs: { status: 'unavailable', reason_code: 'runner_unavailable', recovery_state: 'unknown' },
    });
  });
});

describe('Jobs in the report', () => {
  it('block while they work, warn while they stop, and only those of the Session count', async () => {
    const of = (status: 'running' | 'stop_requested' | 'completed' | 'failed', session: string | null = sessionId) =>
      wholeJob({ status, session_id: session, project: 'agent:local:a' });
    house.runner.jobs = [of('completed'), of('running', null)];
    expect(outcomeOf(await finish()).blocking_reasons).toEqual([]);
    house.runner.jobs = [of('stop_requested')];
    expect(outcomeOf(await finish()).warning_reasons).toContain('jobs_terminal_pending');
    house.runner.jobs = [of('stop_requested'), of('running')];
    const result = await finish();
    expect(outcomeOf(result).blocking_reasons).toEqual(['blocking_active_jobs']);
    house.runner.jobs = [of('stop_requested'), of('running'), of('failed')];
    expect((await finish()).output['informational_notes']).toEqual([
      "1 of the Session's Jobs ended without success; list_jobs names them.",
    ]);
    expect(result.output['jobs']).toMatchObject({ active_count: 2, running_count: 1, terminal_pending_count: 1 });
    expect(result.output['suggested_next_actions']).toEqual([
      'Wait for or stop 1 active Job: list_jobs names them.',
      'Observe the end of 1 stopping Job.',
    ]);
  });
});

describe('declared outputs', () => {
  it('get receipts, and a missing one blocks', async () => {
    await project.write('dist/app.js', 'built');
    const present = await finish({ outputs: ['dist/app.js'] });
    expect(present.output['outputs']).toEqual({
      status: 'checked',
      receipts: [
        {
          path: 'dist/app.js',
          status: 'present',
          sha256: createHash('sha256').update('built').digest('hex'),
          bytes: 5,
          reason_code: null,
        },
      ],
    });
    expect(outcomeOf(present).blocking_reasons).toEqual([]);
    const missing = await finish({ outputs: ['dist/app.js', 'gone.js', '../x'] });
    expect(missing.output['hard_blockers']).toMatchObject([{ reason: 'declared_outputs_missing', paths: ['gone.js', '../x'] }]);
  });

  it('are at most 16 of at most 512 bytes', async () => {
    for (const outputs of [Array<string>(17).fill('x'), ['x'.repeat(513)], ['']]) {
      expect((await finish({ outputs })).output['error_kind']).toBe('invalid_arguments');
    }
  });
});

describe('the report itself', () => {
  it('[06-A27] works on a Closed Session with failures, and leaves it as it is', async () => {
    await happens('run_process', ended(1));
    await house.call('close_session', { session_id: sessionId });
    const before = house.sessions.snapshot(sessionId as never)?.eventsObserved;
    const result = await finish();
    expect(result.output).toMatchObject({
      lifecycle: 'closed',
      task_outcome: { status: 'fail' },
      informational_notes: ['The Session was closed before; it stays closed.'],
    });
    const after = house.sessions.snapshot(sessionId as never);
    expect(after?.session.lifecycle).toBe('closed');
    expect(after?.eventsObserved).toBe(before);
  });

  it('works on a read_only Session and on one without a project', async () => {
    const readOnly = await house.call('start_session', { project: 'a', mode: 'read_only' });
    const unscoped = await house.call('start_session', {});
    expect((await finish({ session_id: readOnly.output['session_id'] })).output['mode']).toBe('read_only');
    expect((await finish({ session_id: unscoped.output['session_id'], outputs: ['x'] })).output).toMatchObject({
      project: null,
      workspace: { status: 'not_applicable' },
      outputs: { status: 'failed', reason_code: 'session_without_project' },
    });
  });

  it('is refused for another project, and for what was never issued', async () => {
    await house.call('register_project', { path: project.base, id: 'b' });
    expect((await finish({ project: 'b' })).output['error_kind']).toBe('session_project_mismatch');
    expect((await finish({ session_id: 'wc_sess_AAAAAAAAAAAAAAAA' })).output['error_kind']).toBe('unknown_session_id');
  });

  it('says when older events have left the ledger', async () => {
    await house.close();
    const scripted = scriptedTools();
    script = scripted.script;
    house = await taskHouse({ tools: scripted.tools, limits: { eventsPerSession: 4 } });
    await house.call('register_project', { path: project.folder, id: 'a' });
    sessionId = (await house.call('work_on_project', { project: 'a', instruction: 'x' })).output['session_id'] as string;
    for (let i = 0; i < 3; i += 1) await happens('run_process', ended(0));
    const result = await finish();
    expect(result.output['facts']).toMatchObject({ events_observed: 7, events_retained: 4, tool_calls: 2 });
    expect(result.output['informational_notes']).toEqual([
      '3 older events have left the bounded ledger; the facts describe what is retained.',
    ]);
    // [06-A3]: the boundary is gone with them, and the rest does not pass for the whole attempt.
    expect(result.output['continuation_feedback']).toMatchObject({
      status: 'unknown',
      reason_code: 'attempt_boundary_evicted',
      attempt: {
        boundary: { source: 'unavailable', reason_code: 'attempt_boundary_evicted' },
        event_range: { start_sequence: 3, end_sequence: 7, event_count: 4, complete: false },
        exploration: { complete: false },
        instruction: { status: 'not_observed' },
      },
    });
  });
});

describe('[00-D48] the feedback of a resume', () => {
  it('[06-A2] is about the previous attempt, and names its failing check first', async () => {
    await happens('edit_project_files', edited('src/b.ts', 'src/a.ts'));
    await happens('run_process', ended(1, { assertionName: 'a::b' }), 'test');
    const { output } = await resume();
    expect(output['continuation_feedback']).toMatchObject({
      status: 'available',
      deterministic: true,
      llm_summary: false,
      attempt: {
        boundary: { source: 'task_instruction' },
        event_range: { start_sequence: 1, end_sequence: 5, event_count: 4, complete: true },
        instruction: { status: 'available', excerpt: 'fix the bug', truncated: false, resumed: false },
        activity: {
          meaningful_tool_calls: 2,
          successful_tool_calls: 1,
          failed_tool_calls: 1,
          actionable_failed_calls: 1,
          unresolved_failures: 1,
        },
        changes: { paths: ['src/a.ts', 'src/b.ts'], total: 2, truncated: false },
        validation: { latest_status: 'not_run', open_failures: [{ name: 'a::b', exit_code: 1 }] },
        outcome: { status: 'blocked', reasons: ['unresolved_validation_failures'] },
      },
    });
    expect((output['suggested_next_actions'] as string[])[0]).toContain('a::b');
  });

  it('is about that attempt only: an earlier one’s calls are not in it', async () => {
    await happens('run_process', ended(1));
    await resume();
    await happens('run_process', ended(0));
    const { attempt } = (await resume()).output['continuation_feedback'] as { attempt: Record<string, unknown> };
    expect(attempt).toMatchObject({
      event_range: { event_count: 2 },
      activity: { successful_tool_calls: 1, failed_tool_calls: 0 },
      instruction: { excerpt: 'go on', resumed: true },
      outcome: { status: 'in_progress', reasons: [] },
    });
  });

  it('[06-A30] shows what was read, newest first, and nothing that only listed or failed', async () => {
    const seen = (...observedPaths: string[]): HandlerOutcome => ({ result: success({}), facts: { observedPaths } });
    await happens('read_files', seen('src/old.ts', 'src/a.ts'));
    await happens('read_files', { result: failure('not_found', 'gone'), facts: { observedPaths: ['src/b.ts'] } });
    await happens('list_project_files', seen('src/c.ts'));
    await happens('read_files', seen('src/a.ts'));
    const { output } = await resume();
    expect((output['continuation_feedback'] as { attempt: object }).attempt).toMatchObject({
      exploration: { paths: ['src/a.ts', 'src/old.ts'], total: 2, truncated: false, complete: true },
    });
    expect(output['suggested_next_actions']).toEqual(['Files that the previous attempt read: src/a.ts, src/old.ts.']);
  });

  it('bounds what it shows', async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `src/${index}.ts`);
    await happens('read_files', { result: success({}), facts: { observedPaths: paths } });
    const { attempt } = (await resume()).output['continuation_feedback'] as { attempt: { exploration: { paths: string[] } } };
    expect(attempt.exploration).toMatchObject({ total: 30, truncated: true });
    expect(attempt.exploration.paths).toHaveLength(12);
  });
});
