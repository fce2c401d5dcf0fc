import { access, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { managedUser } from '../../../src/daemon/principals/principal-of.js';
import { LOCAL_OWNER_SCOPES } from '../../../src/protocol/scopes.js';
import { gitIn, type TemporaryProject } from '../../runner/temporary-project.js';
import { taskHouse, type Result, type TaskHouse } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';

let project: TemporaryProject;
let house: TaskHouse;
beforeEach(async () => {
  project = await temporaryRepository();
  house = await taskHouse();
  await house.call('register_project', { path: project.folder, id: 'a' });
  house.runner.requests.length = 0;
});
afterEach(async () => {
  await house.close();
  await project.remove();
});

type Changes = Parameters<TaskHouse['call']>[2];
const work = (args: Record<string, unknown>, changes?: Changes): Promise<Result> =>
  house.call('work_on_project', { instruction: 'do it', ...args }, changes);
const inWorktree = (args: Record<string, unknown> = {}, changes?: Changes): Promise<Result> =>
  work({ project: 'a', mode: 'worktree', ...args }, changes);
const head = (): string => project.git('rev-parse', 'HEAD').trim();
const namespace = (): string => join(project.base, '.webcodex-worktrees');
const made = async (): Promise<string[]> => (await readdir(namespace()).catch(() => [])).filter((name) => name !== '.gitignore');
const registered = async (): Promise<unknown> => (await house.call('list_projects', {})).output['total_count'];
const listed = (): number => project.git('worktree', 'list').trim().split('\n').length;

interface WorktreeBlock {
  readonly outcome?: string;
  readonly path: string;
  readonly operation_id: string;
  readonly include: Record<string, unknown>;
}
const worktreeOf = ({ output }: Result): WorktreeBlock => output['worktree'] as WorktreeBlock;

describe('a managed worktree', () => {
  it('is made beside its source, detached at HEAD, registered, and the Session is on it', async () => {
    const result = await inWorktree();
    const worktree = worktreeOf(result);
    expect(result.success).toBe(true);
    expect(worktree).toMatchObject({
      outcome: 'managed_worktree_created',
      path: join(namespace(), `project-${worktree.operation_id}`),
      source_project: 'agent:local:a',
      base_ref: 'HEAD',
      base_commit: head(),
      source: { branch: 'main', head: head(), dirty: false, conflicted: false },
      include: { status: 'absent', copied: [], copied_count: 0, ignored_not_copied: 0 },
    });
    expect(result.output).toMatchObject({
      continuation: 'created',
      workspace: { status: 'clean', git: { branch: null, head: head() } },
    });
    expect(result.output['project']).not.toBe('agent:local:a');
    expect(gitIn(worktree.path, 'rev-parse', 'HEAD').trim()).toBe(head());
    expect(await registered()).toBe(2);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('starts from the ref that is named, and two calls get two', async () => {
    const first = head();
    await project.write('a.txt', 'two\n');
    project.git('commit', '--quiet', '-am', 'two');
    const [one, two] = await Promise.all([inWorktree({ base_ref: 'main~1' }), inWorktree({ base_ref: 'main~1' })]);
    expect(one.output['worktree']).toMatchObject({ base_ref: 'main~1', base_commit: first });
    expect(worktreeOf(one).path).not.toBe(worktreeOf(two).path);
    expect(await made()).toHaveLength(2);
  });

  it('is not given what the source has not committed, and says so', async () => {
    await project.write('a.txt', 'changed\n');
    const result = await inWorktree();
    expect(result.output).toMatchObject({
      workspace: { status: 'clean' },
      worktree: { source: { dirty: true } },
      warnings: ['source_changes_not_in_worktree'],
    });
  });

  it('keeps the registered folder when the project is a part of its repository', async () => {
    await project.write('part/b.txt', 'b\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'part');
    await house.call('register_project', { path: project.path('part'), id: 'part' });
    const result = await inWorktree({ project: 'part' });
    const { projects } = (await house.call('list_projects', { project: result.output['project'] })).output as {
      projects: readonly { path: string }[];
    };
    expect(projects[0]?.path).toBe(join(worktreeOf(result).path, 'part'));
    expect(dirname(worktreeOf(result).path)).toBe(namespace());
  });

  it('[00-D37] gets the ignored files that .worktreeinclude names, listed and counted', async () => {
    await project.write('.gitignore', '*.local\nbuild/\nkept.log\n');
    await project.write('.worktreeinclude', '# settings\n*.local\n!skip.local\nbuild/cache/*\nfree.txt\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'rules');
    await project.write('config/one.local', 'secret one\n');
    await project.write('skip.local', 'skipped\n');
    await project.write('build/cache/x', 'x');
    await project.write('build/other', 'o');
    await project.write('kept.log', 'log');
    await project.write('free.txt', 'untracked, not ignored');
    const worktree = worktreeOf(await inWorktree());
    expect(worktree.include).toEqual({
      status: 'applied',
      copied: ['build/cache/x', 'config/one.local'],
      copied_count: 2,
      skipped: [],
      skipped_count: 0,
      // skip.local, kept.log, and the folder build/, of which one file stayed behind
      ignored_not_copied: 3,
    });
    expect(gitIn(worktree.path, 'status', '--porcelain')).toBe('');
    await expect(access(join(worktree.path, 'free.txt'))).rejects.toThrow();
    expect(JSON.stringify(house.database.prepare('SELECT * FROM managed_worktrees').all())).not.toContain('secret one');
  });
});

describe('what refuses a worktree', () => {
  it('[07-A34] a Session of the source: nothing is looked at, made or registered', async () => {
    const { output } = await work({ project: 'a' });
    house.runner.requests.length = 0;
    const refused = await inWorktree({ session_id: output['session_id'] });
    expect(refused.output).toMatchObject({ error_kind: 'session_project_mismatch', session_project: 'agent:local:a' });
    expect(house.runner.requests).toEqual([]);
    expect(await made()).toEqual([]);
    expect(await registered()).toBe(1);
  });

  it('[07-A37] no allowed root around the source: nothing is made', async () => {
    const bound = await taskHouse({ allowedRoots: [project.folder] });
    try {
      await bound.call('register_project', { path: project.folder, id: 'a' });
      const before = listed();
      const refused = await bound.call('work_on_project', { instruction: 'do it', project: 'a', mode: 'worktree' });
      expect(refused.output).toMatchObject({ error_kind: 'managed_worktree_root_unavailable', state_changed: false });
      expect(listed()).toBe(before);
      expect(await readdir(project.base)).toEqual(['project']);
    } finally {
      await bound.close();
    }
  });

  it.each([
    ['--all', 'invalid_base_ref'],
    ['main..main', 'invalid_base_ref'],
    ['HEAD:a.txt', 'invalid_base_ref'],
    ['nowhere', 'base_ref_resolution_failed'],
  ])('the base_ref %s: %s', async (ref, kind) => {
    expect((await inWorktree({ base_ref: ref })).output['error_kind']).toBe(kind);
    expect(await made()).toEqual([]);
    expect(house.sessions.counts().retained).toBe(0);
  });

  it('a repository without a commit, and a folder without a repository', async () => {
    const bare = join(project.base, 'bare');
    await mkdir(bare);
    await house.call('register_project', { path: bare, id: 'b' });
    expect((await inWorktree({ project: 'b' })).output['error_kind']).toBe('source_not_git_repository');
    gitIn(bare, 'init', '--quiet');
    expect((await inWorktree({ project: 'b' })).output['error_kind']).toBe('base_ref_resolution_failed');
  });

  it('[00-D64] the same scope as register_project', async () => {
    const reader = managedUser('reader', LOCAL_OWNER_SCOPES.filter((scope) => scope !== 'project:write' && scope !== 'admin'));
    expect((await inWorktree({}, { principal: reader })).output).toMatchObject({
      error_kind: 'insufficient_scope',
      missing_scope: 'project:write',
    });
    expect(await made()).toEqual([]);
  });

  it('[00-D51] a namespace that is a link to somewhere else', async () => {
    const elsewhere = join(project.base, 'elsewhere');
    await mkdir(elsewhere);
    await symlink(elsewhere, namespace());
    expect((await inWorktree()).output).toMatchObject({
      error_kind: 'managed_worktree_root_unavailable',
      reason_code: 'namespace_not_owned',
    });
    expect(await readdir(elsewhere)).toEqual([]);
  });
});

describe('[00-D51] the folders that work may begin on', () => {
  it('reach no further over MCP than the home folder and what is registered', async () => {
    const outside = join(project.base, 'outside');
    await mkdir(outside);
    gitIn(outside, 'init', '--quiet');
    const mcp = { adapter: 'mcp_2026' as const };
    expect((await work({ client_id: 'local', path: outside }, mcp)).output['error_kind']).toBe('path_outside_allowed_roots');
    expect((await work({ client_id: 'local', path: project.folder }, mcp)).output['project']).toBe('agent:local:a');
    // A worktree would lie beside its source, where an MCP client reaches nothing.
    expect((await inWorktree({}, mcp)).output['error_kind']).toBe('managed_worktree_root_unavailable');
    expect((await work({ client_id: 'local', path: outside }, { adapter: 'cli' })).output['project']).toBe('agent:local:outside');
  });
});

describe('what an earlier attempt left', () => {
  it('is taken up by the next call: after the commit of the lineage alone', async () => {
    house.runner.failing.set('worktree/create', 'outcome_unknown');
    const failed = await inWorktree();
    expect(failed.output).toMatchObject({ error_kind: 'outcome_unknown' });
    house.runner.failing.clear();
    const again = worktreeOf(await inWorktree());
    expect(again).toMatchObject({ outcome: 'managed_worktree_created', operation_id: failed.output['operation_id'] });
    expect(await made()).toHaveLength(1);
  });

  it('is taken up: a worktree that was made and not registered', async () => {
    house.runner.failing.set('project/inspect_folder', 'runner_unavailable');
    const failed = await inWorktree();
    expect(failed.output).toMatchObject({
      error_kind: 'worktree_registration_failed',
      reason_code: 'runner_unavailable',
      state_changed: true,
    });
    house.runner.failing.clear();
    const again = worktreeOf(await inWorktree());
    expect(again).toMatchObject({
      outcome: 'managed_worktree_recovered',
      path: failed.output['worktree'],
      operation_id: failed.output['operation_id'],
    });
    expect(await made()).toHaveLength(1);
    expect(await registered()).toBe(2);
  });

  it('is taken up: a registered worktree without a Session, also by the next daemon', async () => {
    const cancel = new AbortController();
    const call = house.runner.call.bind(house.runner);
    house.runner.call = (method, params, options) => {
      if (method.name === 'git/observe') cancel.abort();
      return call(method, params, options);
    };
    const failed = await inWorktree({}, { signal: cancel.signal });
    expect(failed.output).toMatchObject({ error_kind: 'cancelled', state_changed: true });
    expect(await registered()).toBe(2);
    const next = await taskHouse({ folder: house.folder });
    try {
      const again = await next.call('work_on_project', { instruction: 'do it', project: 'a', mode: 'worktree' });
      expect(again.output).toMatchObject({
        project: failed.output['registered_project'],
        worktree: { outcome: 'managed_worktree_recovered' },
      });
    } finally {
      await next.close();
    }
    expect(await made()).toHaveLength(1);
  });

  it('is not taken up by somebody else, nor once a Session is on it', async () => {
    house.runner.failing.set('project/inspect_folder', 'runner_unavailable');
    const left = (await inWorktree()).output['worktree'];
    house.runner.failing.clear();
    const bob = managedUser('bob', LOCAL_OWNER_SCOPES);
    // A token reaches the home folder and registered roots only: there is no place for bob's.
    expect((await inWorktree({}, { principal: bob })).output['error_kind']).toBe('managed_worktree_root_unavailable');
    expect(worktreeOf(await inWorktree()).path).toBe(left);
    expect(worktreeOf(await inWorktree()).path).not.toBe(left);
  });

  it('is named when it cannot be taken up, and the call after that makes a new one', async () => {
    house.runner.failing.set('project/inspect_folder', 'runner_unavailable');
    const left = (await inWorktree()).output['worktree'] as string;
    house.runner.failing.clear();
    await writeFile(join(left, 'a.txt'), 'moved\n');
    gitIn(left, 'commit', '--quiet', '-am', 'moved');
    expect((await inWorktree()).output).toMatchObject({
      error_kind: 'managed_worktree_recovery_conflict',
      reason_code: 'head_moved',
      worktree: left,
    });
    expect(worktreeOf(await inWorktree()).path).not.toBe(left);
    expect(await made()).toContain(basename(left));
  });
});

describe('resuming a managed worktree', () => {
  const byPath = (path: string, args: Record<string, unknown> = {}): Promise<Result> =>
    work({ client_id: 'local', path, mode: 'worktree', ...args });

  it('[07-A35] refuses a base_ref that moved on, and resumes without', async () => {
    const first = await inWorktree({ base_ref: 'main' });
    const { path } = worktreeOf(first);
    expect((await byPath(path, { base_ref: 'main' })).output['project']).toBe(first.output['project']);
    const base = head();
    await project.write('a.txt', 'two\n');
    project.git('commit', '--quiet', '-am', 'two');
    expect((await byPath(path, { base_ref: 'main' })).output).toMatchObject({
      error_kind: 'managed_worktree_resume_base_mismatch',
      base_commit: base,
      resolved_commit: head(),
    });
    const resumed = await byPath(path);
    expect(resumed.output).toMatchObject({ project: first.output['project'], worktree: { path, base_commit: base } });
    expect(worktreeOf(resumed).outcome).toBeUndefined();
    expect(await made()).toHaveLength(1);
  });

  it('[07-A36] by its path, after a commit and a closed Session: a new Session', async () => {
    const first = await inWorktree();
    const { path } = worktreeOf(first);
    await writeFile(join(path, 'a.txt'), 'done\n');
    gitIn(path, 'commit', '--quiet', '-am', 'done');
    await house.call('close_session', { session_id: first.output['session_id'] });
    await access(path);
    const again = await byPath(path);
    expect(again.output).toMatchObject({ continuation: 'created', project: first.output['project'] });
    expect(again.output['session_id']).not.toBe(first.output['session_id']);
  });

  it('by its own Session, and by no Session of another project', async () => {
    const first = await inWorktree();
    const own = await byPath(worktreeOf(first).path, { session_id: first.output['session_id'] });
    expect(own.output).toMatchObject({ continuation: 'resumed_explicitly', session_id: first.output['session_id'] });
    const refused = await inWorktree({ session_id: first.output['session_id'] });
    expect(refused.output['error_kind']).toBe('session_project_mismatch');
  });

  it('refuses one that git does not list any more, and one whose source is gone', async () => {
    const { path } = worktreeOf(await inWorktree());
    const [{ revision }] = (await house.call('list_projects', { project: 'a' })).output['projects'] as [{ revision: number }];
    await rm(join(project.folder, '.git/worktrees', basename(path)), { recursive: true });
    expect((await byPath(path)).output).toMatchObject({ error_kind: 'managed_worktree_resume_mismatch', reason_code: 'no_work_tree' });
    await house.call('unregister_project', { project: 'a', expected_revision: revision });
    expect((await byPath(path)).output['error_kind']).toBe('managed_worktree_source_project_unavailable');
  });
});
