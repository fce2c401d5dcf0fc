import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HandlerOutcome } from '../../../src/daemon/kernel/tool.js';
import type { HandoffBrief } from '../../../src/daemon/continuity/handoff/brief.js';
import { success } from '../../../src/protocol/tool-result.js';
import type { TemporaryProject } from '../../runner/temporary-project.js';
import { taskHouse, type Result, type TaskHouse, type TaskHouseOptions } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';
import { admitted, counts, endedJob, harnessOutput, OTHER_TARGET, scriptedValidator, tested, testsFailed } from '../validation/validation-scripts.js';
import { wholeJob } from '../whole-job.js';
import { postMessage } from './post-message.js';
import { edited, ended, scriptedTools } from './scripted-tools.js';

let project: TemporaryProject;
let house: TaskHouse;
let scripted: ReturnType<typeof scriptedTools>;
let cargo: ReturnType<typeof scriptedValidator>;
let sessionId: string;

async function open(options: TaskHouseOptions = {}): Promise<void> {
  scripted = scriptedTools();
  cargo = scriptedValidator('cargo_test');
  house = await taskHouse({ tools: [...scripted.tools, cargo.tool], ...options });
  await house.call('register_project', { path: project.folder, id: 'a' });
  sessionId = await begin('fix the bug');
}
beforeEach(async () => {
  project = await temporaryRepository();
  await open();
});
afterEach(async () => {
  await house.close();
  await project.remove();
});

const begin = async (instruction: string): Promise<string> =>
  (await house.call('work_on_project', { project: 'a', instruction })).output['session_id'] as string;
async function happens(tool: string, outcome: HandlerOutcome, purpose?: string): Promise<void> {
  scripted.script.next = outcome;
  await house.call(tool, { project: 'a', session_id: sessionId, ...(purpose === undefined ? {} : { purpose }) });
}
async function validates(outcome: HandlerOutcome): Promise<void> {
  cargo.script.next = outcome;
  await house.call('cargo_test', { project: 'a', session_id: sessionId });
}
const read = (args: object = {}): Promise<Result> => house.call('read_session_handoff', { session_id: sessionId, ...args });
async function brief(args: object = {}): Promise<HandoffBrief> {
  const result = await read(args);
  if (!result.success) throw new Error(JSON.stringify(result));
  return result.output['handoff_brief'] as HandoffBrief;
}
const observed = (): number => house.sessions.fence(sessionId as never)?.eventsObserved ?? expect.fail('not retained');
/** Does something while the Runner is asked for this. */
function during(method: string, act: () => unknown): void {
  const call = house.runner.call.bind(house.runner);
  house.runner.call = async (asked, ...rest) => {
    if (asked.name === method) await act();
    return call(asked, ...rest);
  };
}

const SESSION_RACE = 'session_changed_during_snapshot';
const REPORT_RACE = 'external_observations_changed_during_snapshot';
const report = (event = 'b'.repeat(64)): Promise<Result> =>
  house.call('record_external_observation', {
    project: 'a',
    session_id: sessionId,
    adapter_id: 'a'.repeat(64),
    event_id: event,
    observed_tool: 'make',
    exit_code: 2,
  });

describe('read_session_handoff', () => {
  it('of a fresh Session is whole, and exactly three members', async () => {
    const result = await read();
    expect(Object.keys(result.output)).toEqual(['session_id', 'project', 'handoff_brief']);
    expect(await brief()).toEqual({
      version: 1,
      deterministic: true,
      llm_summary: false,
      session: { session_id: sessionId, lifecycle: 'active', mode: 'normal' },
      task: {
        root_instruction: { excerpt: 'fix the bug', truncated: false },
        latest_instruction: { excerpt: 'fix the bug', truncated: false },
        decisions: { items: [], total: 0, returned: 0, truncated: false },
        recent_progress: { items: [], total: 0, returned: 0, truncated: false },
      },
      workspace: { status: 'available', branch: 'main', head: expect.stringMatching(/^[0-9a-f]{40}$/) as string, dirty: false, conflicted: false, ahead: null, behind: null },
      progress: {
        state: 'ready_to_continue',
        meaningful_tool_calls: 0,
        changes: { items: [], total: 0, returned: 0, truncated: false },
        recent_files: { items: [], total: 0, returned: 0, truncated: false },
      },
      validation: { status: 'not_run', reason_code: 'no_validation_tool_invoked', open_failures: { items: [], total: 0, returned: 0, truncated: false } },
      external_observations: {
        status: 'available',
        provenance: 'external_report',
        coverage: { complete: false, reason: 'source_sequence_unavailable', ordering: 'server_recorded_at_then_identity' },
        ...{ items: [], total: 0, returned: 0, truncated: false, unknown_count: 0 },
      },
      task_context: {
        version: 1,
        boundary: { identity: expect.stringMatching(/^task_boundary:v1:[0-9a-f]{64}$/) as string, event_id: expect.stringMatching(/^evt_/) as string },
        ...{ relevant_files: [], failure_locations: [], notes: [], repeated_failure: null, next_steps: [] },
        continuation: { tool: 'work_on_project', arguments: { session_id: sessionId }, requires: ['instruction'] },
        advisory: true,
        truncated: false,
      },
      attention: {
        ...{ workspace_conflict: false, active_jobs: 0, blocking_jobs: 0, terminal_pending_jobs: 0, recovering_jobs: 0 },
        ...{ open_guidance: 0, open_risks: 0, open_questions: 0, open_todos: 0 },
      },
      next_actions: { items: ['Go on with the latest instruction.'], total: 1, returned: 1, truncated: false },
      basis: { complete: true, reason_codes: [] },
    });
  });

  it('leaves no event of its own but the pair of a recorder, and does not race with that', async () => {
    await house.commits.enqueue(() => undefined);
    const before = observed();
    await read();
    expect(observed()).toBe(before);
    const result = await house.call('read_session_handoff', { session_id: sessionId }, { recordingSessionId: sessionId });
    expect((result.output['handoff_brief'] as HandoffBrief).basis).toEqual({ complete: true, reason_codes: [] });
    expect(observed()).toBe(before + 2);
  });

  it('tells the name of what fails, and what a failing test blocks; a second attempt that passes is ready', async () => {
    await validates(testsFailed(['a::b']));
    await project.write('a.txt', 'changed\n');
    const first = await brief();
    expect(first.progress.state).toBe('blocked');
    expect(first.validation).toEqual({ status: 'failed', open_failures: { items: ['a::b (src/lib.rs:9)'], total: 1, returned: 1, truncated: false } });
    expect(first.next_actions.items?.[0]).toBe('Resolve what fails: validation.open_failures names it, and only a later pass of the same check settles it.');
    expect(first.task_context.failure_locations).toMatchObject([{ kind: 'test', name: 'a::b', file: 'src/lib.rs', line: 9 }]);
    expect(first.task_context.next_steps).toMatchObject([{ step: 'resolve_failure' }]);
    await house.call('work_on_project', { session_id: sessionId, instruction: 'go on' });
    await happens('edit_project_files', edited('a.txt'));
    await validates(tested());
    const second = await brief();
    expect(second.progress).toMatchObject({ state: 'ready_to_continue', meaningful_tool_calls: 2, changes: { items: ['a.txt'] } });
    expect(second.task).toMatchObject({ root_instruction: { excerpt: 'fix the bug' }, latest_instruction: { excerpt: 'go on' } });
    expect(second.task_context.boundary.identity).not.toBe(first.task_context.boundary.identity);
  });

  it('[06-A3] an evicted boundary is unavailable, not a start, and the basis says so', async () => {
    await house.close();
    await open({ limits: { eventsPerSession: 6 } });
    for (let call = 0; call < 4; call += 1) await happens('read_files', { result: success({}), facts: { observedPaths: [`${call}.ts`] } });
    const { output } = await read({ diagnostic: true, include_checkpoints: false });
    expect(output['continuation_feedback']).toMatchObject({
      status: 'unknown',
      attempt: {
        boundary: { source: 'unavailable', reason_code: 'attempt_boundary_evicted' },
        event_range: { event_count: 6, complete: false, start_sequence: 3, end_sequence: 9 },
        exploration: { complete: false },
      },
    });
    const told = output['handoff_brief'] as HandoffBrief;
    expect(told.basis).toEqual({ complete: false, reason_codes: ['attempt_boundary_evicted'] });
    expect(told.progress.state).toBe('insufficient_evidence');
    expect(told.task).toMatchObject({ root_instruction: { excerpt: 'fix the bug', truncated: false }, latest_instruction: null });
    expect(told.task_context.boundary).toEqual({ identity: null, event_id: null });
  });

  it('[06-A4] what is displayed moves no boundary', async () => {
    for (let call = 0; call < 25; call += 1) await happens('run_process', ended(0));
    const shown = async (limit: number) => (await read({ diagnostic: true, include_checkpoints: false, limit })).output as { continuation_feedback: { attempt: { event_range: object } }; ledger: { events: object[]; events_truncated: boolean } };
    const [one, hundred] = [await shown(1), await shown(100)];
    expect(one.continuation_feedback.attempt.event_range).toMatchObject({ event_count: 50, start_sequence: 1, end_sequence: 51 });
    expect(one.continuation_feedback).toEqual(hundred.continuation_feedback);
    expect([one.ledger.events.length, one.ledger.events_truncated]).toEqual([1, true]);
    expect([hundred.ledger.events.length, hundred.ledger.events_truncated]).toEqual([51, false]);
  });

  it('[06-A19] a recovering Job that is not shown is counted, and blocks', async () => {
    house.runner.jobs = Array.from({ length: 12 }, (_, index) =>
      wholeJob({ job_id: `job_${index}`, project: 'agent:local:a', session_id: sessionId, status: index === 11 ? 'recovering' : 'completed', execution_state: 'running' }),
    );
    const { output } = await read({ diagnostic: true, include_checkpoints: false });
    const { jobs } = (output['continuation_feedback'] as { attempt: { jobs: { recent: object[] } } }).attempt;
    expect(jobs).toMatchObject({ recovery_state: 'recovering', recovering_count: 1, recent_truncated: true, latest_job_status: 'completed' });
    expect(jobs.recent).toHaveLength(8);
    const told = output['handoff_brief'] as HandoffBrief;
    expect(told.progress.state).toBe('blocked');
    expect(told.attention).toMatchObject({ recovering_jobs: 1, blocking_jobs: 1, active_jobs: 1 });
    expect(told.next_actions.items).toEqual(['Wait for the recovering Jobs: observe_jobs tells when they are known again. Start nothing again meanwhile.']);
  });

  it('[06-A20] a pass that began after the last edit holds; another edit makes it stale', async () => {
    await project.write('a.txt', 'changed\n');
    await happens('edit_project_files', edited('a.txt'));
    await validates(tested());
    expect(await brief()).toMatchObject({ workspace: { dirty: true }, validation: { status: 'passed' }, progress: { state: 'ready_to_continue' } });
    await happens('edit_project_files', edited('a.txt'));
    expect(await brief()).toMatchObject({
      validation: { status: 'not_run', reason_code: 'validation_stale' },
      progress: { state: 'needs_validation' },
      next_actions: { items: ['Run the validation, or read it: no pass is proven since the last change.', 'Review what the latest attempt changed: read_workspace_changes.'] },
    });
  });

  it('[06-A21] validation that is not asked for is not_requested, never not_run', async () => {
    await validates(testsFailed(['a::b']));
    house.runner.requests.length = 0;
    const { output } = await read({ include_validation: false, diagnostic: true, include_checkpoints: false });
    expect(output['handoff_brief']).toMatchObject({
      validation: { status: 'not_requested', reason_code: 'validation_not_requested', open_failures: { items: null, total: null } },
      basis: { complete: false, reason_codes: ['validation_not_requested'] },
      progress: { state: 'insufficient_evidence' },
      task_context: { failure_locations: [] },
    });
    expect(output['continuation_feedback']).toMatchObject({
      attempt: { validation: { latest_status: 'unavailable', reason_code: 'validation_not_requested' } },
      validation_delta: { comparison: { status: 'unavailable', reason_code: 'validation_not_requested' } },
    });
    // One look at the Jobs, for their counts; no end is taken in.
    expect(house.runner.requests).toEqual(['git/observe', 'jobs/list']);
  });

  it('[06-A22] without the work tree no git is started', async () => {
    house.runner.requests.length = 0;
    expect(await brief({ include_workspace: false })).toMatchObject({
      workspace: { status: 'not_requested', branch: null, dirty: null },
      attention: { workspace_conflict: null },
      basis: { complete: false, reason_codes: ['workspace_not_requested'] },
      progress: { state: 'insufficient_evidence' },
    });
    expect(house.runner.requests).toEqual(['jobs/list', 'jobs/list']);
  });

  it('[06-A26] a credential goes, and what stands around it stays', async () => {
    sessionId = await begin('deploy with Authorization: Bearer abc123 from /srv/x');
    const { task } = await brief();
    expect(task.latest_instruction).toEqual({ excerpt: 'deploy with Authorization: Bearer [redacted] from /srv/x', truncated: true });
    expect(task.root_instruction).toEqual(task.latest_instruction);
  });

  it('[06-A27] a Closed Session with failures is closed, and stays so', async () => {
    await validates(testsFailed(['a::b']));
    await house.call('close_session', { session_id: sessionId });
    const told = await brief();
    expect(told).toMatchObject({
      session: { lifecycle: 'closed' },
      progress: { state: 'closed' },
      validation: { status: 'failed' },
      task_context: { continuation: { tool: 'read_session_handoff', arguments: { session_id: sessionId }, requires: [] } },
    });
    const finished = await house.call('finish_coding_task', { session_id: sessionId });
    expect(finished.output).toMatchObject({ lifecycle: 'closed', task_outcome: { status: 'fail' }, handoff_brief: { progress: { state: 'closed' } } });
    expect((await brief()).session.lifecycle).toBe('closed');
  });

  it('[06-A28] a report store that cannot be read is null in its own section, and nowhere else', async () => {
    await report();
    house.database.exec('ALTER TABLE external_observations RENAME TO gone');
    const told = await brief();
    expect(told.external_observations).toEqual({
      status: 'unavailable',
      reason_code: 'store_unavailable',
      provenance: 'external_report',
      coverage: { complete: false, reason: 'read_unavailable', ordering: 'server_recorded_at_then_identity' },
      ...{ items: null, total: null, returned: null, truncated: null, unknown_count: null },
    });
    expect([told.basis.complete, told.progress.state]).toEqual([true, 'ready_to_continue']);
  });

  it('refuses another project, and what was never issued or is not its owner’s', async () => {
    await house.call('register_project', { path: project.base, id: 'b' });
    expect((await read({ project: 'b' })).output['error_kind']).toBe('session_project_mismatch');
    expect((await read({ session_id: 'wc_sess_AAAAAAAAAAAAAAAA' })).output['error_kind']).toBe('unknown_session_id');
  });

  it('of a Session without a project says what there is none of', async () => {
    sessionId = (await house.call('start_session', { title: 'think' })).output['session_id'] as string;
    expect(await brief()).toMatchObject({
      task: { root_instruction: { excerpt: 'think' }, latest_instruction: null },
      workspace: { status: 'unavailable', reason_code: 'session_without_project' },
      external_observations: { status: 'unavailable', reason_code: 'session_project_unavailable' },
      basis: { reason_codes: ['workspace_unavailable'] },
      task_context: { continuation: { tool: 'read_session_handoff' } },
    });
  });
});

describe('what changes while a handoff is read', () => {
  it('[06-A23] a message is a race: not whole, insufficient, and to be read again first', async () => {
    await validates(testsFailed(['a::b']));
    during('git/observe', () => postMessage(house, sessionId, { kind: 'risk' }));
    const told = await brief();
    expect(told.basis).toEqual({ complete: false, reason_codes: [SESSION_RACE] });
    expect(told.progress.state).toBe('insufficient_evidence');
    expect(told.next_actions.items?.[0]).toBe('Read this handoff again with read_session_handoff before any dependent work: something changed while it was read.');
    expect(told.attention.open_risks).toBe(0);
  });

  it('[06-A24] a report is a race of its own, and leaves no event', async () => {
    const before = observed();
    during('jobs/list', () => report(house.runner.requests.length.toString(16).padStart(64, '0')));
    house.runner.requests.length = 0;
    const told = await brief({ include_validation: false });
    expect(told.basis.reason_codes).toEqual([REPORT_RACE, 'validation_not_requested']);
    expect(told.progress.state).toBe('insufficient_evidence');
    expect(told.next_actions.items?.[0]).toMatch(/^Read this handoff again/);
    expect(observed()).toBe(before);
    expect((await house.call('list_external_observations', { project: 'a', session_id: sessionId })).output['total']).toBe(1);
  });

  it.each([
    ['git/observe', 'an event'],
    ['jobs/list', 'an event'],
    ['git/observe', 'a close'],
  ])('during %s, %s is a race', async (method, what) => {
    let done = false;
    during(method, async () => {
      // The first look at the Jobs takes their ends in, and comes before the capture.
      if (done || (method === 'jobs/list' && house.runner.requests.filter((name) => name === 'jobs/list').length === 0)) return;
      done = true;
      if (what === 'an event') await happens('read_files', { result: success({}) });
      else await house.call('close_session', { session_id: sessionId });
    });
    house.runner.requests.length = 0;
    const told = await brief();
    expect(done).toBe(true);
    expect(told).toMatchObject({ session: { lifecycle: 'active' }, progress: { state: 'insufficient_evidence' }, basis: { reason_codes: [SESSION_RACE] } });
    const again = await brief();
    expect([again.progress.state, again.basis.complete]).toEqual([what === 'a close' ? 'closed' : 'ready_to_continue', true]);
  });

  it('before the capture is part of it: the end of a Job, and a message while ends are taken in', async () => {
    await validates(admitted('job_1'));
    house.runner.jobs = [endedJob('job_1', Math.floor(Date.now() / 1_000), 0, { session_id: sessionId })];
    house.runner.outputs.set('out_job_1', harnessOutput(4));
    let posted = 0;
    during('jobs/list', () => {
      if (posted === 0) postMessage(house, sessionId, { kind: 'question' });
      posted += 1;
    });
    const told = await brief();
    expect(told.basis).toEqual({ complete: true, reason_codes: [] });
    expect(told).toMatchObject({ validation: { status: 'passed' }, attention: { open_questions: 1 }, progress: { state: 'ready_to_continue' } });
  });

  it('a Session that goes while it is read is a race as well', async () => {
    await house.close();
    await open({ limits: { historicalSessionRetentionLimit: 0 } });
    during('git/observe', () => house.call('close_session', { session_id: sessionId }));
    expect((await brief()).basis.reason_codes).toEqual([SESSION_RACE]);
    expect((await read()).output['error_kind']).toBe('unknown_session_id');
  });
});

describe('what cannot be read', () => {
  it('is null and never zero: a board', async () => {
    postMessage(house, sessionId, { kind: 'decision', message: 'we keep the parser' });
    house.database.exec("UPDATE session_messages SET tags = '{'");
    const told = await brief();
    expect(told.task.decisions).toEqual({ items: null, total: null, returned: null, truncated: null });
    expect(told.attention).toMatchObject({ open_guidance: null, open_risks: null, open_questions: null, open_todos: null });
    expect(told.basis).toEqual({ complete: false, reason_codes: ['discussion_unavailable', 'guidance_unavailable'] });
    expect(told.progress.state).toBe('insufficient_evidence');
    expect(house.faults.length).toBeGreaterThan(0);
  });

  it('is unavailable: Jobs and with them what they came to, and the repository', async () => {
    house.runner.failing.set('jobs/list', 'runner_unavailable').set('git/observe', 'git_failed').set('checkpoints/list', 'io_error');
    const { output } = await read({ diagnostic: true });
    expect(output['closeout']).toMatchObject({ status: 'available', checkpoints: { status: 'unavailable', reason_code: 'io_error' } });
    const told = output['handoff_brief'] as HandoffBrief;
    expect(told).toMatchObject({
      workspace: { status: 'unavailable', reason_code: 'git_failed' },
      validation: { status: 'unavailable', reason_code: 'jobs_unavailable' },
      attention: { active_jobs: null, blocking_jobs: null, workspace_conflict: null },
      basis: { reason_codes: ['job_summary_unavailable', 'validation_unavailable', 'workspace_unavailable'] },
      progress: { state: 'insufficient_evidence' },
    });
  });

  it('is unavailable: the tail itself; the head still says what was asked', async () => {
    house.commits.flush();
    house.database.exec(`UPDATE session_events SET body = '{' WHERE session_number = (SELECT session_number FROM sessions WHERE session_id = '${sessionId}')`);
    const told = await brief();
    expect(told).toMatchObject({
      task: { root_instruction: { excerpt: 'fix the bug' }, latest_instruction: null },
      validation: { status: 'unavailable', open_failures: { total: null } },
      progress: { state: 'insufficient_evidence', meaningful_tool_calls: null, changes: { items: null, total: null } },
      basis: { reason_codes: ['continuation_unavailable', 'validation_unavailable'] },
    });
    expect((await house.call('finish_coding_task', { session_id: sessionId })).output['error_kind']).toBe('storage_unavailable');
  });
});

describe('notes, failures and checks in a brief', () => {
  it('shows the newest five of each kind, cut and redacted, and counts all', async () => {
    for (let note = 0; note < 6; note += 1) postMessage(house, sessionId, { kind: 'decision', message: `decision ${note}` });
    const newest = postMessage(house, sessionId, { kind: 'progress', message: `token=abcdef0123456789 ${'é'.repeat(300)}`, status: 'resolved' });
    postMessage(house, sessionId, { kind: 'todo' });
    postMessage(house, sessionId, { kind: 'todo', status: 'resolved' });
    const { task, attention, task_context: context } = await brief();
    expect(task.decisions).toMatchObject({ total: 6, returned: 5, truncated: true });
    expect(task.decisions.items?.map(({ excerpt }) => excerpt)).toEqual(['decision 5', 'decision 4', 'decision 3', 'decision 2', 'decision 1']);
    expect(task.recent_progress.items).toEqual([
      {
        message_id: newest,
        status: 'resolved',
        superseded_by_message_id: null,
        supersedes_message_id: null,
        excerpt: `token=[redacted] ${'é'.repeat(223)}…`,
        source_truncated: true,
        redacted: true,
      },
    ]);
    expect(attention.open_todos).toBe(1);
    expect(context.notes).toHaveLength(7);
    expect(context.notes[0]).toEqual({ message_id: newest, kind: 'progress' });
  });

  it('counts every failure and names five', async () => {
    await validates(testsFailed(Array.from({ length: 30 }, (_, index) => `t${index}`)));
    await happens('run_process', ended(1, { assertionName: 'unit' }), 'test');
    const { validation } = await brief();
    expect(validation.open_failures).toMatchObject({ items: ['unit', 't0 (src/lib.rs:9)', 't1 (src/lib.rs:9)', 't2 (src/lib.rs:9)', 't3 (src/lib.rs:9)'], total: 31, returned: 5, truncated: true });
  });

  it('[00-D40] says that checks ran outside the validators; a denied one is no failure', async () => {
    await happens('run_process', ended(0), 'test');
    expect((await brief()).validation).toMatchObject({ status: 'not_run', reason_code: 'checks_ran_outside_validators' });
    await happens('run_process', { result: { success: false, error: 'no', output: { error_kind: 'permission_denied' } }, facts: { effect: { commandStarted: false } } }, 'test');
    expect((await brief()).validation).toMatchObject({ status: 'not_run', open_failures: { total: 0 } });
  });

  it('neither a gap nor an expected result passes or fails', async () => {
    await validates(tested({ status: 'evidence_gap' }));
    expect(await brief()).toMatchObject({ validation: { status: 'not_run', reason_code: 'validation_inconclusive' }, progress: { state: 'needs_validation' } });
    await validates(tested({ status: 'expected_result' }, { failureExpectationResult: 'matched_expected_failure', identity: OTHER_TARGET }));
    expect((await brief()).validation.reason_code).toBe('validation_inconclusive');
  });

  it('tells of a failure that comes again and again, only where it is proven to be the same', async () => {
    const repeated = async () => (await brief()).task_context.repeated_failure;
    await validates(testsFailed(['a::b']));
    expect(await repeated()).toBeNull();
    await validates(testsFailed(['a::b']));
    expect(await repeated()).toMatchObject({ identity: 'target:0123456789abcdef01234567', count: 2, content_changed_between: false });
    await happens('edit_project_files', edited('a.txt'));
    await validates(testsFailed(['a::b']));
    expect(await repeated()).toMatchObject({ count: 3, content_changed_between: true });
    await validates(testsFailed(['a::c']));
    expect(await repeated()).toBeNull();
    await validates(tested({ counts: counts(4) }));
    await validates(testsFailed(['a::c']));
    expect(await repeated()).toBeNull();
    await validates(tested({ status: 'failed', evidence_reason_code: 'output_truncated', failures: [], failures_total: 1 }));
    await validates(tested({ status: 'failed', evidence_reason_code: 'output_truncated', failures: [], failures_total: 1 }));
    expect(await repeated()).toBeNull();
  });
});
