import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { managedUser } from '../../../src/daemon/principals/principal-of.js';
import { createWorktreeRoutes } from '../../../src/daemon/worktree-routes/index.js';
import { LOCAL_OWNER_SCOPES } from '../../../src/protocol/scopes.js';
import type { PruneReport, WorktreeReport, WorktreeView } from '../../../src/protocol/worktrees.js';
import { gitIn, type TemporaryProject } from '../../runner/temporary-project.js';
import { wholeJob } from '../whole-job.js';
import { taskHouse, type TaskHouse } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';

let project: TemporaryProject;
let house: TaskHouse;
beforeEach(async () => {
  project = await temporaryRepository();
  house = await taskHouse();
  await house.call('register_project', { path: project.folder, id: 'a' });
});
afterEach(async () => {
  await house.close();
  await project.remove();
});

interface Made {
  readonly path: string;
  readonly project: string;
  readonly session: string;
}

async function make(changes: Record<string, unknown> = {}): Promise<Made> {
  const { output } = await house.call('work_on_project', { instruction: 'do it', project: 'a', mode: 'worktree', ...changes });
  return { path: (output['worktree'] as { path: string }).path, project: output['project'] as string, session: output['session_id'] as string };
}

/** A worktree whose Session is closed: nothing needs it. */
async function makeDone(changes: Record<string, unknown> = {}): Promise<Made> {
  const made = await make(changes);
  expect((await house.call('close_session', { session_id: made.session })).success).toBe(true);
  return made;
}

async function ask<Body>(path: string, body: unknown, principal = house.owner): Promise<Body> {
  const routes = createWorktreeRoutes({ worktrees: house.projects.worktreeUpkeep, sessions: house.sessions });
  const route = routes.find((one) => one.path === `/api/worktrees/${path}`);
  return (await route?.handle(body, principal))?.body as unknown as Body;
}
const prune = (body: object = {}): Promise<PruneReport> => ask('prune', body);
const list = async (): Promise<readonly WorktreeView[]> => (await ask<WorktreeReport>('list', {})).worktrees;
const reasons = async (path: string): Promise<readonly string[] | undefined> => (await list()).find((one) => one.path === path)?.kept_by;
const isThere = (path: string): Promise<boolean> => access(path).then(() => true, () => false);
const registered = async (id: string): Promise<unknown> => (await house.call('list_projects', { project: id })).success;
const head = (): string => project.git('rev-parse', 'HEAD').trim();

describe('listing', () => {
  it('says of each what it is, who works on it and what is in it, the newest first', async () => {
    await project.write('.gitignore', '*.log\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'rules');
    const first = await makeDone();
    const second = await make({ base_ref: 'main' });
    await writeFile(join(second.path, 'new.txt'), 'new\n');
    await writeFile(join(second.path, 'x.log'), 'ignored\n');
    const views = await list();
    expect(new Set(views.map(({ path }) => path))).toEqual(new Set([first.path, second.path]));
    expect(views.find(({ path }) => path === second.path)).toMatchObject({
      project: second.project,
      source_project: 'agent:local:a',
      source_path: project.folder,
      base_ref: 'main',
      base_commit: head(),
      active_sessions: 1,
      closed_sessions: 0,
      look: { folder: 'present', head: head(), branch: null, changed_files: 1, own_commits: 0, ignored_entries: 1 },
      kept_by: ['active_session', 'changed_files'],
      note: null,
    });
    expect(views.find(({ path }) => path === first.path)).toMatchObject({ active_sessions: 0, closed_sessions: 1, kept_by: [] });
  });

  it('is for the owner of the daemon alone', async () => {
    const token = managedUser('other', LOCAL_OWNER_SCOPES);
    for (const path of ['list', 'prune']) {
      expect(await ask(path, {}, token)).toMatchObject({ error: { kind: 'operator_only' } });
    }
    expect(await ask('prune', { dry_run: 'yes' })).toMatchObject({ error: { kind: 'invalid_arguments' } });
  });
});

describe('pruning', () => {
  it('removes what nothing needs: folder, git, registration and lineage; a dry run says the same and removes nothing', async () => {
    const done = await makeDone();
    const busy = await make();
    const would = await prune({ dry_run: true });
    expect([would.removed.map(({ path }) => path), would.kept.map(({ path }) => path)]).toEqual([[done.path], [busy.path]]);
    expect(await isThere(done.path)).toBe(true);

    const did = await prune();
    expect(did).toMatchObject({ dry_run: false, removed: [{ path: done.path, kept_by: [] }], kept: [{ path: busy.path, kept_by: ['active_session'] }] });
    expect(await isThere(done.path)).toBe(false);
    expect(project.git('worktree', 'list', '--porcelain')).not.toContain(done.path);
    expect(await registered(done.project)).toBe(false);
    expect((await list()).map(({ path }) => path)).toEqual([busy.path]);
    expect((await house.call('read_session_summary', { session_id: done.session })).success).toBe(true);
  });

  it('keeps uncommitted work, and commits that nothing else has', async () => {
    const [untracked, staged, detached, branch] = [await makeDone(), await makeDone(), await makeDone(), await makeDone()];
    await writeFile(join(untracked.path, 'new.txt'), 'new\n');
    await writeFile(join(staged.path, 'a.txt'), 'changed\n');
    gitIn(staged.path, 'add', 'a.txt');
    for (const { path } of [detached, branch]) {
      if (path === branch.path) gitIn(path, 'switch', '--quiet', '-c', 'task');
      await writeFile(join(path, 'a.txt'), `${path}\n`);
      gitIn(path, 'commit', '--quiet', '-am', 'own work');
    }
    const { removed, kept } = await prune();
    expect(removed).toEqual([]);
    const keptBy = new Map(kept.map((view) => [view.path, view.kept_by]));
    expect([untracked, staged, detached, branch].map(({ path }) => keptBy.get(path))).toEqual([
      ['changed_files'],
      ['changed_files'],
      ['own_commits'],
      ['own_commits'],
    ]);

    // Merged and tagged: both are elsewhere by now.
    project.git('merge', '--quiet', '--no-edit', gitIn(detached.path, 'rev-parse', 'HEAD').trim());
    project.git('tag', 'kept', 'task');
    expect(new Set((await prune()).removed.map(({ path }) => path))).toEqual(new Set([detached.path, branch.path]));
    expect(project.git('branch', '--list', 'task').trim()).toBe('task');
  });

  it('keeps what is locked, in the middle of something, with submodules, or the place of something else', async () => {
    const [locked, rebasing, modules, replaced] = [await makeDone(), await makeDone(), await makeDone(), await makeDone()];
    project.git('worktree', 'lock', locked.path);
    const gitFolder = (path: string): string => gitIn(path, 'rev-parse', '--absolute-git-dir').trim();
    await writeFile(join(gitFolder(rebasing.path), 'MERGE_HEAD'), `${head()}\n`);
    await mkdir(join(gitFolder(modules.path), 'modules/one'), { recursive: true });
    await rm(replaced.path, { recursive: true });
    await mkdir(replaced.path);
    await writeFile(join(replaced.path, 'mine.txt'), 'mine\n');
    expect((await prune()).removed).toEqual([]);
    expect(await Promise.all([locked, rebasing, modules, replaced].map(({ path }) => reasons(path)))).toEqual([
      ['locked'],
      ['operation_under_way'],
      ['submodules'],
      ['other_folder'],
    ]);
  });

  it('keeps a worktree with an active Job, one that another was made from, and one with a project inside', async () => {
    const [withJob, source, outer] = [await makeDone(), await makeDone(), await makeDone()];
    const derived = await make({ project: source.project });
    await mkdir(join(outer.path, 'part'));
    await house.call('register_project', { path: join(outer.path, 'part'), id: 'part' });
    house.runner.jobs = [wholeJob({ project: withJob.project, status: 'running' })];
    expect(await Promise.all([withJob, source, outer].map(({ path }) => reasons(path)))).toEqual([
      ['active_jobs'],
      ['source_of_another'],
      ['project_inside'],
    ]);
    house.runner.jobs = [];
    await house.call('close_session', { session_id: derived.session });
    // The one that was made from it goes first.
    expect((await prune()).removed.map(({ path }) => path)).toEqual(expect.arrayContaining([derived.path, withJob.path]));
    expect((await list()).map(({ path }) => path)).not.toContain(derived.path);
  });

  it('clears away a worktree whose folder somebody deleted, but not the commits that only it had', async () => {
    const [empty, worked] = [await makeDone(), await makeDone()];
    await writeFile(join(worked.path, 'a.txt'), 'own\n');
    gitIn(worked.path, 'commit', '--quiet', '-am', 'own');
    const own = gitIn(worked.path, 'rev-parse', 'HEAD').trim();
    for (const { path } of [empty, worked]) await rm(path, { recursive: true });
    const { removed, kept } = await prune();
    expect(removed).toMatchObject([{ path: empty.path, look: { folder: 'missing' } }]);
    expect(kept).toMatchObject([{ path: worked.path, look: { folder: 'missing', head: own, own_commits: 1 }, kept_by: ['own_commits'] }]);
    expect(project.git('worktree', 'list', '--porcelain')).toContain(worked.path);
  });

  it('names a source that is gone, and forgets a worktree that is gone with it', async () => {
    const [left, gone] = [await makeDone(), await makeDone()];
    await rename(project.folder, join(project.base, 'moved'));
    await rm(gone.path, { recursive: true });
    const { removed, kept } = await prune();
    expect(removed.map(({ path }) => path)).toEqual([gone.path]);
    expect(kept).toMatchObject([{ path: left.path, look: null, kept_by: ['source_gone'] }]);
    expect(await isThere(left.path)).toBe(true);
  });

  it('finishes a removal that was cut off', async () => {
    const done = await makeDone();
    const aside = join(dirname(done.path), `.removed-${basename(done.path)}`);
    await rename(done.path, aside);
    expect((await prune()).removed).toMatchObject([{ path: done.path, look: { folder: 'missing' } }]);
    expect(await isThere(aside)).toBe(false);
    expect(await list()).toEqual([]);
  });

  it('lets no Session begin on a worktree that is being removed, and keeps one that got a Session meanwhile', async () => {
    const done = await makeDone();
    const call = house.runner.call.bind(house.runner);
    const resume = (): ReturnType<TaskHouse['call']> =>
      house.call('work_on_project', { instruction: 'go on', client_id: 'local', path: done.path, mode: 'worktree' });
    let refused: Awaited<ReturnType<typeof resume>> | undefined;
    const another = await make();
    house.runner.call = async (method, params, options) => {
      const answer = await call(method, params, options);
      // Between the look and the removal.
      if (method.name === 'worktree/inspect') house.runner.call = call;
      if (method.name === 'worktree/inspect') await resume();
      return answer;
    };
    expect((await prune()).kept.map(({ path, kept_by }) => [path, kept_by])).toEqual(
      expect.arrayContaining([[another.path, ['active_session']], [done.path, ['active_session']]]),
    );
    const [{ session_id: session }] = (await house.call('list_sessions', { project: done.project, lifecycle: 'active' })).output['sessions'] as [{ session_id: string }];
    await house.call('close_session', { session_id: session });
    house.runner.call = async (method, params, options) => {
      if (method.name === 'worktree/remove') refused = await resume();
      return call(method, params, options);
    };
    expect((await prune()).removed.map(({ path }) => path)).toEqual([done.path]);
    expect(refused?.output).toMatchObject({ error_kind: 'managed_worktree_resume_mismatch', reason_code: 'being_removed' });
  });

  it('says what kept git from it, and leaves the worktree as it was', async () => {
    const done = await makeDone();
    house.runner.failing.set('worktree/remove', 'worktree_removal_failed');
    expect((await prune()).kept).toMatchObject([{ path: done.path, kept_by: ['not_removed'], note: 'the test wants it so' }]);
    house.runner.failing.clear();
    house.runner.failing.set('worktree/inspect', 'git_failed');
    expect(await list()).toMatchObject([{ look: null, kept_by: ['not_readable'], note: 'the test wants it so' }]);
    house.runner.failing.clear();
    expect((await prune()).removed).toHaveLength(1);
  });
});
