import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import type { PruneReport } from '../../src/protocol/worktrees.js';
import { cliPlace, type CliPlace, type Ended } from './cli.js';

const FOLDERS = 40;
const FILES = 50;

let place: CliPlace;
let repository: string;

beforeAll(() => {
  place = cliPlace();
  repository = join(place.folder, 'repo');
  // Large enough that a checkout is still under way when its folder is seen.
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(join(repository, `d${folder}`), { recursive: true });
    for (let file = 0; file < FILES; file += 1) writeFileSync(join(repository, `d${folder}/${file}.txt`), `${folder} ${file}\n`);
  }
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Someone');
  git('config', 'user.email', 'someone@example.com');
  git('add', '-A');
  git('commit', '-q', '-m', 'base');
});
afterAll(() => {
  place.close();
});

interface Worktree {
  readonly path: string;
  readonly outcome?: string;
  readonly operation_id: string;
}

const wc = (args: readonly string[], cwd = repository): Ended => place.wc(args, { cwd });
const json = (args: readonly string[], cwd?: string): ToolResult => JSON.parse(wc([...args, '--json'], cwd).out) as ToolResult;
const git = (...args: string[]): string => gitAt(repository, ...args);
const gitAt = (folder: string, ...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
const TASK = ['work-on-project', 'do it', '--mode', 'worktree'];
const make = (...more: string[]): ToolResult => json([...TASK, ...more]);
const worktreeOf = ({ output }: ToolResult): Worktree => output['worktree'] as unknown as Worktree;
const namespace = (): string => join(place.folder, '.webcodex-worktrees');
const made = (): string[] => (existsSync(namespace()) ? readdirSync(namespace()).filter((name) => !name.startsWith('.')) : []);
const processes = (): { pid: number; runner: { pid: number } } => JSON.parse(wc(['daemon', 'status', '--json']).out) as { pid: number; runner: { pid: number } };

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('it did not come to that in time');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** What is true of a worktree that is whole: at its base, clean, listed once and a project of its own. */
function expectWhole(result: ToolResult): void {
  const { path } = worktreeOf(result);
  expect(gitAt(path, 'rev-parse', 'HEAD')).toBe(git('rev-parse', 'HEAD'));
  expect(gitAt(path, 'status', '--porcelain')).toBe('');
  expect(git('worktree', 'list', '--porcelain').split('\n').filter((line) => line === `worktree ${path}`)).toHaveLength(1);
  const listed = json(['list-projects', '--project', result.output['project'] as string]).output['projects'] as readonly { path: string }[];
  expect(listed.map((project) => project.path)).toEqual([path]);
}

describe('a managed worktree', () => {
  it('is shown to people, is resumed by its path and by its Session, and prune clears it away when that is closed', () => {
    const text = wc([...TASK, '--base-ref', 'main']);
    const head = git('rev-parse', 'HEAD').trim();
    const [, path = ''] = /^worktree +(\S+), from main [0-9a-f]{8}$/m.exec(text.out) ?? [];
    expect(path.startsWith(`${namespace()}/repo-`)).toBe(true);
    // The branch is checked out in the source, and is not taken from it.
    expect([git('branch', '--show-current').trim(), gitAt(path, 'branch', '--show-current').trim()]).toEqual(['main', '']);

    const [, session = ''] = /^session +(wc_sess_\S+)/m.exec(text.out) ?? [];
    const byPath = json(['work-on-project', 'go on', '--mode', 'worktree', '--client-id', 'local', '--path', path]);
    expect(byPath.output).toMatchObject({ continuation: 'created', worktree: { path, base_commit: head } });
    const bySession = json(['work-on-project', 'go on', '--mode', 'worktree', '--session', session, '--client-id', 'local', '--path', path]);
    expect(bySession.output).toMatchObject({ continuation: 'resumed_explicitly', session_id: session, worktree: { path } });
    expect(made()).toHaveLength(1);

    expect(wc(['worktree', 'prune']).out).toBe(`Nothing to remove.\n1 worktree stays:\n  ${path}: 2 Active Sessions\n`);
    for (const id of [session, byPath.output['session_id'] as string]) expect(wc(['session', 'close', id]).code).toBe(0);
    expect(wc(['worktree', 'list']).out).toMatch(new RegExp(`^MADE .*\n\\S+Z +agent:local:repo ${head.slice(0, 8)}  ${head.slice(0, 8)}  not needed any more +${path}\n$`));
    expect(wc(['worktree', 'prune', '--dry-run']).out).toBe(`Would remove 1 worktree:\n  ${path}\n`);
    expect(existsSync(path)).toBe(true);
    expect(wc(['worktree', 'prune'])).toEqual({ code: 0, out: `Removed 1 worktree:\n  ${path}\n`, err: '' });
    expect([existsSync(path), made()]).toEqual([false, []]);
    expect(wc(['worktree', 'list']).out).toMatch(/^There are no managed worktrees/);
    expect(wc(['session', 'show', session]).code).toBe(0);
  });

  it.each(['daemon', 'Runner'] as const)('that a kill -9 of the %s cut off is taken up by the next call, whole and the only one', async (victim) => {
    const before = new Set(made());
    const { pid, runner } = processes();
    const cut = place.start([...TASK, '--json'], { cwd: repository });
    await until(() => made().some((name) => !before.has(name)));
    process.kill(victim === 'daemon' ? pid : runner.pid, 'SIGKILL');
    const ended = await cut;
    expect(ended.code).not.toBe(0);
    const again = make();
    // A git that was still at work when its Runner died may have made all of it or none.
    expect(['managed_worktree_recovered', 'managed_worktree_created']).toContain(worktreeOf(again).outcome);
    expectWhole(again);
    expect(made().filter((name) => !before.has(name))).toEqual([worktreeOf(again).path.slice(namespace().length + 1)]);
    // A Session is on it by now: the next call makes another one.
    expect(worktreeOf(make()).path).not.toBe(worktreeOf(again).path);
  });

  it('is resumed as exactly that one after a kill -9 of both', () => {
    const first = make();
    const { path } = worktreeOf(first);
    writeFileSync(join(path, 'd0/0.txt'), 'mine\n');
    const { pid, runner } = processes();
    process.kill(pid, 'SIGKILL');
    process.kill(runner.pid, 'SIGKILL');
    const count = made().length;
    const resumed = json(['work-on-project', 'go on', '--mode', 'worktree', '--session', first.output['session_id'] as string, '--client-id', 'local', '--path', path]);
    expect(resumed.output).toMatchObject({
      continuation: 'resumed_explicitly',
      session_id: first.output['session_id'],
      project: first.output['project'],
      worktree: { path },
      workspace: { status: 'dirty' },
    });
    expect(made()).toHaveLength(count);
  });

  it('made twice at once is two', async () => {
    const ended = await Promise.all([1, 2].map(() => place.start([...TASK, '--json'], { cwd: repository })));
    const [one, two] = ended.map(({ out }) => JSON.parse(out) as ToolResult);
    if (one === undefined || two === undefined) throw new Error('two were asked for');
    expect([worktreeOf(one).outcome, worktreeOf(two).outcome]).toEqual(['managed_worktree_created', 'managed_worktree_created']);
    for (const result of [one, two]) expectWhole(result);
    expect(new Set([one, two].flatMap((result) => [worktreeOf(result).path, result.output['project'], result.output['session_id']])).size).toBe(6);
  });

  it('whose folder was deleted is not resumed and not made again in its place; prune tidies up', () => {
    const first = make();
    const { path } = worktreeOf(first);
    const session = first.output['session_id'] as string;
    rmSync(path, { recursive: true });
    const count = made().length;
    const resume = ['work-on-project', 'go on', '--mode', 'worktree', '--client-id', 'local', '--path', path];
    expect(json(resume).output).toMatchObject({ error_kind: 'project_path_not_found', state_changed: false });
    const bySession = ['work-on-project', 'go on', '--mode', 'worktree', '--session', session, '--project', first.output['project'] as string];
    expect(json(bySession).output).toMatchObject({ error_kind: 'project_root_changed', reason_code: 'root_missing' });
    expect(made()).toHaveLength(count);
    expect(wc(['session', 'close', session]).code).toBe(0);
    const report = JSON.parse(wc(['worktree', 'prune', '--json']).out) as PruneReport;
    expect(report.removed).toMatchObject([{ path, look: { folder: 'missing' } }]);
    expect(git('worktree', 'list', '--porcelain')).not.toContain(path);
  });
});
