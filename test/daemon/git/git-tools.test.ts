import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeContinuation, encodeContinuation } from '../../../src/daemon/git/continuation.js';
import { REVIEW_SIGNALS, reviewSignals } from '../../../src/daemon/git/review-signals.js';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { filesHouse, SESSION, type FilesHouse, type Output } from '../files/files-house.js';
import { principal, session } from '../kernel/kernel-fixture.js';

let project: TemporaryProject;
let house: FilesHouse;

beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project);
  project.git('init', '-q');
  project.git('config', 'user.name', 'Someone');
  project.git('config', 'user.email', 'someone@example.com');
  for (let file = 0; file < 6; file += 1) await project.write(`${file}.txt`, 'base\n');
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'base');
});
afterEach(() => project.remove());

const head = (): string => project.git('rev-parse', 'HEAD').trim();
const textsOf = (output: Output): string[] => (output['hunks'] as { path: string; text: string }[]).map(({ path, text }) => `${path}: ${text}`);

async function changeAll(): Promise<void> {
  for (let file = 0; file < 6; file += 1) await project.write(`${file}.txt`, `changed ${file}\n`);
}

describe('review_changes', () => {
  it('gives every hunk once over its pages, and the files on the first', async () => {
    await changeAll();
    await project.write('new.txt', 'new\n');
    const seen: string[] = [];
    let continuation: unknown;
    for (let page = 0; continuation !== null; page += 1) {
      const output = await house.succeed('review_changes', { scope: 'workspace', max_hunks: 3, ...(page === 0 ? {} : { continuation: continuation as string }) });
      expect('files' in output).toBe(page === 0);
      if (page === 0) expect(output).toMatchObject({ counts: { files: 7, untracked: 1 }, diff_stat: { insertions: 6, deletions: 6 }, branch: 'main' });
      seen.push(...textsOf(output));
      continuation = output['continuation'];
    }
    expect(seen).toEqual([...Array.from({ length: 6 }, (_, file) => `${file}.txt: -base\n+changed ${file}`), 'new.txt: +new']);
  });

  it('refuses a continuation that is stale, of another request, foreign, or none', async () => {
    await changeAll();
    const args = { scope: 'workspace', max_hunks: 1 };
    const { continuation } = (await house.succeed('review_changes', args)) as { continuation: string };
    expect(continuation.length).toBeLessThanOrEqual(192);
    const kinds = async (more: Record<string, unknown>, context = {}): Promise<unknown> =>
      (await house.fail('review_changes', { ...args, continuation, ...more }, context))['error_kind'];
    expect(await kinds({ paths: ['1.txt'] })).toBe('continuation_mismatch');
    expect(await kinds({ scope: { base_commit: head(), head_commit: head() } })).toBe('continuation_mismatch');
    expect(await kinds({}, { session: session('wc_sess_another000000000') })).toBe('continuation_mismatch');
    expect(await kinds({}, { principal: { ...principal(), principalKey: 'somebody else' } })).toBe('continuation_mismatch');
    expect((await house.fail('read_git_diff_hunks', { continuation }))['error_kind']).toBe('continuation_mismatch');
    for (const wrong of ['x', `${continuation}A`, continuation.slice(0, -1), `B${continuation.slice(1)}`, `${continuation}=`]) {
      expect([wrong, await kinds({ continuation: wrong })]).toEqual([wrong, 'invalid_continuation']);
    }
    await project.write('5.txt', 'changed meanwhile\n');
    expect(await kinds({})).toBe('stale_continuation');
  });

  it('keeps to its page, measured on the whole result', async () => {
    await project.write('0.txt', `${'"\\\t'.repeat(60)}\n`.repeat(3_000));
    for (let file = 0; file < 300; file += 1) await project.write(`many/${'d'.repeat(100)}-${file}.txt`, 'x\n');
    for (const bytes of [16 * 1024, 64 * 1024, 192 * 1024]) {
      let continuation: unknown;
      let pages = 0;
      do {
        const output = await house.succeed('review_changes', {
          scope: 'workspace',
          max_page_bytes: bytes,
          max_hunk_lines: 20,
          ...(continuation === undefined ? {} : { continuation: continuation as string }),
        });
        expect(Buffer.byteLength(JSON.stringify({ success: true, output }))).toBeLessThanOrEqual(bytes);
        continuation = output['continuation'];
        pages += 1;
      } while (continuation !== null && pages < 3);
    }
    expect(await house.fail('review_changes', { scope: 'workspace', max_page_bytes: 1, max_hunk_lines: 400 })).toMatchObject({
      error_kind: 'page_record_too_large',
      path: '0.txt',
    });
  });

  it('a token says no more than it was made of', () => {
    const token = { snapshot: 'ab'.repeat(16), request: 'cd'.repeat(16), hunks: 4_000_000_000 };
    expect(decodeContinuation(encodeContinuation(token))).toEqual(token);
    expect(decodeContinuation('')).toBeNull();
  });
});

describe('read_git_diff_hunks', () => {
  it('reads the unstaged diff, the staged one, or two commits', async () => {
    const base = head();
    await project.write('0.txt', 'staged\n');
    project.git('add', '-A');
    await project.write('0.txt', 'unstaged\n');
    expect(textsOf(await house.succeed('read_git_diff_hunks', {}))).toEqual(['0.txt: -staged\n+unstaged']);
    expect(textsOf(await house.succeed('read_git_diff_hunks', { cached: true }))).toEqual(['0.txt: -base\n+staged']);
    project.git('commit', '-q', '-m', 'next');
    const range = { base_commit: base, head_commit: head() };
    expect(textsOf(await house.succeed('read_git_diff_hunks', range))).toEqual(['0.txt: -base\n+staged']);
    expect(await house.fail('read_git_diff_hunks', { ...range, cached: true })).toMatchObject({ error_kind: 'committed_range_conflicts_with_cached' });
    expect(await house.fail('read_git_diff_hunks', { base_commit: base })).toMatchObject({ error_kind: 'invalid_arguments' });
  });
});

describe('history', () => {
  it('reads pages of the log from a pinned head, and a status in git’s words', async () => {
    const output = await house.succeed('read_git_log', { limit: 1 });
    expect(output).toMatchObject({ head_commit: head(), commits: [{ subject: 'base' }], has_more: false, next_skip: null });
    await project.write('x.txt', 'x');
    expect(await house.succeed('get_git_status', {})).toEqual({ exit_code: 0, stdout: '## main\n?? x.txt\n', stdout_truncated: false, stderr: '' });
  });

  it('[04-A29] a summary takes full commit names only, and names its signals', async () => {
    const base = head();
    await project.write('package.json', '{}\n');
    await project.write('src/a.ts', 'x\n');
    project.git('add', '-A');
    project.git('commit', '-q', '-m', 'next');
    const { input } = house.tool('read_git_review_summary').definition;
    expect(input.safeParse({ project: 'a', base_commit: 'main', head_commit: head() }).success).toBe(false);
    expect(await house.succeed('read_git_review_summary', { base_commit: base, head_commit: head() })).toMatchObject({
      merge_base: base,
      total_files: 2,
      commits: 1,
      signals: [{ signal: 'dependencies_changed', files: 1 }, { signal: 'source_without_tests', files: 1 }],
    });
  });

  it('has twelve signals, each from names, modes and sizes', () => {
    expect(REVIEW_SIGNALS).toHaveLength(12);
    const file = (path: string, more = {}) => ({ path, old_mode: '100644', new_mode: '100644', binary: false, protected: false, ...more });
    const files = [
      file('.env', { protected: true }), file('vendor/lib', { new_mode: '160000' }), file('run.sh', { new_mode: '100755' }),
      file('logo.png', { binary: true }), file('go.mod'), file('go.sum'), file('.github/workflows/ci.yml'), file('Dockerfile'),
      file('db/migrations/1.sql'), file('test/a.test.ts'),
    ];
    expect(reviewSignals(files, 2_000).map(({ signal }) => signal)).toEqual(REVIEW_SIGNALS.filter((signal) => signal !== 'source_without_tests'));
    expect(reviewSignals([file('README.md')], 3)).toEqual([]);
  });
});

describe('writing', () => {
  it('[04-A28] commits on the expected HEAD alone; [00-D36] a refusal says whose commit HEAD is', async () => {
    const old = head();
    await project.write('0.txt', 'changed\n');
    const outcome = await house.call('commit_git_paths', { expected_head: old, paths: ['0.txt'], message: 'One' });
    expect(outcome.result).toMatchObject({ success: true, output: { commit: head(), parent: old, state_changed: true } });
    expect(outcome.facts?.effect).toEqual({ stateChanged: true, executionState: 'completed' });
    expect(outcome.facts?.changedPaths).toBeUndefined();
    await project.write('1.txt', 'changed\n');
    const stale = { expected_head: old, paths: ['1.txt'], message: 'Two' };
    expect(await house.fail('commit_git_paths', stale)).toMatchObject({
      error_kind: 'head_mismatch',
      current_head: head(),
      state_changed: false,
      last_writer: { session_ref: '~s7', at: house.clock },
    });
    project.git('commit', '-q', '--allow-empty', '-m', 'by hand');
    expect(await house.fail('commit_git_paths', stale)).toMatchObject({ last_writer: 'external' });
    project.git('add', '-A');
    const now = head();
    expect(await house.fail('commit_git_paths', { ...stale, expected_head: now })).toMatchObject({ error_kind: 'staged_changes_present', recovery_kind: 'user_action' });
    expect(head()).toBe(now);
  });

  it('throws content away path by path, with the changed paths as evidence', async () => {
    await project.write('0.txt', 'changed\n');
    await project.write('loose.txt', 'x\n');
    const restored = await house.call('restore_git_paths', { paths: ['0.txt', '1.txt', 'loose.txt'] });
    expect(restored.result.output).toEqual({
      restored: ['0.txt'],
      unchanged: ['1.txt'],
      missing: [],
      refused: [{ path: 'loose.txt', reason_code: 'untracked' }],
      state_changed: true,
    });
    expect(restored.facts).toMatchObject({ changedPaths: ['0.txt'], effect: { stateChanged: true } });
    expect(await house.succeed('discard_untracked', { paths: ['loose.txt', '0.txt'] })).toMatchObject({ deleted: ['loose.txt'], state_changed: true });
    expect(await house.succeed('delete_project_files', { paths: ['none.txt'] })).toMatchObject({ deleted: [], missing: ['none.txt'], state_changed: false });
    expect(await house.fail('restore_git_paths', { paths: ['x'] }, { signal: AbortSignal.abort() })).toMatchObject({ error_kind: 'cancelled', state_changed: false });
  });

  it('writes nothing to a project that is registered without edits', async () => {
    const closed = filesHouse(project, { allowPatch: false });
    await project.write('0.txt', 'changed\n');
    for (const name of ['restore_git_paths', 'discard_untracked', 'delete_project_files']) {
      expect(await closed.fail(name, { paths: ['0.txt'] })).toMatchObject({ error_kind: 'policy_rejected', state_changed: false });
    }
    expect(await project.read('0.txt')).toBe('changed\n');
  });

  it('are writes to guards and permission; only those that lose content are destructive', () => {
    const facts = (name: string) => house.tool(name).definition;
    for (const name of ['commit_git_paths', 'restore_git_paths', 'discard_untracked', 'delete_project_files']) {
      expect(facts(name)).toMatchObject({ effect: 'mutate', risk: 'project_write', approval: 'standard', session_evidence: 'business_pair' });
    }
    expect(facts('commit_git_paths')).toMatchObject({ destructive: false, scopes: { scopes: ['project:write', 'job:run'] } });
    for (const name of ['restore_git_paths', 'discard_untracked', 'delete_project_files']) expect(facts(name).destructive).toBe(true);
    expect(facts('commit_git_paths').recorded_inputs).not.toContain('message');
    expect(SESSION).toMatch(/^wc_sess_/);
  });
});

describe('check_workspace_hygiene', () => {
  it('names and counts, and says when there is nothing to judge', async () => {
    expect(await house.succeed('check_workspace_hygiene', {})).toMatchObject({ verdict: 'clean', findings: [], total: 0 });
    await project.write('x.tmp', '');
    expect(await house.succeed('check_workspace_hygiene', { max_findings: 1 })).toMatchObject({
      verdict: 'findings',
      findings: [{ kind: 'dirty_worktree', path: null }],
      truncated: true,
      counts: { temporary_file: 1, dirty_worktree: 1, secret_like_path: 0 },
    });
  });
});
