import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { managedUser } from '../../../src/daemon/principals/principal-of.js';
import { LOCAL_OWNER_SCOPES } from '../../../src/protocol/scopes.js';
import { errorKindOf } from '../../../src/protocol/tool-result.js';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { taskHouse, type Result, type TaskHouse } from '../task-house.js';
import { wholeJob } from '../whole-job.js';

let project: TemporaryProject;
let house: TaskHouse;
beforeEach(async () => {
  project = await temporaryProject();
  house = await taskHouse();
});
afterEach(async () => {
  await house.close();
  await project.remove();
});

const bob = managedUser('bob', LOCAL_OWNER_SCOPES);
const hash = (path: string): string => createHash('sha256').update(path).digest('hex');

async function folder(name: string): Promise<string> {
  const path = join(project.base, name);
  await mkdir(path, { recursive: true });
  return path;
}

async function register(path: string, more: object = {}): Promise<Result> {
  return house.call('register_project', { path, ...more });
}

describe('register_project', () => {
  it('registers an existing folder under its own name, Git or not', async () => {
    const result = await register(project.folder);
    expect(result).toEqual({
      success: true,
      output: {
        outcome: 'registered',
        state_changed: true,
        project: 'agent:local:project',
        project_ref: '~p1',
        name: 'project',
        client_id: 'local',
        path: project.folder,
        description: null,
        allow_patch: true,
        revision: 1,
        registered_at: expect.any(Number) as number,
      },
    });
  });

  it('changes nothing when it is asked for the same again', async () => {
    await register(project.folder, { id: 'app', description: 'the app' });
    for (const more of [{}, { id: 'app' }, { id: 'app', description: 'the app', name: 'project' }]) {
      expect((await register(project.folder, more)).output).toMatchObject({
        outcome: 'unchanged',
        state_changed: false,
        project: 'agent:local:app',
        revision: 1,
      });
    }
  });

  it('changes settings only with overwrite, and the revision with them', async () => {
    await register(project.folder);
    expect((await register(project.folder, { name: 'Other' })).output).toMatchObject({
      error_kind: 'project_already_exists',
      reason_code: 'settings_differ',
      revision: 1,
    });
    const changed = await register(project.folder, { name: 'Other', allow_patch: false, overwrite: true });
    expect(changed.output).toMatchObject({ outcome: 'updated', name: 'Other', allow_patch: false, revision: 2 });
  });

  it('gives a folder a suffix of its path’s hash when its name is taken, as long as it needs', async () => {
    const one = await folder('one/app');
    const two = await folder('two/app');
    await register(one);
    expect((await register(two)).output['project']).toBe(`agent:local:app-${hash(two).slice(0, 4)}`);
    const three = await folder('three/app');
    await register(await folder('x'), { id: `app-${hash(three).slice(0, 4)}` });
    expect((await register(three)).output['project']).toBe(`agent:local:app-${hash(three).slice(0, 8)}`);
  });

  it('makes an id of whatever a folder is called', async () => {
    expect((await register(await folder('My App (2)'))).output).toMatchObject({
      project: 'agent:local:My-App-2',
      name: 'My App (2)',
    });
    expect((await register(await folder('日本'))).output).toMatchObject({ project: 'agent:local:project', name: '日本' });
  });

  it('refuses a folder under a second id, and an id for a second folder', async () => {
    const other = await folder('other');
    await register(project.folder, { id: 'app' });
    expect((await register(project.folder, { id: 'app2' })).output).toMatchObject({
      error_kind: 'project_already_exists',
      reason_code: 'path_registered_under_other_id',
      project: 'agent:local:app',
    });
    expect((await register(other, { id: 'app' })).output).toMatchObject({
      error_kind: 'project_already_exists',
      reason_code: 'id_registered_elsewhere',
    });
    expect((await register(other, { id: 'app', overwrite: true })).output).toMatchObject({
      outcome: 'updated',
      path: other,
      revision: 2,
    });
  });

  it('never hands the id of an unregistered project to another folder by itself', async () => {
    const one = await folder('one/app');
    const two = await folder('two/app');
    await register(one);
    await house.call('unregister_project', { project: 'app', expected_revision: 1 });
    expect((await register(two)).output['project']).toBe(`agent:local:app-${hash(two).slice(0, 4)}`);
    expect((await register(two, { id: 'app' })).output['error_kind']).toBe('project_already_exists');
    expect((await register(one)).output).toMatchObject({ outcome: 'registered', project: 'agent:local:app', revision: 3 });
  });

  it('registers what a link leads to, and one folder once, however it is called', async () => {
    await symlink(project.folder, join(project.base, 'link'));
    await register(project.folder);
    expect((await register(join(project.base, 'link'))).output).toMatchObject({ outcome: 'unchanged', path: project.folder });
  });

  it('refuses bad paths, names, ids and clients with their own kinds, and registers nothing', async () => {
    await project.write('file', 'x');
    const kinds = await Promise.all(
      [
        { path: 'relative' },
        { path: project.path('gone') },
        { path: project.path('file') },
        { path: project.folder, client_id: 'elsewhere' },
        { path: project.folder, id: 'a.b' },
        { path: project.folder, id: '' },
        { path: project.folder, name: '  ' },
        { path: project.folder, name: 'x'.repeat(121) },
        { path: project.folder, name: 'a\nb' },
        { path: project.folder, description: 'é'.repeat(251) },
        { path: project.folder, name: `app ghp_${'a1B2'.repeat(9)}` },
        { path: project.folder, description: 'see password=hunter2hunter2' },
        { path: project.folder, foo: 1 },
      ].map(async (args) => (await house.call('register_project', args)).output.error_kind),
    );
    expect(kinds).toEqual([
      'invalid_project_path',
      'project_path_not_found',
      'project_path_not_directory',
      'unknown_client_id',
      ...Array<string>(9).fill('invalid_arguments'),
    ]);
    expect((await house.call('list_projects', {})).output['total_count']).toBe(0);
  });

  it('registers a folder once when two ask at the same time', async () => {
    const answers = await Promise.all([register(project.folder), register(project.folder), register(project.folder)]);
    expect(answers.map(({ output }) => output['outcome']).sort()).toEqual(['registered', 'unchanged', 'unchanged']);
  });

  it('needs project:write and an approving policy', async () => {
    const reader = managedUser('reader', ['runtime:read', 'project:read']);
    expect((await house.call('register_project', { path: project.folder }, { principal: reader })).output).toMatchObject({
      error_kind: 'insufficient_scope',
      missing_scope: 'project:write',
    });
    const restricted = await taskHouse({ authorityMode: 'restricted' });
    const denied = await restricted.call('register_project', { path: project.folder });
    expect(denied.output['error_kind']).toBe('permission_denied');
    expect(restricted.runner.requests).toEqual([]);
    await restricted.close();
  });

  it('says that the store failed, and keeps nothing', async () => {
    house.database.pragma('query_only = ON');
    const result = await register(project.folder);
    house.database.pragma('query_only = OFF');
    expect(result.output).toMatchObject({ error_kind: 'storage_unavailable', state_changed: false });
    expect((await house.call('list_projects', {})).output['total_count']).toBe(0);
    expect((await register(project.folder)).output['outcome']).toBe('registered');
  });
});

describe('[00-D51] the folders that a caller may register', () => {
  const register51 = async (path: string, changes: Parameters<TaskHouse['call']>[2]): Promise<string> => {
    const result = await house.call('register_project', { path }, changes);
    return result.success ? 'registered' : (result.output.error_kind ?? '');
  };

  it('are any that the operating system allows, for the owner at a terminal', async () => {
    expect(await register51(project.folder, { adapter: 'cli' })).toBe('registered');
    expect(await register51(await folder('other'), { adapter: 'http' })).toBe('registered');
  });

  it('are the home folder and what is registered already, for the MCP shim and for tokens', async () => {
    await house.close();
    const home = await folder('home/me');
    house = await taskHouse({ home });
    const outside = await folder('outside');
    for (const changes of [{ adapter: 'mcp_2026' as const }, { principal: bob, adapter: 'cli' as const }]) {
      expect(await register51(outside, changes)).toBe('path_outside_allowed_roots');
      const inHome = await folder(`home/me/${changes.adapter}`);
      expect(await register51(inHome, changes)).toBe('registered');
    }
    await register(project.folder);
    expect(await register51(await folder('project/inner'), { adapter: 'mcp_legacy' })).toBe('registered');
  });

  it('are those of the configuration, for everyone, when it names some', async () => {
    await house.close();
    house = await taskHouse({ allowedRoots: [project.folder] });
    const inner = await folder('project/inner');
    expect(await register51(await folder('outside'), { adapter: 'cli' })).toBe('path_outside_allowed_roots');
    expect(await register51(inner, { adapter: 'cli' })).toBe('registered');
  });
});

describe('[00-D51] the folders that a caller may make', () => {
  it('are the same: no folder is made, and none is said to exist, beyond them', async () => {
    await house.close();
    const home = await folder('home/me');
    house = await taskHouse({ home });
    const outside = await folder('outside');
    const create = async (path: string, changes: Parameters<TaskHouse['call']>[2]): Promise<string> => {
      const result = await house.call('create_project', { path }, changes);
      return result.success ? 'created' : (result.output.error_kind ?? '');
    };
    for (const changes of [{ adapter: 'mcp_2026' as const }, { principal: bob, adapter: 'cli' as const }]) {
      expect(await create(join(outside, 'new'), changes)).toBe('path_outside_allowed_roots');
      expect(await create(join(outside, 'there', 'is', 'none'), changes)).toBe('path_outside_allowed_roots');
      expect(await create(join(home, `new-${changes.adapter}`), changes)).toBe('created');
    }
    expect(await readdir(outside)).toEqual([]);
    expect(await create(join(outside, 'new'), { adapter: 'cli' })).toBe('created');
  });
});

describe('project refs', () => {
  it('are numbered for each principal, stable, and found again after a restart', async () => {
    const other = await folder('other');
    await register(project.folder);
    expect((await register(other)).output['project_ref']).toBe('~p2');
    const bobs = await house.call('list_projects', { query: 'other' }, { principal: bob });
    expect(bobs.output['projects']).toMatchObject([{ project: 'agent:local:other', project_ref: '~p1' }]);
    expect(house.projects.resolve('~p1', house.owner)).toMatchObject({ project: { id: 'agent:local:project' } });
    expect(house.projects.resolve('~p1', bob)).toMatchObject({ project: { id: 'agent:local:other' } });
    house.database.close();
    const again = await taskHouse({ folder: house.folder });
    expect(again.projects.resolve('~p2', again.owner)).toMatchObject({ project: { id: 'agent:local:other' } });
    expect((await again.call('list_projects', {})).output['projects']).toMatchObject([
      { project: 'agent:local:other', project_ref: '~p2' },
      { project: 'agent:local:project', project_ref: '~p1' },
    ]);
    await again.close();
    house = await taskHouse();
  });

  it('[00-D64] fail alike when they are foreign, malformed, missing, of an unregistered project or of another root', async () => {
    const other = await folder('other');
    await register(project.folder, { id: 'app' });
    const kind = (ref: string, principal = house.owner): string => {
      const resolution = house.projects.resolve(ref, principal);
      if ('project' in resolution) return resolution.project.id;
      expect(Object.keys(resolution.failure.output)).toEqual(['error_kind', 'recovery_kind']);
      return errorKindOf(resolution.failure) ?? 'none';
    };
    expect(kind('~p1')).toBe('agent:local:app');
    for (const ref of ['~p2', '~p0', '~p01', '~p', '~px', '~p1x', '~p99999999999999999999', '~p9223372036854775807']) {
      expect(kind(ref)).toBe('unknown_project_ref');
    }
    expect(kind('~p1', bob)).toBe('unknown_project_ref');
    await house.call('register_project', { path: other, id: 'app', overwrite: true });
    expect(kind('~p1')).toBe('unknown_project_ref');
    await house.call('unregister_project', { project: 'app', expected_revision: 2 });
    expect(kind('~p2')).toBe('unknown_project_ref');
  });

  it('never name another root with a number that was given out', async () => {
    await register(project.folder, { id: 'app' });
    await house.call('unregister_project', { project: 'app', expected_revision: 1 });
    const other = await folder('other');
    expect((await register(other)).output['project_ref']).toBe('~p2');
    expect((await register(project.folder)).output).toMatchObject({ project: 'agent:local:app', project_ref: '~p1' });
  });

  it('are made once when many ask at the same time', async () => {
    await register(project.folder);
    await register(await folder('other'));
    const lists = await Promise.all(Array.from({ length: 8 }, () => house.call('list_projects', {}, { principal: bob })));
    const refs = lists.map(({ output }) => (output['projects'] as { project_ref: string }[]).map((one) => one.project_ref));
    expect(new Set(refs.map(String))).toEqual(new Set(['~p1,~p2']));
  });
});

describe('a project selector', () => {
  it('is an id, a short id, a name or client:name, and only one thing', async () => {
    const other = await folder('other');
    await register(project.folder, { id: 'app', name: 'The App' });
    await register(other, { id: 'lib', name: 'app' });
    const resolve = (selector: string) => house.projects.resolve(selector, house.owner);
    for (const selector of ['agent:local:app', 'local:app', 'The App']) {
      expect(resolve(selector)).toMatchObject({ project: { id: 'agent:local:app', path: project.folder } });
    }
    expect(resolve('lib')).toMatchObject({ project: { id: 'agent:local:lib' } });
    expect(resolve('app')).toMatchObject({
      failure: {
        output: { error_kind: 'ambiguous_project', candidates: ['agent:local:app', 'agent:local:lib'], candidates_truncated: false, state_changed: false },
      },
    });
    expect(resolve('li')).toMatchObject({ failure: { output: { error_kind: 'unknown_project', candidates: ['agent:local:lib'], state_changed: false } } });
    expect(resolve('agent:other:app')).toMatchObject({ failure: { output: { error_kind: 'unknown_project' } } });
  });

  it('touches no file system', async () => {
    await register(project.folder);
    house.runner.requests.length = 0;
    house.projects.resolve('project', house.owner);
    expect(house.runner.requests).toEqual([]);
  });
});

describe('unregister_project', () => {
  const unregister = (args: Record<string, unknown>) => house.call('unregister_project', args);

  it('[07-A39] [00-D64] wants the revision that stands, deletes no file, and is remembered', async () => {
    await project.write('kept.txt', 'x');
    await register(project.folder);
    expect((await unregister({ project: 'project', expected_revision: 7 })).output).toMatchObject({
      error_kind: 'revision_conflict',
      revision: 1,
      state_changed: false,
    });
    expect((await unregister({ project: '~p1', expected_revision: 1 })).output).toEqual({
      project: 'agent:local:project',
      outcome: 'unregistered',
      revision: 2,
      state_changed: true,
    });
    expect(await readdir(project.folder)).toEqual(['kept.txt']);
    expect((await house.call('list_projects', {})).output['total_count']).toBe(0);
    expect((await unregister({ project: 'agent:local:project', expected_revision: 1 })).output).toMatchObject({
      outcome: 'already_unregistered',
      state_changed: false,
    });
    expect((await unregister({ project: 'agent:local:never', expected_revision: 1 })).output['error_kind']).toBe('unknown_project');
  });

  it('waits for active Jobs, and does not take silence for their absence', async () => {
    await register(project.folder);
    house.runner.failing.set('jobs/list', 'runner_unavailable');
    expect((await unregister({ project: 'project', expected_revision: 1 })).output['error_kind']).toBe('runner_unavailable');
    house.runner.failing.clear();
    house.runner.jobs = [wholeJob({ status: 'stop_requested' })];
    expect((await unregister({ project: 'project', expected_revision: 1 })).output).toMatchObject({
      error_kind: 'project_jobs_active',
      job_ids: ['job_1'],
      state_changed: false,
    });
    house.runner.jobs = [wholeJob({ status: 'completed' })];
    expect((await unregister({ project: 'project', expected_revision: 1 })).output['outcome']).toBe('unregistered');
  });

  it('leaves the Sessions of the project readable to their owner, and unusable for work', async () => {
    await register(project.folder);
    const started = await house.call('work_on_project', { project: 'project', instruction: 'look around' });
    await unregister({ project: 'project', expected_revision: 1 });
    const sessionId = started.output['session_id'] as string;
    expect((await house.call('read_session_summary', { session_id: sessionId })).success).toBe(true);
    const resumed = await house.call('work_on_project', { session_id: sessionId, instruction: 'go on' });
    expect(resumed.output['error_kind']).toBe('unknown_project');
  });
});

describe('unregister_projects', () => {
  it('[00-D54] rehearses first, then each item answers for itself', async () => {
    await register(project.folder);
    await register(await folder('other'));
    const items = [
      { project: 'project', expected_revision: 1 },
      { project: 'other', expected_revision: 9 },
      { project: 'gone', expected_revision: 1 },
    ];
    const rehearsal = await house.call('unregister_projects', { items });
    expect(rehearsal.output).toMatchObject({
      dry_run: true,
      state_changed: false,
      unregistered_count: 0,
      items: [
        { index: 0, success: true, outcome: 'would_unregister' },
        { index: 1, success: false, error_kind: 'revision_conflict' },
        { index: 2, success: false, error_kind: 'unknown_project' },
      ],
    });
    expect((await house.call('list_projects', {})).output['total_count']).toBe(2);
    expect((await house.call('unregister_projects', { items, dry_run: false })).output['error_kind']).toBe('confirmation_required');
    const done = await house.call('unregister_projects', { items, dry_run: false, confirm: true });
    expect(done.output).toMatchObject({ state_changed: true, unregistered_count: 1 });
    expect((await house.call('list_projects', {})).output['total_count']).toBe(1);
  });

  it('takes 1 to 16 items', async () => {
    const item = { project: 'x', expected_revision: 1 };
    for (const items of [[], Array<object>(17).fill(item)]) {
      expect((await house.call('unregister_projects', { items })).output['error_kind']).toBe('invalid_arguments');
    }
  });
});

describe('list_projects', () => {
  it('filters before it counts, and cuts its limit to the range', async () => {
    await register(project.folder, { name: 'Alpha' });
    await register(await folder('beta'));
    await register(await folder('gamma'));
    const page = await house.call('list_projects', { limit: 1 });
    expect(page.output).toMatchObject({ total_count: 3, returned_count: 1, truncated: true });
    expect((await house.call('list_projects', { limit: 0 })).output['returned_count']).toBe(1);
    expect((await house.call('list_projects', { limit: 5_000 })).output).toMatchObject({ returned_count: 3, truncated: false });
    expect((await house.call('list_projects', { query: 'ALPHA' })).output).toMatchObject({ total_count: 1 });
    expect((await house.call('list_projects', { project: '~p2', summary_only: true })).output['projects']).toEqual([
      { project: 'agent:local:beta', project_ref: '~p2', name: 'beta' },
    ]);
    for (const query of ['', '   ', 'x'.repeat(201)]) {
      expect((await house.call('list_projects', { query })).output['error_kind']).toBe('invalid_query');
    }
    expect((await house.call('list_projects', { client_id: 'far' })).output['error_kind']).toBe('unknown_client_id');
    expect((await house.call('list_projects', { project: 'nope' })).output['error_kind']).toBe('unknown_project');
  });

  it('shows the Git state of each project, and never a clean one that nobody saw', async () => {
    project.git('init', '--quiet');
    await project.write('new.txt', 'x');
    await register(project.folder);
    await register(await folder('plain'));
    const gone = await folder('gone');
    await register(gone);
    await rename(gone, `${gone}-old`);
    const { output } = await house.call('list_projects', { include_git_summary: true });
    const byName = Object.fromEntries((output['projects'] as { name: string; git: object }[]).map(({ name, git }) => [name, git]));
    expect(byName['project']).toMatchObject({ status: 'observed', is_repository: true, dirty: true, branch: 'main' });
    expect(byName['plain']).toMatchObject({ status: 'observed', is_repository: false });
    expect(byName['gone']).toEqual({ status: 'unavailable', reason_code: 'project_root_changed' });
  });
});

describe('resolve_workspace', () => {
  it('knows registered projects only, and never ranks an ambiguity away', async () => {
    const inner = await folder('project/inner/deep');
    expect((await house.call('resolve_workspace', { path: inner })).output).toMatchObject({ status: 'not_registered', candidates: [] });
    await register(project.folder);
    expect((await house.call('resolve_workspace', { path: inner })).output).toMatchObject({
      status: 'resolved',
      candidates: [{ project: 'agent:local:project', relation: 'contains' }],
    });
    await register(await folder('project/inner'));
    expect((await house.call('resolve_workspace', { path: inner })).output).toMatchObject({
      status: 'ambiguous',
      candidates: [{ project: 'agent:local:inner' }, { project: 'agent:local:project' }],
    });
    expect((await house.call('resolve_workspace', { path: project.folder })).output).toMatchObject({
      status: 'resolved',
      candidates: [{ project: 'agent:local:project', relation: 'root' }],
    });
  });

  it('finds by word: exact before partial, several stay several', async () => {
    await register(await folder('app'));
    await register(await folder('app-two'));
    expect((await house.call('resolve_workspace', { query: 'app' })).output).toMatchObject({
      status: 'resolved',
      candidates: [{ project: 'agent:local:app', relation: 'id' }],
    });
    expect((await house.call('resolve_workspace', { query: 'AP', limit: 1 })).output).toMatchObject({
      status: 'ambiguous',
      total_count: 2,
      truncated: true,
    });
  });

  it('takes either a path or a query', async () => {
    for (const args of [{}, { path: '/x', query: 'x' }]) {
      expect((await house.call('resolve_workspace', args)).output['error_kind']).toBe('invalid_arguments');
    }
    expect((await house.call('resolve_workspace', { query: ' ' })).output['error_kind']).toBe('invalid_query');
  });
});

describe('create_project', () => {
  it('makes and registers a folder with its template', async () => {
    const path = join(project.base, 'fresh');
    const result = await house.call('create_project', { path, name: 'Fresh', template: 'basic', git_init: true });
    expect(result.output).toMatchObject({
      outcome: 'registered',
      state_changed: true,
      project: 'agent:local:fresh',
      created_files: ['README.md', '.gitignore'],
    });
    expect((await readdir(path)).sort()).toEqual(['.git', '.gitignore', 'README.md']);
  });

  it('makes nothing when the target is not empty or its id is taken', async () => {
    await project.write('file', 'x');
    expect((await house.call('create_project', { path: project.folder })).output['error_kind']).toBe('already_exists');
    await register(project.folder, { id: 'app' });
    const path = join(project.base, 'fresh');
    expect((await house.call('create_project', { path, id: 'app' })).output['error_kind']).toBe('project_already_exists');
    expect((await readdir(project.base)).map((entry) => basename(entry))).toEqual(['project']);
  });
});
