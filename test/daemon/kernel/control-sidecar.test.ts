import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { failure, success, type ToolResult } from '../../../src/protocol/tool-result.js';
import { defineTool, sessionSelector, type Tool } from '../../../src/daemon/kernel/tool.js';
import { kernelFixture, principal, request, run, session, SESSION_A, tool } from './kernel-fixture.js';

const demo = { project: 'agent:local:demo' };
const close = { session_id: SESSION_A };

/** A tool of a control phase: its arguments are its own, and it notes each call. */
function mutation(name: string, answer: () => ToolResult, calls: string[]): Tool {
  const { definition } = tool(name, () => ({ result: success({}) }));
  const facts = { ...definition, effect: 'mutate', risk: 'session_collaborate', idempotency: 'keyed', session: 'none', project: 'none', session_evidence: 'none', recorded_inputs: [] } as const;
  return defineTool({ ...facts, scopes: { kind: 'all', scopes: ['session:collaborate'] }, input: z.strictObject({ session_id: sessionSelector.optional(), key: z.string().optional() }) }, () => {
    calls.push(name);
    return { result: answer() };
  });
}

interface Setup {
  readonly main?: ToolResult;
  readonly mainName?: string;
  readonly answer?: ToolResult;
}

function control(setup: Setup, envelope: object, changes = {}): Promise<{ success: boolean; output: Record<string, unknown>; calls: string[] }> {
  const calls: string[] = [];
  const name = setup.mainName ?? 'finish_coding_task';
  const answer = (): ToolResult => setup.answer ?? success({ revision: 7 });
  const fixture = kernelFixture(
    [
      tool(name, () => {
        calls.push(name);
        return { result: setup.main ?? success({ task_outcome: { blocking: false } }) };
      }),
      ...['close_session', 'complete_session_message', 'update_session_context', 'checkpoint_goal'].map((one) => mutation(one, answer, calls)),
    ],
    { sessions: [session(SESSION_A)] },
  );
  return run(fixture, request(name, demo, { envelope: { control: envelope }, ...changes })).then((result) => ({ ...result, calls }));
}

describe('control beside a call', () => {
  it('[02-A22] admits one mutation before, and not with resolve', async () => {
    const both = await control({}, { before: { goal_progress: {} } }, {
      envelope: { record: SESSION_A, resolve: { message_id: 'wc_msg_0000000000000000', resolution: 'x' }, control: { before: { goal_progress: {} } } },
    });
    expect([both.output['error_kind'], both.calls]).toEqual(['multiple_before_mutations', []]);
  });

  it('[02-A23] never admits the execution defaults, which have no fence', async () => {
    for (const kind of ['session_context_update', 'update_session_context']) {
      const answer = await control({}, { before: { [kind]: {} } });
      expect(answer.output).toMatchObject({
        error_kind: 'session_context_replay_contract_required',
        control: {
          main: { success: false, execution_state: 'definitely_not_started', state_changed: false },
          before: { kind: 'session_context_update', execution_state: 'definitely_not_started', state_changed: false },
        },
      });
      expect(answer.calls).toEqual([]);
    }
  });

  it('[02-A24] closes a Session after a finish alone, and not after a blocking one', async () => {
    const early = await control({ mainName: 'run_thing' }, { after_success: { session_close: close } });
    expect([early.output['error_kind'], early.calls]).toEqual(['control_requires_finish_coding_task', []]);
    for (const main of [success({ task_outcome: { blocking: true } }), success({})]) {
      const blocked = await control({ main }, { after_success: { session_close: close } });
      expect(blocked.output['control']).toMatchObject({ after_success: { kind: 'session_close', success: false, error_kind: 'closeout_blocking' } });
      expect(blocked.calls).toEqual(['finish_coding_task']);
    }
    const closed = await control({}, { after_success: { close_session: close } });
    expect(closed.output['control']).toEqual({
      main: { success: true, execution_state: 'succeeded', state_changed: null },
      after_success: { kind: 'session_close', success: true, execution_state: 'succeeded', state_changed: true, replayed: false, revision: 7 },
    });
    expect(closed.calls).toEqual(['finish_coding_task', 'close_session']);
  });

  it('[02-A25] leaves the truth of the tool alone when what follows fails', async () => {
    const stale = await control({ answer: failure('assignment_stale', 'stale', { state_changed: false, fresh_assignment_fence: 'wsa2_x' }) }, { after_success: { todo_completion: {} } });
    expect(stale.success).toBe(true);
    expect(stale.output['control']).toMatchObject({ after_success: { success: false, execution_state: 'failed', state_changed: false, error_kind: 'assignment_stale' } });
    expect(JSON.stringify(stale.output)).not.toContain('wsa2_x');
    const unknown = await control({ answer: failure('completion_persistence_uncertain', 'x', { failure_kind: 'outcome_unknown', state_changed: true }) }, { after_success: { todo_completion: {} } });
    expect(unknown.output['control']).toMatchObject({ after_success: { execution_state: 'outcome_unknown', state_changed: null } });
  });

  it('[02-A26] does not follow what goes on as a Job, or failed', async () => {
    const handed = await control({ mainName: 'run_thing', main: success({ job_id: 'j', execution_state: 'running' }) }, { after_success: { todo_completion: {} } });
    expect(handed.output['control']).toMatchObject({ main: { execution_state: 'started' }, after_success: { error_kind: 'main_not_completed' } });
    const failed = await control({ main: failure('not_found', 'x') }, { after_success: { todo_completion: {} } });
    expect(failed.output['control']).toMatchObject({ main: { execution_state: 'failed' }, after_success: { error_kind: 'main_failed' } });
    expect(handed.calls).toEqual(['run_thing']);
  });

  it('judges both phases before either runs, and echoes nothing', async () => {
    const bad = await control({}, { before: { goal_progress: { key: 'k' } }, after_success: { todo_completion: { 'token-hunter2': 1 } } });
    expect([bad.output['error_kind'], bad.calls]).toEqual(['invalid_control_arguments', []]);
    expect(JSON.stringify(bad)).not.toContain('hunter2');
    for (const phase of [{}, { a: {}, b: {} }, { goal_progress: 1 }]) {
      expect((await control({}, { before: phase })).output['error_kind']).toBe('invalid_control_arguments');
    }
    expect((await control({}, { before: { nonsense: {} } })).output['error_kind']).toBe('control_sidecar_not_admitted');
    expect((await control({}, { before: { wake_consume: {} } })).output['error_kind']).toBe('control_sidecar_not_admitted');
    const poor = await control({}, { after_success: { session_close: close } }, { principal: principal({ scopes: new Set(['project:read']) }) });
    expect([poor.output['error_kind'], poor.calls]).toEqual(['control_insufficient_scope', []]);
  });

  it('runs a mutation before its tool, which starts only after its success', async () => {
    const good = await control({}, { before: { goal_progress: {} } });
    expect(good.calls).toEqual(['checkpoint_goal', 'finish_coding_task']);
    expect(good.output['control']).toMatchObject({ before: { kind: 'goal_progress', success: true, revision: 7 } });
    const replayed = await control({ answer: success({ replayed: true }) }, { before: { goal_progress: {} } });
    expect(replayed.output['control']).toMatchObject({ before: { success: true, replayed: true, state_changed: false } });
    const refused = await control({ answer: failure('revision_conflict', 'x', { state_changed: false }) }, { before: { goal_progress: {} } });
    expect(refused.output).toMatchObject({ error_kind: 'control_before_failed', control: { before: { error_kind: 'revision_conflict' } } });
    expect(refused.calls).toEqual(['checkpoint_goal']);
  });
});
