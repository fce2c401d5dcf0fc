import { execFileSync } from 'node:child_process';
import { chmod, readdir, rm, stat, symlink } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyDiffMethod } from '../../../../src/protocol/runner/edits.js';
import { createFilesServices } from '../../../../src/runner/files/index.js';
import { applyHunks } from '../../../../src/runner/files/patch/apply-hunks.js';
import { parseDiff } from '../../../../src/runner/files/patch/parse-diff.js';
import { Turns } from '../../../../src/runner/turns.js';
import { ask, temporaryProject, type TemporaryProject } from '../../temporary-project.js';
import { testJournal } from '../test-journal.js';

let project: TemporaryProject;
const services = createFilesServices({ places: 2, turns: new Turns(), ...testJournal() });

beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

const apply = (diff: string, deny_sensitive_paths = true) =>
  ask(services, applyDiffMethod, { root: project.root, project: 'p', diff, deny_sensitive_paths });

async function refusal(diff: string, deny = true) {
  const answer = await apply(diff, deny);
  if (!('refused' in answer)) throw new Error('the diff was not refused');
  return answer.refused;
}

const ONE = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n';

describe('files/apply_diff', () => {
  it('does what git apply does with a diff of every kind of change', async () => {
    project.git('init', '-q');
    await project.write('edit.txt', 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n');
    await project.write('crlf.txt', 'a\r\nb\r\n');
    await project.write('bare.txt', 'a\nb');
    await project.write('gone.txt', 'x\n');
    await project.write('old name.txt', Array.from({ length: 20 }, (_, index) => `${index}\n`).join(''));
    await project.write('empty.txt', '');
    project.git('add', '.');
    project.git('commit', '-qm', 'before');
    await project.write('edit.txt', 'A\nb\nc\nd\ne\nf\ng\nh\ni\nJ\nk\n');
    await project.write('crlf.txt', 'a\r\nB\r\n');
    await project.write('bare.txt', 'a\nb\nc');
    await rm(project.path('gone.txt'));
    await rm(project.path('empty.txt'));
    await project.write('new dir/\u00fc.sh', 'echo\n');
    await chmod(project.path('new dir/\u00fc.sh'), 0o755);
    project.git('mv', 'old name.txt', 'new name.txt');
    await project.write('new name.txt', (await project.read('new name.txt')).replace('7\n', 'seven\n'));
    project.git('add', '-A');
    const wanted = project.git('write-tree').trim();
    const diff = project.git('diff', '--cached', '-M');
    project.git('reset', '-q', '--hard');
    const answer = await apply(diff);
    if ('refused' in answer) throw new Error(JSON.stringify(answer));
    expect(answer).toMatchObject({ would_change: true, applied_count: 7 });
    project.git('add', '-A');
    expect(project.git('write-tree').trim()).toBe(wanted);
    expect((await stat(project.path('new dir/\u00fc.sh'))).mode & 0o111).not.toBe(0);
  });

  it('moves no hunk: it says where the lines stand', async () => {
    await project.write('a.txt', 'zero\none\ntwo\n');
    expect(await refusal(ONE)).toMatchObject({
      error_kind: 'patch_not_applicable',
      detail: { hunk_index: 0, change_index: 0, path: 'a.txt', candidate_ranges: [{ start_line: 2, end_line: 3 }], state_changed: false, execution_state: 'not_started' },
    });
    await project.write('a.txt', 'one\nsecret\n');
    const refused = await refusal(ONE);
    expect(refused).toMatchObject({ error_kind: 'patch_not_applicable', detail: { candidate_ranges: [] } });
    expect(JSON.stringify(refused)).not.toMatch(/secret|two/);
  });

  it('wants the end of the file as the diff says it is', async () => {
    await project.write('a.txt', 'one\ntwo');
    expect((await refusal(ONE)).error_kind).toBe('patch_not_applicable');
    await project.write('a.txt', 'one\ntwo\n');
    expect((await refusal(ONE.replace('-two\n', '-two\n\\ No newline at end of file\n'))).error_kind).toBe('patch_not_applicable');
    await apply(`${ONE}\\ No newline at end of file\n`);
    expect(await project.read('a.txt')).toBe('one\n2');
  });

  it('refuses what no diff of text can say, writes none of it, and quotes nothing', async () => {
    await project.write('a.txt', 'one\ntwo\n');
    const bad: string[] = [
      'secret',
      ONE.replace('+++ b/a.txt\n', ''),
      ONE.replace('-1,2 +1,2', '-1,3 +1,2'),
      ONE.replace('-1,2 +1,2', '-x +y'),
      ONE.replace('+++ b/a.txt', '+++ b/secret.txt'),
      'diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n',
      'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/secret\n\\ No newline at end of file\n',
      'diff --git a/a.txt b/b.txt\nsimilarity index 100%\ncopy from a.txt\ncopy to b.txt\n',
      'diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n',
      'diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZ\n',
      '@@ -1 +1 @@\n-one\n+secret\n',
      '--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+secret\n',
    ];
    for (const diff of bad) {
      const refused = await refusal(`--- /dev/null\n+++ b/first.txt\n@@ -0,0 +1 @@\n+first\n${diff}`.slice(diff === 'secret' ? 54 : 0));
      expect(refused, diff).toMatchObject({ error_kind: 'invalid_patch', detail: { state_changed: false } });
      expect(JSON.stringify(refused)).not.toContain('secret');
    }
    expect(await readdir(project.folder)).toEqual(['a.txt']);
  });

  it('stays out of protected places, of links out of the project, and of what is above it', async () => {
    await project.write('node_modules/p/a.txt', 'one\ntwo\n');
    await project.write('.git/config', 'one\ntwo\n');
    await project.write('.env', 'one\ntwo\n');
    await symlink('..', project.path('up'));
    await project.write('../a.txt', 'one\ntwo\n');
    const at = (path: string): string => ONE.replaceAll('/a.txt', `/${path}`);
    for (const path of ['.git/config', '.env', '.ENV', 'node_modules/.env']) {
      expect(await refusal(at(path), false), path).toMatchObject({ error_kind: 'policy_rejected' });
    }
    expect(await refusal(at('node_modules/p/a.txt'))).toMatchObject({ error_kind: 'policy_rejected', detail: { reason_code: 'bulk_path' } });
    for (const path of ['up/a.txt', '../a.txt']) expect((await refusal(at(path))).error_kind).toBe('invalid_path');
    await apply(at('node_modules/p/a.txt'), false);
    expect(await project.read('node_modules/p/a.txt')).toBe('one\n2\n');
  });

  it('deletes only what it takes away whole', async () => {
    await project.write('a.txt', 'one\ntwo\n');
    const diff = '--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n';
    expect((await refusal(diff)).error_kind).toBe('patch_not_applicable');
    await project.write('a.txt', 'one\n');
    await apply(diff);
    expect(await readdir(project.folder)).toEqual([]);
  });
});

describe('applyHunks', () => {
  it('takes the last line away with the line before it keeping its newline', () => {
    expect(applied('-\na', '@@ -2 +1,0 @@\n-a\n\\ No newline at end of file\n')).toEqual({ text: '-\n' });
  });

  it('puts no line behind one that lacks the newline that the diff takes for granted', () => {
    expect(applied('a', '@@ -1,0 +2 @@\n+b\n')).toMatchObject({ misfit: { kind: 'patch_not_applicable' } });
    expect(applied('a\n', '@@ -1,0 +2 @@\n+b\n')).toEqual({ text: 'a\nb\n' });
    expect(applied('', '@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n')).toEqual({ text: 'b' });
  });

  it('makes the new text of what diff -u says of any two texts, with any context', () => {
    const text = fc.tuple(fc.array(fc.constantFrom('a', 'b', '', 'c d', '-', '+x', '\\'), { maxLength: 9 }), fc.boolean()).map(([lines, bare]) => lines.join('\n') + (bare || lines.length === 0 ? '' : '\n'));
    fc.assert(
      fc.property(text, text, fc.constantFrom(0, 1, 3), (before, after, context) => {
        fc.pre(before !== after);
        const diff = diffOf(before, after, context);
        const sections = parseDiff(diff);
        if ('problem' in sections) throw new Error(`${sections.problem}\n${diff}`);
        expect(applyHunks(before, sections[0]?.hunks ?? []), diff).toEqual({ text: after });
      }),
      { numRuns: 250 },
    );
  }, 60_000);
});

function applied(text: string, hunk: string): unknown {
  const sections = parseDiff(`--- a/t\n+++ b/t\n${hunk}`);
  return 'problem' in sections ? sections : applyHunks(text, sections[0]?.hunks ?? []);
}

function diffOf(before: string, after: string, context: number): string {
  const script = 'diff -U "$1" --label a/t --label b/t <(printf %s "$2") <(printf %s "$3"); [ $? = 1 ]';
  return execFileSync('bash', ['-c', script, 'bash', String(context), before, after], { encoding: 'utf8' });
}
