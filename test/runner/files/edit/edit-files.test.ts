import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editFilesMethod } from '../../../../src/protocol/runner/edits.js';
import { readFilesMethod } from '../../../../src/protocol/runner/files.js';
import { createFilesServices } from '../../../../src/runner/files/index.js';
import { Turns } from '../../../../src/runner/turns.js';
import { testJournal } from '../test-journal.js';
import { asOtherUser } from '../../as-other-user.js';
import { ask, rootOf, temporaryProject, type TemporaryProject } from '../../temporary-project.js';

let project: TemporaryProject;
const services = createFilesServices({ places: 2, turns: new Turns(), ...testJournal() });

beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

const edit = (changes: unknown[], dry_run = false) =>
  ask(services, editFilesMethod, { root: project.root, project: 'agent:local:p', changes, dry_run, include_diff: false });

async function applied(changes: unknown[], dryRun = false) {
  const answer = await edit(changes, dryRun);
  if ('refused' in answer) throw new Error(JSON.stringify(answer));
  return answer;
}

async function refusal(changes: unknown[]) {
  const answer = await edit(changes);
  if (!('refused' in answer)) throw new Error('the batch was not refused');
  return answer.refused;
}

async function revision(path: string): Promise<number> {
  const answer = await ask(services, readFilesMethod, {
    root: project.root,
    project: 'agent:local:p',
    items: [{ path, start_line: 1, limit: 1 }],
    max_text_bytes: 0,
  });
  const item = 'refused' in answer ? undefined : answer.items[0];
  if (item?.success !== true) throw new Error(JSON.stringify(answer));
  return item.read_revision;
}

const replace = (path: string, old_text: string, new_text: string, more = {}) => ({
  kind: 'edit',
  path,
  edits: [{ kind: 'replace_exact', old_text, new_text }],
  ...more,
});

/** Every file of the project with its content, for "nothing changed". */
async function tree(folder = project.folder): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length + 1)] = entry.isFile() ? await readFile(path, 'latin1') : entry.isDirectory() ? '<folder>' : '<other>';
  }
  return found;
}

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

describe('files/edit', () => {
  it('does four kinds of change in one batch', async () => {
    await project.write('a.txt', 'one\ntwo\n');
    await project.write('gone.txt', 'x');
    await project.write('old.bin', Buffer.from([0xff, 0x00]));
    const answer = await applied([
      replace('a.txt', 'two', '2'),
      { kind: 'create', path: 'deep/er/new.txt', content: 'hello\r\n' },
      { kind: 'delete', path: 'gone.txt' },
      { kind: 'rename', path: 'old.bin', to_path: 'moved/new.bin' },
    ]);
    expect(await tree()).toEqual({
      'a.txt': 'one\n2\n',
      deep: '<folder>',
      'deep/er': '<folder>',
      'deep/er/new.txt': 'hello\r\n',
      moved: '<folder>',
      'moved/new.bin': '\u00ff\0',
    });
    expect(answer).toMatchObject({ would_change: true, applied_count: 4 });
    const [edited, created, deleted, renamed] = answer.files;
    expect(edited).toEqual({
      kind: 'edit',
      path: 'a.txt',
      to_path: null,
      old_sha256: sha256('one\ntwo\n'),
      new_sha256: sha256('one\n2\n'),
      read_revision: await revision('a.txt'),
      changed: true,
    });
    expect(created).toMatchObject({ old_sha256: null, new_sha256: sha256('hello\r\n'), read_revision: await revision('deep/er/new.txt') });
    expect(deleted).toMatchObject({ new_sha256: null, read_revision: null });
    expect(renamed).toMatchObject({ path: 'old.bin', to_path: 'moved/new.bin' });
    expect(renamed?.old_sha256).toBe(renamed?.new_sha256);
  });

  it('gives a revision that guards the next edit', async () => {
    await project.write('a.txt', '1\n');
    const first = await applied([replace('a.txt', '1', '2', { expected_read_revision: await revision('a.txt') })]);
    await applied([replace('a.txt', '2', '3', { expected_read_revision: first.files[0]?.read_revision })]);
    expect(await project.read('a.txt')).toBe('3\n');
  });

  it('keeps mode, owner and links', async () => {
    await project.write('run.sh', '#!/bin/sh\necho 1\n');
    await chmod(project.path('run.sh'), 0o751);
    if (process.geteuid?.() === 0) await chown(project.path('run.sh'), 12, 34);
    await symlink('run.sh', project.path('link.sh'));
    const before = await stat(project.path('run.sh'));
    await applied([replace('link.sh', '1', '2')]);
    const after = await stat(project.path('run.sh'));
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    expect(await project.read('run.sh')).toContain('echo 2');
    expect(await tree()).toEqual({ 'run.sh': '#!/bin/sh\necho 2\n', 'link.sh': '<other>' });
  });

  it('[04-A20] a dry run would change, and touches nothing', async () => {
    await project.write('a.txt', '1\n');
    const before = await stat(project.path('a.txt'), { bigint: true });
    const answer = await applied([replace('a.txt', '1', '2'), { kind: 'create', path: 'n/x', content: '' }], true);
    expect(answer).toMatchObject({ would_change: true, applied_count: 0, files: [{ new_sha256: sha256('2\n') }, {}] });
    const after = await stat(project.path('a.txt'), { bigint: true });
    expect([after.mtimeNs, after.ctimeNs, after.ino]).toEqual([before.mtimeNs, before.ctimeNs, before.ino]);
    expect(await tree()).toEqual({ 'a.txt': '1\n' });
  });

  it('does not write a file that stays as it is', async () => {
    await project.write('a.txt', '1\n');
    const before = await stat(project.path('a.txt'), { bigint: true });
    expect(await applied([replace('a.txt', '1', '1')])).toMatchObject({ would_change: false, applied_count: 0 });
    expect((await stat(project.path('a.txt'), { bigint: true })).ctimeNs).toBe(before.ctimeNs);
  });

  it('refuses what any file of the batch does not allow, and writes none', async () => {
    await project.write('a.txt', '1\n');
    await project.write('crlf.txt', 'a\r\nb\n');
    await project.write('bin', Buffer.from([0xff]));
    await project.write('big.txt', Buffer.alloc(16 * 1024 * 1024 + 1, 'a'));
    const before = await tree();
    const kinds: [string, unknown][] = [
      ['match_not_found', replace('a.txt', 'nope', 'x')],
      ['mixed_line_endings', replace('crlf.txt', 'a', 'x')],
      ['not_utf8', replace('bin', 'a', 'x')],
      ['file_too_large', replace('big.txt', 'b', 'x')],
      ['not_found', replace('missing.txt', 'a', 'x')],
      ['already_exists', { kind: 'create', path: 'a.txt', content: '' }],
      ['already_exists', { kind: 'rename', path: 'bin', to_path: 'a.txt' }],
      ['not_directory', { kind: 'create', path: 'a.txt/b', content: '' }],
      ['invalid_path', { kind: 'create', path: '../x', content: '' }],
      ['not_found', { kind: 'delete', path: 'nope' }],
      ['not_file', { kind: 'delete', path: '.' }],
      ['policy_rejected', { kind: 'create', path: 'node_modules/x', content: '' }],
      ['policy_rejected', { kind: 'delete', path: '.git/config' }],
      ['invalid_arguments', replace('ok.txt', 'o', 'x\ry')],
    ];
    await project.write('ok.txt', 'ok');
    for (const [kind, change] of kinds) {
      const refused = await refusal([{ kind: 'create', path: 'first.txt', content: '' }, change]);
      expect(refused, JSON.stringify(change)).toMatchObject({
        error_kind: kind,
        detail: { state_changed: false, changed: false, execution_state: 'not_started', change_index: 1 },
      });
    }
    expect(await tree()).toEqual({ ...before, 'ok.txt': 'ok' });
  });

  it('[04-A12] edits no secret, on either side of a rename, through no link', async () => {
    await project.write('.env', 'SECRET');
    await project.write('a.txt', 'a');
    await symlink('.env', project.path('plain.txt'));
    for (const change of [
      replace('.env', 'SECRET', 'x'),
      replace('.ENV', 'SECRET', 'x'),
      replace('plain.txt', 'SECRET', 'x'),
      { kind: 'rename', path: 'a.txt', to_path: '.ENV' },
      { kind: 'rename', path: 'a.txt', to_path: 'b/Key.PEM' },
      { kind: 'rename', path: '.env', to_path: 'b.txt' },
      { kind: 'create', path: 'secrets/a.txt', content: '' },
      { kind: 'delete', path: '.env' },
    ]) {
      expect(await refusal([change])).toMatchObject({ error_kind: 'policy_rejected', detail: { reason_code: 'secret_path' } });
    }
    expect(await tree()).toEqual({ '.env': 'SECRET', 'a.txt': 'a', 'plain.txt': '<other>' });
  });

  it('[04-A16] refuses a file that changed after it was read', async () => {
    await project.write('a.txt', '1\n');
    const guard = await revision('a.txt');
    await project.write('a.txt', '1\nmore\n');
    expect(await refusal([replace('a.txt', '1', '2', { expected_read_revision: guard })])).toMatchObject({
      error_kind: 'sha256_mismatch',
      detail: {
        state_changed: false,
        conflict_kind: 'sha256_mismatch',
        current_sha256: sha256('1\nmore\n'),
        conflict_recovery: { recovery_action: 'reread_file', direct_retry_safe: false, reread_required: true },
      },
    });
    for (const change of [
      { kind: 'delete', path: 'a.txt', expected_read_revision: guard },
      { kind: 'rename', path: 'a.txt', to_path: 'b.txt', expected_read_revision: guard },
    ]) {
      expect((await refusal([change])).error_kind).toBe('sha256_mismatch');
    }
  });

  it('refuses a file that was replaced by a link after it was read, wherever that leads', async () => {
    await project.write('a.txt', '1\n');
    await project.write('same.txt', '1\n');
    await writeFile(join(project.base, 'outside.txt'), '1\n');
    const guard = { expected_read_revision: await revision('a.txt') };
    await rm(project.path('a.txt'));
    await symlink('same.txt', project.path('a.txt'));
    expect((await refusal([replace('a.txt', '1', '2', guard)])).error_kind).toBe('sha256_mismatch');
    await rm(project.path('a.txt'));
    await symlink('../outside.txt', project.path('a.txt'));
    expect((await refusal([replace('a.txt', '1', '2', guard)])).error_kind).toBe('invalid_path');
    expect(await readFile(join(project.base, 'outside.txt'), 'utf8')).toBe('1\n');
  });

  it('takes each path once, links and spellings included', async () => {
    await project.write('a.txt', '1\n');
    await symlink('a.txt', project.path('b.txt'));
    for (const second of ['a.txt', './a.txt', 'b.txt']) {
      expect(await refusal([replace('a.txt', '1', '2'), replace(second, '1', '3')])).toMatchObject({
        error_kind: 'invalid_arguments',
        detail: { change_index: 1 },
      });
    }
    expect((await refusal([{ kind: 'create', path: 'n', content: '' }, { kind: 'rename', path: 'a.txt', to_path: './n' }])).error_kind).toBe('invalid_arguments');
  });

  it('deletes and renames no link', async () => {
    await project.write('a.txt', '1\n');
    await symlink('a.txt', project.path('b.txt'));
    expect((await refusal([{ kind: 'delete', path: 'b.txt' }])).error_kind).toBe('not_file');
    expect((await refusal([{ kind: 'rename', path: 'b.txt', to_path: 'c.txt' }])).error_kind).toBe('not_file');
  });

  it('renames a file that changes only its case', async () => {
    await project.write('Readme.md', 'x');
    await applied([{ kind: 'rename', path: 'Readme.md', to_path: 'README.md' }]);
    expect(await readdir(project.folder)).toEqual(['README.md']);
  });

  it('lets batches on one project go one after the other', async () => {
    await project.write('a.txt', '0\n');
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index}\n`);
    const batches = lines.map((line) => ({
      kind: 'edit',
      path: 'a.txt',
      edits: [{ kind: 'insert_after', anchor_text: '0\n', new_text: line, occurrence: 1 }],
    }));
    await Promise.all(batches.map((batch) => applied([batch])));
    expect((await project.read('a.txt')).split('\n').sort()).toEqual(['', '0', ...lines.map((line) => line.trim())].sort());
  });

  it('is cancelled before it writes', async () => {
    await project.write('a.txt', '1');
    const params = { root: project.root, project: 'p', changes: [replace('a.txt', '1', '2')], dry_run: false, include_diff: false };
    expect(await ask(services, editFilesMethod, params, AbortSignal.abort())).toMatchObject({
      refused: { error_kind: 'cancelled', detail: { state_changed: false } },
    });
    expect(await project.read('a.txt')).toBe('1');
  });
});

describe('rollback', () => {
  const third = async (): Promise<void> => {
    await project.write('one/a.txt', 'a1\n');
    await project.write('two/b.txt', 'b1\n');
    await project.write('three/c.txt', 'c1\n');
    execFileSync('chmod', ['-R', 'a+rwX', project.base]);
  };

  it('leaves the first two as they were when the third may not be written', async () => {
    await third();
    await chmod(project.path('three/c.txt'), 0o444);
    const before = await tree();
    await asOtherUser(async () => {
      const refused = await refusal([replace('one/a.txt', 'a1', 'a2'), replace('two/b.txt', 'b1', 'b2'), replace('three/c.txt', 'c1', 'c2')]);
      expect(refused).toMatchObject({
        error_kind: 'edit_write_failed',
        detail: { reason_code: 'permission_denied', change_index: 2, state_changed: false },
      });
    });
    expect(await tree()).toEqual(before);
  });

  it('takes back an edit, a new file with its folders, and a rename when the last change cannot be written', async () => {
    await third();
    // In a folder that may not be written a file cannot be removed, and that shows only at the end.
    await chmod(project.path('three'), 0o555);
    const before = await tree();
    const inode = (await stat(project.path('one/a.txt'))).ino;
    await asOtherUser(async () => {
      const refused = await refusal([
        replace('one/a.txt', 'a1', 'a2'),
        { kind: 'create', path: 'two/x/y/new.txt', content: 'new' },
        { kind: 'rename', path: 'two/b.txt', to_path: 'two/z/b.txt' },
        { kind: 'delete', path: 'three/c.txt' },
      ]);
      expect(refused).toMatchObject({
        error_kind: 'edit_write_failed',
        detail: { reason_code: 'eacces', change_index: 3, rollback_complete: true, state_changed: false, changed: false },
      });
    });
    expect(await tree()).toEqual(before);
    expect((await stat(project.path('one/a.txt'))).ino).toBe(inode);
  });

  it('says so when something could not be taken back', async () => {
    await third();
    await chmod(project.path('three'), 0o555);
    await asOtherUser(async () => {
      const running = refusal([replace('one/a.txt', 'a1', 'a2'), { kind: 'create', path: 'made/x', content: '' }, { kind: 'delete', path: 'three/c.txt' }]);
      // Somebody else keeps putting a file into the new folder, which then cannot be removed.
      const stopping = new AbortController();
      const meddling = (async () => {
        while (!stopping.signal.aborted) await writeFile(project.path('made/theirs'), '').catch(() => undefined);
      })();
      const refused = await running;
      stopping.abort();
      await meddling;
      const isLeft = (await readdir(project.folder)).includes('made');
      expect(refused.detail['rollback_complete']).toBe(!isLeft);
      if (isLeft) expect(refused.detail).toMatchObject({ state_changed: null, execution_state: 'outcome_unknown' });
    });
    expect(await project.read('one/a.txt')).toBe('a1\n');
  });

  it('refuses, and takes back, when a file was swapped between check and write', async () => {
    // Many files make the window between planning and writing wide enough to hit it.
    for (let file = 0; file < 15; file += 1) await project.write(`${file}.txt`, `1\n${'x'.repeat(200_000)}`);
    await writeFile(join(project.base, 'outside.txt'), '1\n');
    let hits = 0;
    for (let attempt = 0; attempt < 20 && hits === 0; attempt += 1) {
      await rm(project.path('14.txt'), { force: true });
      await project.write('14.txt', '1\n');
      const changes = Array.from({ length: 15 }, (_, file) => replace(`${file}.txt`, '1', '1', { edits: [{ kind: 'insert_before', anchor_text: '1\n', new_text: 'new\n' }] }));
      const settled = new AbortController();
      const running = edit(changes).finally(() => {
        settled.abort();
      });
      const isWriting = async (): Promise<boolean> => (await readdir(project.folder)).some((name) => name.startsWith('.wc-edit-'));
      while (!settled.signal.aborted && !(await isWriting())) await new Promise(setImmediate);
      await symlink('../outside.txt', project.path('swap'));
      await rename(project.path('swap'), project.path('14.txt'));
      const answer = await running;
      expect(await readFile(join(project.base, 'outside.txt'), 'utf8')).toBe('1\n');
      if ('refused' in answer) {
        hits += 1;
        expect(answer.refused).toMatchObject({
          error_kind: 'sha256_mismatch',
          detail: { rollback_complete: true, state_changed: false, change_index: 14 },
        });
        expect((await project.read('0.txt')).startsWith('1\n')).toBe(true);
      } else {
        for (let file = 0; file < 14; file += 1) {
          await project.write(`${file}.txt`, `1\n${'x'.repeat(200_000)}`);
        }
      }
      expect((await readdir(project.folder)).filter((name) => name.startsWith('.wc-edit-'))).toEqual([]);
    }
    expect(hits).toBe(1);
  });
});

describe('random batches on real files', () => {
  it('apply whole or not at all', async () => {
    const names = ['a.txt', 'b.txt', 'dir/c.txt', 'dir/new/d.txt', 'A.txt'];
    const path = fc.constantFrom(...names);
    const content = fc.constantFrom('', 'one\n', 'one\r\ntwo\r\n', 'one two');
    const change = fc.oneof(
      fc.tuple(path, content).map(([at, text]) => ({ kind: 'create', path: at, content: text })),
      path.map((at) => ({ kind: 'delete', path: at })),
      fc.tuple(path, path).map(([at, to_path]) => ({ kind: 'rename', path: at, to_path })),
      fc.tuple(path, fc.constantFrom('one', 'two', 'nope')).map(([at, old]) => replace(at, old, 'new\ntext')),
    );
    const start = fc.dictionary(path, content, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(start, fc.array(change, { minLength: 1, maxLength: 4 }), async (files, changes) => {
        await rm(project.folder, { recursive: true });
        await mkdir(project.folder);
        project = { ...project, root: await rootOf(project.folder) };
        for (const [name, text] of Object.entries(files)) await project.write(name, text);
        const before = await tree();
        const expected = reference(files, changes);
        const answer = await edit(changes);
        const after = await tree();
        if ('refused' in answer) {
          expect(after).toEqual(before);
          expect(expected).toBeNull();
        } else {
          const regular = Object.fromEntries(Object.entries(after).filter(([, text]) => text !== '<folder>'));
          expect(regular).toEqual(expected);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

/** What a batch makes of a set of files, or null when it is refused. */
function reference(files: Record<string, string>, changes: readonly Record<string, unknown>[]): Record<string, string> | null {
  const after = { ...files };
  const seen = new Set<unknown>();
  for (const change of changes) {
    const at = change['path'] as string;
    const to = change['to_path'] as string | undefined;
    for (const one of to === undefined ? [at] : [at, to]) {
      if (seen.has(one)) return null;
      seen.add(one);
    }
    const old = files[at];
    if (change['kind'] === 'create') {
      if (old !== undefined) return null;
      after[at] = change['content'] as string;
      continue;
    }
    if (old === undefined) return null;
    if (change['kind'] === 'delete') Reflect.deleteProperty(after, at);
    if (to !== undefined) {
      if (files[to] !== undefined) return null;
      Reflect.deleteProperty(after, at);
      after[to] = old;
    }
    if (change['kind'] === 'edit') {
      const [{ old_text }] = change['edits'] as [{ old_text: string }];
      if (old.split(old_text).length !== 2) return null;
      after[at] = old.replace(old_text, old.includes('\r\n') ? 'new\r\ntext' : 'new\ntext');
    }
  }
  return after;
}
