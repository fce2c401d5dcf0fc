import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localOwner, managedUser } from '../../../src/daemon/principals/principal-of.js';
import type { SessionEvent } from '../../../src/daemon/sessions/index.js';
import { LOCAL_OWNER_SCOPES } from '../../../src/protocol/scopes.js';
import { gitIn, type TemporaryProject } from '../../runner/temporary-project.js';
import { taskHouse, type Result, type TaskHouse } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';

let project: TemporaryProject;
let other: string;
let house: TaskHouse;
beforeEach(async () => {
  project = await temporaryRepository();
  other = join(project.base, 'other');
  await mkdir(other);
  house = await taskHouse();
  await house.call('register_project', { path: project.folder, id: 'a' });
  await house.call('register_project', { path: other, id: 'b' });
  house.runner.requests.length = 0;
});
afterEach(async () => {
  await house.close();
  await project.remove();
});

const bob = managedUser('bob', LOCAL_OWNER_SCOPES);

type Changes = Parameters<TaskHouse['call']>[2];
const work = (args: Record<string, unknown>, changes?: Changes): Promise<Result> =>
  house.call('work_on_project', { instruction: 'do it', ...args }, changes);

async function startOn(selector: string, changes?: Changes): Promise<{ id: string; ref: string }> {
  const { output } = await work({ project: selector }, changes);
  return { id: output['session_id'] as string, ref: output['session_ref'] as string };
}

function events(sessionId: string): SessionEvent[] {
  return [...(house.sessions.snapshot(sessionId as never)?.events ?? [])];
}
const instructionsOf = (sessionId: string): (string | undefined)[] =>
  events(sessionId)
    .filter(({ kind }) => kind === 'task_instruction')
    .map(({ instruction }) => instruction);

describe('a fresh start', () => {
  it('[01-A1] makes a new Session every time', async () => {
    const one = await work({ project: 'a' });
    const two = await work({ project: 'a' });
    expect(one.output['continuation']).toBe('created');
    expect(two.output['continuation']).toBe('created');
    expect(one.output['session_id']).not.toBe(two.output['session_id']);
    expect(house.sessions.counts().active).toBe(2);
  });

  it('answers compactly: what always stands, and what is informative', async () => {
    await project.write('AGENTS.md', 'be kind\n');
    const { success, output } = await work({ project: 'a' });
    expect(success).toBe(true);
    expect(output).toEqual({
      session_id: expect.stringMatching(/^wc_sess_[A-Za-z0-9_-]{16}$/) as string,
      session_ref: '~s1',
      project: 'agent:local:a',
      project_ref: '~p1',
      resolved_project: 'agent:local:a',
      continuation: 'created',
      workspace: {
        status: 'dirty',
        git: {
          branch: 'main',
          head: project.git('rev-parse', 'HEAD').trim(),
          dirty: true,
          conflicted: false,
          ahead: null,
          behind: null,
        },
      },
      instructions: {
        status: 'loaded',
        sources: [{ source_scope: 'project', path: 'AGENTS.md', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
      },
      semantic_navigation: {
        supported: false,
        available: null,
        status: 'not_observed',
        capability: null,
        reason_code: 'capability_unavailable',
      },
      continuation_feedback: { status: 'not_applicable', reason_code: 'fresh_session' },
    });
    expect(JSON.stringify(output)).not.toContain('be kind');
  });

  it('[06-A1] has no previous attempt', async () => {
    expect((await work({ project: 'a' })).output['continuation_feedback']).toEqual({
      status: 'not_applicable',
      reason_code: 'fresh_session',
    });
  });

  it('records exactly one instruction, redacted, and tells the audit which Session it made', async () => {
    const { output } = await work({ project: 'a', instruction: '  use token=sk-1234567890abcdef1234567890 now  ' });
    const id = output['session_id'] as string;
    expect(events(id).map(({ kind }) => kind)).toEqual(['task_instruction']);
    expect(instructionsOf(id)[0]).not.toContain('sk-1234567890abcdef');
    expect(house.rows.at(-1)?.outcomeFacts).toMatchObject({
      workedOnSession: { sessionId: id, project: 'agent:local:a' },
      telemetry: {
        bootstrap: {
          instruction_observation_status: 'not_found',
          workspace_status: 'clean',
          semantic_status: 'not_observed',
          instruction_source_count: 0,
        },
      },
    });
  });

  it('works on a folder without Git', async () => {
    expect((await work({ project: 'b' })).output['workspace']).toEqual({ status: 'not_applicable', git: null });
  });

  it('names a conflict as a blocker, and an operation that git is in', async () => {
    project.git('checkout', '--quiet', '-b', 'side');
    await project.write('a.txt', 'side\n');
    project.git('commit', '--quiet', '-am', 'side');
    project.git('checkout', '--quiet', 'main');
    await project.write('a.txt', 'main\n');
    project.git('commit', '--quiet', '-am', 'main');
    expect(() => project.git('merge', 'side')).toThrow();
    const { output } = await work({ project: 'a' });
    expect(output).toMatchObject({
      workspace: { status: 'conflicted' },
      blockers: ['workspace_conflicts'],
      warnings: ['git_operation_in_progress:merge'],
    });
  });

  it('says what nobody could see, and starts all the same', async () => {
    for (const method of ['git/observe', 'project/observe_instructions', 'jobs/list']) {
      house.runner.failing.set(method, 'runner_unavailable');
    }
    expect((await work({ project: 'a' })).output).toMatchObject({
      continuation: 'created',
      workspace: { status: 'unavailable', git: null, reason_code: 'runner_unavailable' },
      instructions: { status: 'unavailable', sources: [] },
      jobs: { status: 'unavailable', recovery_state: 'unknown' },
      warnings: ['workspace_observation_failed', 'instructions_unavailable', 'jobs_observation_failed'],
    });
  });

  it('does not start on a folder that is another one by now', async () => {
    await rename(project.folder, `${project.folder}-old`);
    await mkdir(project.folder);
    expect((await work({ project: 'a' })).output).toMatchObject({
      error_kind: 'project_root_changed',
      project: 'agent:local:a',
      state_changed: false,
    });
    expect(house.sessions.counts().retained).toBe(0);
  });

  it('makes nothing when it is cancelled while it looks', async () => {
    const cancel = new AbortController();
    const call = house.runner.call.bind(house.runner);
    house.runner.call = (method, params, options) => {
      cancel.abort();
      return call(method, params, options);
    };
    expect((await work({ project: 'a' }, { signal: cancel.signal })).output['error_kind']).toBe('cancelled');
    expect(house.sessions.counts().retained).toBe(0);
  });

  it('says truthfully that it has no extensions', async () => {
    expect((await work({ project: 'a', include_extension_catalog: true })).output['extensions']).toEqual({
      skills: { status: 'unavailable', reason_code: 'capability_unavailable' },
      plugins: { status: 'unavailable', reason_code: 'capability_unavailable' },
    });
  });
});

describe('what a call says of its source', () => {
  it('[01-A3] is refused before any git when a worktree is asked for by Session alone', async () => {
    const { id } = await startOn('a');
    house.runner.requests.length = 0;
    expect((await work({ session_id: id, mode: 'worktree' })).output['error_kind']).toBe('invalid_arguments');
    expect(house.runner.requests).toEqual([]);
    expect(instructionsOf(id)).toHaveLength(1);
  });

  it('is refused when it is none, half, both, empty or null', async () => {
    const refused = await Promise.all(
      [
        {},
        { project: '' },
        { project: null },
        { client_id: 'local' },
        { path: project.folder },
        { project: 'a', client_id: 'local', path: project.folder },
        { project: 'a', session_id: '' },
        { project: 'a', session_id: '   ' },
        { project: 'a', base_ref: 'main' },
        { project: 'a', mode: 'worktree', base_ref: 'a\0b' },
        { project: 'a', mode: 'worktree', base_ref: 'x'.repeat(1025) },
        { project: 'a', guidance_profile: 'code_mode' },
        { project: 'a', resume_session_id: 'x' },
        { project: 'a', bind: true },
      ].map(async (args) => (await work(args)).output['error_kind']),
    );
    expect(new Set(refused)).toEqual(new Set(['invalid_arguments']));
    expect(house.runner.requests).toEqual([]);
    expect(house.sessions.counts().retained).toBe(0);
  });

  it('is refused with its own kind when the instruction is empty or too long', async () => {
    for (const instruction of ['', ' \n\t ', 'x'.repeat(4_001)]) {
      expect((await work({ project: 'a', instruction })).output).toMatchObject({
        error_kind: 'invalid_coding_instruction',
        state_changed: false,
      });
    }
    expect((await work({ project: 'a', instruction: '𝒳'.repeat(4_000) })).success).toBe(true);
    expect(house.sessions.counts().retained).toBe(1);
  });
});

describe('an exact resume', () => {
  it('[01-A2] takes the id or the ref, keeps the title and appends one instruction each', async () => {
    const { id, ref } = await startOn('a');
    const byId = await work({ session_id: id, instruction: 'second' });
    const byRef = await work({ session_id: ref, instruction: 'third' });
    for (const { output } of [byId, byRef]) {
      expect(output).toMatchObject({ session_id: id, session_ref: ref, continuation: 'resumed_explicitly' });
    }
    expect(house.sessions.snapshot(id as never)?.session.title).toBe('do it');
    expect(instructionsOf(id)).toEqual(['do it', 'second', 'third']);
    expect(house.sessions.counts().retained).toBe(1);
  });

  it('takes the Session’s own project when none is named, and says so', async () => {
    const { id } = await startOn('a');
    expect((await work({ session_id: id })).output['project_resolution']).toEqual({
      source: 'session',
      newly_registered: false,
      path: project.folder,
    });
  });

  it('[01-A4] of another project’s Session is refused without an instruction or a git call', async () => {
    const { id, ref } = await startOn('a');
    house.runner.requests.length = 0;
    expect((await work({ session_id: ref, project: 'b' })).output).toMatchObject({
      error_kind: 'session_project_mismatch',
      mismatch: 'session',
      session_project: 'agent:local:a',
      request_project: 'agent:local:b',
      state_changed: false,
    });
    expect(house.runner.requests).toEqual([]);
    expect(instructionsOf(id)).toEqual(['do it']);
  });

  it('[01-A5] recorded by another project’s Session is refused and changes neither', async () => {
    const a = await startOn('a');
    const b = await startOn('b');
    house.runner.requests.length = 0;
    const result = await work({ session_id: a.id }, { recordingSessionId: b.id });
    expect(result.output).toMatchObject({ error_kind: 'session_project_mismatch', mismatch: 'recorder' });
    expect(house.runner.requests).toEqual([]);
    expect(events(a.id).map(({ kind }) => kind)).toEqual(['task_instruction']);
    expect(events(b.id).map(({ kind }) => kind)).toEqual(['task_instruction', 'tool_call_started', 'tool_call_finished']);
    const fresh = await work({ project: 'a' }, { recordingSessionId: b.ref });
    expect(fresh.output['error_kind']).toBe('session_project_mismatch');
    expect(house.sessions.counts().retained).toBe(2);
  });

  it('[01-A6] of what was never issued has a kind for each form', async () => {
    const kind = async (sessionId: string): Promise<unknown> => (await work({ session_id: sessionId })).output['error_kind'];
    expect(await kind('wc_sess_AAAAAAAAAAAAAAAA')).toBe('unknown_session_id');
    expect(await kind('~s9999')).toBe('unknown_session_ref');
    expect(await kind('~sbad')).toBe('unknown_session_ref');
    expect(await kind('nonsense')).toBe('invalid_session_id');
    expect(house.runner.requests).toEqual([]);
  });

  it('[01-A7] by another authority is refused: the ref is unknown, the live id is denied', async () => {
    const { id, ref } = await startOn('a');
    house.runner.requests.length = 0;
    expect((await work({ session_id: ref }, { principal: bob })).output['error_kind']).toBe('unknown_session_ref');
    expect((await work({ session_id: id }, { principal: bob })).output['error_kind']).toBe('session_authority_denied');
    expect(house.runner.requests).toEqual([]);
    expect(instructionsOf(id)).toEqual(['do it']);
  });

  it('[01-A8] of a Closed Session is refused and opens nothing', async () => {
    const { id, ref } = await startOn('a');
    await house.call('close_session', { session_id: id });
    const active = house.sessions.counts().active;
    expect((await work({ session_id: ref })).output).toMatchObject({ error_kind: 'session_closed', state_changed: false });
    expect(house.sessions.counts().active).toBe(active);
    expect(instructionsOf(id)).toEqual(['do it']);
  });

  it('[01-A28] from read_only to normal needs project:write', async () => {
    const started = await house.call('start_session', { project: 'a', mode: 'read_only' });
    const id = started.output['session_id'] as string;
    const narrow = { ...localOwner(1000, 'plain'), scopes: new Set(['runtime:read', 'project:read'] as const) };
    const before = events(id).length;
    expect((await work({ session_id: id }, { principal: narrow })).output['error_kind']).toBe('session_capability_upgrade_denied');
    expect(events(id)).toHaveLength(before);
    const upgraded = await work({ session_id: id });
    expect(upgraded.output['readiness']).toEqual({
      mode: 'normal',
      guards: { deny_write_tools: false, deny_shell_tools: false },
      capability_changed: true,
    });
    expect(events(id).at(-1)).toMatchObject({ kind: 'task_instruction', previous_mode: 'read_only', capability_changed: true });
  });

  it('of an unscoped Session is refused, since it has no project to lend', async () => {
    const started = await house.call('start_session', {});
    const id = started.output['session_id'] as string;
    expect((await work({ session_id: id })).output).toMatchObject({
      error_kind: 'session_project_mismatch',
      session_project: '<unscoped>',
    });
    expect((await work({ session_id: id, project: 'a' })).output).toMatchObject({
      error_kind: 'session_project_mismatch',
      session_project: '<unscoped>',
    });
  });

  it('for a worktree of the source is refused as a mismatch', async () => {
    const { id } = await startOn('a');
    expect((await work({ session_id: id, project: 'a', mode: 'worktree' })).output['error_kind']).toBe('session_project_mismatch');
  });

  it('preserves the execution defaults, and shows them', async () => {
    const { id } = await startOn('a');
    await house.call('update_session_context', { project: 'a', session_id: id, execution_context: { default_shell: 'sh' } });
    expect((await work({ session_id: id })).output['execution_context']).toEqual({ default_shell: 'sh' });
  });
});

describe('instructions of a project', () => {
  it('are loaded, reused, changed, gone and unreadable, each said as what it is, also after a restart', async () => {
    const status = async (id: string): Promise<unknown> =>
      ((await work({ session_id: id })).output['instructions'] as { status: string }).status;
    const { id } = await startOn('a');
    expect(await status(id)).toBe('not_found');
    await project.write('AGENTS.md', 'one');
    expect(await status(id)).toBe('loaded');
    expect(await status(id)).toBe('reused');
    house.database.close();
    const folder = house.folder;
    house = await taskHouse({ folder });
    expect(await status(id)).toBe('reused');
    await project.write('AGENTS.md', 'two');
    expect(await status(id)).toBe('changed');
    await project.write('CLAUDE.md', 'more');
    expect(await status(id)).toBe('changed');
    await rm(project.path('CLAUDE.md'));
    await rm(project.path('AGENTS.md'));
    await mkdir(project.path('AGENTS.md'));
    expect(await status(id)).toBe('unavailable');
    await rm(project.path('AGENTS.md'), { recursive: true });
    expect(await status(id)).toBe('not_found');
    await rm(folder, { recursive: true });
  });
});

describe('a start by path', () => {
  const byPath = (path: string, changes?: Changes): Promise<Result> => work({ client_id: 'local', path }, changes);

  async function unregisteredRepository(name: string): Promise<string> {
    const path = join(project.base, name);
    await mkdir(join(path, 'deep'), { recursive: true });
    gitIn(path, 'init', '--quiet');
    return path;
  }

  it('takes the project that is registered at or nearest above the folder', async () => {
    await mkdir(project.path('deep/er'), { recursive: true });
    expect((await byPath(project.path('deep/er'))).output).toMatchObject({
      project: 'agent:local:a',
      project_resolution: { source: 'path', newly_registered: false, path: project.folder },
    });
  });

  it('[00-D64] registers the work tree around a folder, by the decision of register_project, and says so', async () => {
    const repository = await unregisteredRepository('fresh');
    const { output } = await byPath(join(repository, 'deep'));
    expect(output).toMatchObject({
      project: 'agent:local:fresh',
      continuation: 'created',
      project_resolution: {
        source: 'path',
        newly_registered: true,
        path: repository,
        permission: { required: true, status: 'auto_approved', tool_name: 'register_project' },
      },
    });
    expect((await byPath(repository)).output['project_resolution']).toMatchObject({ newly_registered: false });
  });

  it('[00-D64] registers nothing when that decision or the scope is missing', async () => {
    const repository = await unregisteredRepository('fresh');
    const narrow = { ...localOwner(1000, 'plain'), scopes: new Set(['runtime:read', 'project:read'] as const) };
    expect((await byPath(repository, { principal: narrow })).output).toMatchObject({
      error_kind: 'insufficient_scope',
      missing_scope: 'project:write',
    });
    const restricted = await taskHouse({ authorityMode: 'restricted' });
    const denied = await restricted.call('work_on_project', { instruction: 'x', client_id: 'local', path: repository });
    expect(denied.output).toMatchObject({ error_kind: 'permission_denied', state_changed: false });
    expect(restricted.sessions.counts().retained).toBe(0);
    await restricted.close();
    expect((await house.call('list_projects', { query: 'fresh' })).output['total_count']).toBe(0);
    expect(house.sessions.counts().retained).toBe(0);
  });

  it('says that a registration stands when the rest of the call fails', async () => {
    const repository = await unregisteredRepository('fresh');
    house.runner.failing.set('git/observe', 'project_root_changed');
    expect((await byPath(repository)).output).toMatchObject({
      error_kind: 'project_root_changed',
      state_changed: true,
      registered_project: 'agent:local:fresh',
    });
    expect(house.sessions.counts().retained).toBe(0);
    expect((await house.call('list_projects', { query: 'fresh' })).output['total_count']).toBe(1);
  });

  it('registers the source of a worktree as well, and says so when there is no worktree', async () => {
    const repository = await unregisteredRepository('fresh');
    const result = await work({ client_id: 'local', path: repository, mode: 'worktree', base_ref: 'nowhere' });
    expect(result.output).toMatchObject({
      error_kind: 'base_ref_resolution_failed',
      state_changed: true,
      registered_project: 'agent:local:fresh',
    });
  });

  it('registers nothing for a Session or a recorder, which belong to other projects', async () => {
    const repository = await unregisteredRepository('fresh');
    const { id } = await startOn('a');
    const resumed = await work({ client_id: 'local', path: repository, session_id: id });
    expect(resumed.output).toMatchObject({ error_kind: 'session_project_mismatch', mismatch: 'session' });
    const recorded = await byPath(repository, { recordingSessionId: id });
    expect(recorded.output).toMatchObject({ error_kind: 'session_project_mismatch', mismatch: 'recorder' });
    expect((await house.call('list_projects', { query: 'fresh' })).output['total_count']).toBe(0);
  });

  it('refuses a folder in no project and no work tree, other clients, and what the caller may not reach', async () => {
    const plain = join(project.base, 'plain');
    await mkdir(plain);
    expect((await byPath(plain)).output).toMatchObject({ error_kind: 'unknown_project', reason_code: 'path_not_registered' });
    expect((await work({ client_id: 'far', path: plain })).output['error_kind']).toBe('unknown_client_id');
    const repository = await unregisteredRepository('fresh');
    expect((await byPath(repository, { adapter: 'mcp_2026' })).output['error_kind']).toBe('path_outside_allowed_roots');
    expect(house.sessions.counts().retained).toBe(0);
  });

  it('checks the Session before it looks at the path', async () => {
    house.runner.requests.length = 0;
    const result = await work({ client_id: 'local', path: project.folder, session_id: 'wc_sess_AAAAAAAAAAAAAAAA' });
    expect(result.output['error_kind']).toBe('unknown_session_id');
    expect(house.runner.requests).toEqual([]);
  });
});

describe('a failing store', () => {
  it('[01-A32] leaves no Session behind, and the retry has one instruction', async () => {
    house.database.pragma('query_only = ON');
    expect((await work({ project: 'a' })).output['error_kind']).toBe('coding_continuity_commit_failed');
    expect(house.sessions.counts().retained).toBe(0);
    house.database.pragma('query_only = OFF');
    const { output } = await work({ project: 'a' });
    expect(instructionsOf(output['session_id'] as string)).toEqual(['do it']);
    expect(house.sessions.counts().retained).toBe(1);
  });

  it('after the commit says that the work has begun', async () => {
    house.database.exec('DROP TABLE project_refs');
    const result = await work({ project: 'a' });
    expect(result.output).toMatchObject({ error_kind: 'work_on_project_projection_failed', state_changed: true });
    const id = result.output['session_id'] as string;
    expect(instructionsOf(id)).toEqual(['do it']);
    expect(house.rows.at(-1)?.outcomeFacts.workedOnSession).toEqual({ sessionId: id, project: 'agent:local:a' });
    expect(house.faults).toHaveLength(1);
  });
});
