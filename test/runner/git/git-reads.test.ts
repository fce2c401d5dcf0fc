import { chmod, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  observeGitMethod,
  workspaceChangesMethod,
  type GitObservation,
  type WorkspaceChanges,
} from '../../../src/protocol/runner/git.js';
import { createGitServices } from '../../../src/runner/git/index.js';
import { Turns } from '../../../src/runner/turns.js';
import { ask, gitIn, rootOf, temporaryProject, type TemporaryProject } from '../temporary-project.js';

let project: TemporaryProject;
const services = createGitServices({ environment: () => process.env, turns: new Turns() });

beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

async function observation(root = project.root): Promise<GitObservation> {
  const answer = await ask(services, observeGitMethod, { root });
  if ('refused' in answer) throw new Error(JSON.stringify(answer));
  return answer;
}

async function changes(overrides: Record<string, unknown> = {}, root = project.root): Promise<WorkspaceChanges> {
  const answer = await ask(services, workspaceChangesMethod, {
    root,
    include_diff: true,
    max_hunks: 20,
    max_hunk_lines: 80,
    max_diff_bytes: 100_000,
    ...overrides,
  });
  if ('refused' in answer) throw new Error(JSON.stringify(answer));
  return answer;
}

async function commitAll(message = 'state'): Promise<void> {
  project.git('add', '-A');
  project.git('commit', '-q', '-m', message);
}

describe('git/observe', () => {
  it('says that a folder is in no repository', async () => {
    expect(await observation()).toEqual({
      is_repository: false,
      branch: null,
      head: null,
      dirty: false,
      conflicted: false,
      ahead: null,
      behind: null,
      operation: null,
    });
  });

  it('reads an unborn branch, a clean commit, a change, and a detached HEAD', async () => {
    project.git('init', '-q');
    expect(await observation()).toMatchObject({ is_repository: true, branch: 'main', head: null, dirty: false });
    await project.write('a.txt', 'one\n');
    expect(await observation()).toMatchObject({ dirty: true });
    await commitAll();
    const head = project.git('rev-parse', 'HEAD').trim();
    expect(await observation()).toMatchObject({ branch: 'main', head, dirty: false, ahead: null, behind: null });
    project.git('checkout', '-q', '--detach');
    expect(await observation()).toMatchObject({ branch: null, head });
  });

  it('counts commits ahead of and behind the upstream', async () => {
    project.git('init', '-q');
    await project.write('a.txt', 'one\n');
    await commitAll('base');
    project.git('branch', 'upstream');
    await project.write('a.txt', 'two\n');
    await commitAll('ours');
    project.git('checkout', '-q', 'upstream');
    for (const text of ['x', 'y']) {
      await project.write('b.txt', text);
      await commitAll(text);
    }
    project.git('checkout', '-q', 'main');
    project.git('branch', '-q', '--set-upstream-to=upstream');
    expect(await observation()).toMatchObject({ ahead: 1, behind: 2 });
  });

  it('names a conflict and the operation that it belongs to', async () => {
    project.git('init', '-q');
    await project.write('a.txt', 'one\n');
    await commitAll('base');
    project.git('checkout', '-q', '-b', 'other');
    await project.write('a.txt', 'other\n');
    await commitAll('other');
    project.git('checkout', '-q', 'main');
    await project.write('a.txt', 'ours\n');
    await commitAll('ours');
    expect(() => project.git('rebase', 'other')).toThrow();
    expect(await observation()).toMatchObject({ conflicted: true, operation: 'rebase', branch: null });
    expect((await changes()).counts).toMatchObject({ conflicted: 1 });
    project.git('rebase', '--abort');
    expect(() => project.git('merge', 'other')).toThrow();
    expect(await observation()).toMatchObject({ conflicted: true, operation: 'merge', branch: 'main' });
  });

  it('confines itself to the project when that is a folder of the repository', async () => {
    project.git('init', '-q');
    await project.write('packages/a/index.js', '1\n');
    await project.write('packages/b/index.js', '1\n');
    await commitAll();
    await project.write('packages/b/index.js', '2\n');
    const a = await rootOf(project.path('packages/a'));
    const b = await rootOf(project.path('packages/b'));
    expect(await observation(a)).toMatchObject({ is_repository: true, dirty: false });
    expect(await changes({}, b)).toMatchObject({
      files: [{ path: 'index.js', unstaged: 'modified' }],
      diff_stat: { files: 1, insertions: 1, deletions: 1 },
      hunks: [{ path: 'index.js', text: '-1\n+2' }],
    });
  });

  it('takes a linked work tree for a repository and a bare one for none', async () => {
    project.git('init', '-q');
    await project.write('a.txt', 'one\n');
    await commitAll();
    project.git('worktree', 'add', '-q', join(project.base, 'linked'));
    gitIn(project.base, 'init', '-q', '--bare', 'bare.git');
    expect(await observation(await rootOf(join(project.base, 'linked')))).toMatchObject({ branch: 'linked' });
    expect(await observation(await rootOf(join(project.base, 'bare.git')))).toMatchObject({ is_repository: false });
  });

  it('reads a repository of SHA-256 objects before its first commit', async () => {
    project.git('init', '-q', '--object-format=sha256');
    await project.write('a.txt', 'one\n');
    project.git('add', 'a.txt');
    expect(await changes()).toMatchObject({ diff_stat: { files: 1, insertions: 1 }, hunks: [{ path: 'a.txt', text: '+one' }] });
  });

  it('answers git_unavailable without a git on the PATH, and git_failed for a broken repository', async () => {
    project.git('init', '-q');
    const without = createGitServices({ environment: () => ({ PATH: project.base }), turns: new Turns() });
    expect(await ask(without, observeGitMethod, { root: project.root })).toMatchObject({
      refused: { error_kind: 'git_unavailable' },
    });
    await writeFile(project.path('.git/config'), '[broken\n');
    expect(await ask(services, observeGitMethod, { root: project.root })).toMatchObject({
      refused: { error_kind: 'git_failed' },
    });
  });

  it('ends when it is cancelled', async () => {
    project.git('init', '-q');
    expect(await ask(services, observeGitMethod, { root: project.root }, AbortSignal.abort())).toMatchObject({
      refused: { error_kind: 'cancelled' },
    });
  });
});

describe('git/workspace_changes', () => {
  beforeEach(() => {
    project.git('init', '-q');
  });

  it('lists every kind of change with counts and a diff', async () => {
    await project.write('modified.txt', 'a\nb\nc\n');
    await project.write('deleted.txt', 'gone\n');
    await project.write('old name.txt', 'this file is renamed\nand long enough\n');
    await commitAll();
    await project.write('modified.txt', 'a\nB\nc\n');
    project.git('rm', '-q', 'deleted.txt');
    project.git('mv', 'old name.txt', 'new\tname.txt');
    await project.write('added.txt', 'new\n');
    project.git('add', 'added.txt');
    await project.write('untracked/x.txt', 'x\n');

    const answer = await changes();
    expect(answer.counts).toEqual({ changed: 5, staged: 3, unstaged: 1, untracked: 1, conflicted: 0 });
    expect(answer.files).toEqual([
      { path: 'added.txt', staged: 'added', unstaged: null },
      { path: 'deleted.txt', staged: 'deleted', unstaged: null },
      { path: 'modified.txt', staged: null, unstaged: 'modified' },
      { path: 'new\tname.txt', from_path: 'old name.txt', staged: 'renamed', unstaged: null },
      { path: 'untracked/x.txt', staged: null, unstaged: 'untracked' },
    ]);
    expect(answer.diff_stat).toEqual({ files: 4, insertions: 2, deletions: 2, binary_files: 0 });
    expect(answer.hunks).toEqual([
      hunk({ path: 'added.txt', new_start: 1, new_lines: 1, text: '+new' }),
      hunk({ path: 'deleted.txt', old_start: 1, old_lines: 1, text: '-gone' }),
      hunk({ path: 'modified.txt', old_start: 1, old_lines: 3, new_start: 1, new_lines: 3, text: ' a\n-b\n+B\n c' }),
    ]);
  });

  it('keeps to the bounds of hunks, lines and bytes, and says that there is more', async () => {
    const lines = Array.from({ length: 400 }, (_, line) => `line ${line}`);
    await project.write('a.txt', `${lines.join('\n')}\n`);
    await commitAll();
    await project.write('a.txt', `${lines.map((line, index) => (index % 20 === 0 ? `${line}!` : line)).join('\n')}\n`);

    const few = await changes({ max_hunks: 3 });
    expect([few.hunks?.length, few.more_hunks]).toEqual([3, true]);
    const short = await changes({ max_hunk_lines: 2 });
    expect(short.hunks?.every((one) => one.text.split('\n').length === 2 && one.omitted_lines > 0)).toBe(true);
    const small = await changes({ max_diff_bytes: 200 });
    expect(Buffer.byteLength((small.hunks ?? []).map((one) => one.text).join(''))).toBeLessThanOrEqual(200);
    expect(small.more_hunks).toBe(true);
    expect((await changes({ include_diff: false })).hunks).toBeNull();
  });

  it('cuts a single hunk that passes the byte bound by itself', async () => {
    await project.write('a.txt', '');
    await commitAll();
    await project.write('a.txt', 'x'.repeat(100).concat('\n').repeat(50));
    const answer = await changes({ max_diff_bytes: 1000 });
    expect(answer.hunks?.[0]?.text.split('\n').length).toBe(9);
    expect(answer.hunks?.[0]?.omitted_lines).toBe(41);
    expect(answer.more_hunks).toBe(true);
  });

  it('cuts very long lines and marks the hunk', async () => {
    await project.write('a.min.js', 'x\n');
    await commitAll();
    await project.write('a.min.js', `${'y'.repeat(100_000)}\n`);
    expect((await changes()).hunks).toMatchObject([{ cut_lines: 1, text: `-x\n+${'y'.repeat(8191)}` }]);
  });

  it('names at most 200 files and counts all', async () => {
    for (let file = 0; file < 230; file += 1) await project.write(`f/${file}.txt`, 'x');
    const answer = await changes();
    expect([answer.files.length, answer.counts.untracked, answer.counts.changed]).toEqual([200, 230, 230]);
  });

  it('never shows the text of a protected file', async () => {
    await project.write('.env', 'KEY=old\n');
    await project.write('conf/Secrets/a.txt', 'old\n');
    await project.write('plain.txt', 'old\n');
    await commitAll();
    await project.write('.env', 'KEY=SENTINEL\n');
    await project.write('conf/Secrets/a.txt', 'SENTINEL\n');
    project.git('mv', 'plain.txt', 'server.PEM');
    const answer = await changes();
    expect(JSON.stringify(answer)).not.toContain('SENTINEL');
    expect(answer.protected_files).toBe(3);
    expect(answer.counts.changed).toBe(3);
    expect(answer.hunks).toEqual([hunk({ path: 'plain.txt', old_start: 1, old_lines: 1, text: '-old' })]);
  });

  it('reads content that looks like headers, a missing final newline, and binary files', async () => {
    await project.write('a.txt', '-- a/x\n@@ -1 +1 @@\n++ b/x\nend');
    await project.write('b.bin', Buffer.from([0, 1, 2]));
    await commitAll();
    await project.write('a.txt', '@@ -1 +1 @@\nend');
    await project.write('b.bin', Buffer.from([0, 1, 3]));
    const answer = await changes();
    expect(answer.diff_stat).toEqual({ files: 2, insertions: 0, deletions: 2, binary_files: 1 });
    expect(answer.hunks).toMatchObject([
      { path: 'a.txt', text: '--- a/x\n @@ -1 +1 @@\n-++ b/x\n end\n\\ No newline at end of file' },
    ]);
  });

  it('[00-D32] reads on beside tracked files that became a FIFO or a socket', async () => {
    for (const name of ['a.txt', 'fifo', 'deep/fifo']) await project.write(name, 'old\n');
    await commitAll();
    await project.write('a.txt', 'new\n');
    for (const name of ['fifo', 'deep/fifo']) {
      await rm(project.path(name));
      await execa('mkfifo', [project.path(name)]);
    }
    const answer = await changes();
    expect(answer.files.map(({ path }) => path)).toEqual(['a.txt', 'deep/fifo', 'fifo']);
    expect([answer.diff_stat, answer.hunks?.map(({ path }) => path)]).toEqual([{ files: 1, insertions: 1, deletions: 1, binary_files: 0 }, ['a.txt']]);
  });

  it('does not count a file that was only touched', async () => {
    await project.write('a.txt', 'same\n');
    await commitAll();
    await utimes(project.path('a.txt'), 1, 1);
    expect(await changes()).toMatchObject({ counts: { changed: 0 }, diff_stat: { files: 0 }, hunks: [] });
  });

  it('marks a name that is no UTF-8', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${project.folder}/bad-`), Buffer.of(0xff)]), 'x');
    expect((await changes()).files).toEqual([
      { path: 'bad-\ufffd', path_is_lossy: true, staged: null, unstaged: 'untracked' },
    ]);
  });
});

describe('[00-D33] reads of a hostile repository', () => {
  it('runs no filter, hook, monitor, driver or pager, and writes nothing', async () => {
    const trap = project.path('../trap.sh');
    const sprung = project.path('../sprung');
    await writeFile(trap, `#!/bin/sh\necho "$0 $*" >> ${sprung}\ncat\n`);
    await chmod(trap, 0o755);
    project.git('init', '-q');
    await project.write('a.txt', 'one\n');
    await project.write('b.txt', 'one\n');
    await commitAll();
    gitIn(project.base, 'init', '-q', 'module');
    await writeFile(join(project.base, 'module/m.txt'), 'm');
    gitIn(join(project.base, 'module'), 'add', '-A');
    gitIn(join(project.base, 'module'), 'commit', '-q', '-m', 'm');
    project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(project.base, 'module'), 'sub');
    await commitAll('with a submodule');

    await project.write('.gitattributes', '* filter=evil=x diff=evil\nb.txt filter=included\n');
    await writeFile(
      project.path('.git/included'),
      `[filter "included"]\n clean = ${trap} included\n process = ${trap} included\n required = true\n`,
    );
    await writeFile(
      project.path('.git/config'),
      `${await readFile(project.path('.git/config'), 'utf8')}
[include]
 path = included
[filter "evil=x"]
 clean = ${trap} clean
 smudge = ${trap} smudge
 required = true
[diff]
 external = ${trap} external
 orderFile = /nonexistent
[diff "evil"]
 command = ${trap} driver
 textconv = ${trap} textconv
[core]
 fsmonitor = ${trap}
 hooksPath = ${project.base}/hooks
 pager = ${trap} pager
 sshCommand = ${trap} ssh
[log]
 showSignature = true
[gpg]
 program = ${trap} gpg
`,
    );
    const subConfig = project.path('.git/modules/sub/config');
    await writeFile(subConfig, `${await readFile(subConfig, 'utf8')}\n[core]\n fsmonitor = ${trap} sub\n`);
    await mkdir(join(project.base, 'hooks'));
    for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction', 'fsmonitor-watchman']) {
      await symlink(trap, join(project.base, 'hooks', hook));
    }
    await project.write('a.txt', 'two\n');
    await project.write('b.txt', 'two\n');
    await project.write('sub/m.txt', 'changed');
    await utimes(project.path('.gitmodules'), 1, 1);

    const index = await readFile(project.path('.git/index'));
    expect(await observation()).toMatchObject({ dirty: true });
    const answer = await changes();
    expect(answer.hunks?.map((one) => one.path).sort()).toEqual(['a.txt', 'b.txt']);
    expect(await readdir(project.base)).not.toContain('sprung');
    expect((await readFile(project.path('.git/index'))).equals(index)).toBe(true);
    expect((await readdir(project.path('.git'))).filter((name) => name.endsWith('.lock'))).toEqual([]);

    // The trap is a real one: git by hand walks into it.
    await execa('git', ['status'], { cwd: project.folder, stdin: 'ignore', reject: false });
    expect(await readdir(project.base)).toContain('sprung');
  });

  it('refuses to take a bare repository that lies in the project for the repository', async () => {
    gitIn(project.folder, 'init', '-q', '--bare', 'nested');
    await writeFile(project.path('nested/config'), '[core]\n bare = false\n worktree = ..\n fsmonitor = /bin/false\n');
    expect(await observation(await rootOf(project.path('nested')))).toMatchObject({ is_repository: false });
  });

  it('reads on while the user commits, and neither disturbs the other', async () => {
    project.git('init', '-q');
    for (let file = 0; file < 50; file += 1) await project.write(`f${file}.txt`, 'x\n');
    await commitAll();
    const committing = new AbortController();
    const reading = (async () => {
      let reads = 0;
      for (; !committing.signal.aborted; reads += 1) await changes();
      return reads;
    })();
    for (let commit = 0; commit < 20; commit += 1) {
      await project.write('f0.txt', `${commit}\n`);
      // A lock of ours would make this fail.
      await commitInBackground(project.folder);
    }
    committing.abort();
    expect(await reading).toBeGreaterThan(0);
    expect(project.git('rev-list', '--count', 'HEAD').trim()).toBe('21');
  });
});

function hunk(facts: Record<string, unknown>): Record<string, unknown> {
  return { old_start: 0, old_lines: 0, new_start: 0, new_lines: 0, section: '', omitted_lines: 0, cut_lines: 0, ...facts };
}

async function commitInBackground(folder: string): Promise<void> {
  await execa('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qam', 'next'], { cwd: folder });
}
