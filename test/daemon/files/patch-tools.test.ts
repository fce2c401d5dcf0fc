import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { filesHouse, type FilesHouse } from './files-house.js';

let project: TemporaryProject;
let house: FilesHouse;

beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project);
});
afterEach(() => project.remove());

async function revision(path: string): Promise<number> {
  const output = await house.succeed('read_files', { items: [{ path }] });
  return (output['items'] as { read_revision: number }[])[0]?.read_revision ?? 0;
}

const PATCH = `*** Begin Patch
*** Add File: new.txt
+new
*** Update File: a.txt
*** Move to: b.txt
@@
-one
+two
*** Delete File: gone.txt
*** End Patch
`;

describe('apply_patch', () => {
  it('[04-A35] applies whole, under its exact name and in no list', async () => {
    await project.write('a.txt', 'one\nx\n');
    await project.write('gone.txt', '');
    const { definition } = house.tool('apply_patch');
    expect(definition).toMatchObject({ category: 'patch', specialist: true, visibility: 'model_visible' });
    expect(definition.direct_rank).toBeUndefined();
    const { result, facts } = await house.call('apply_patch', { patch: PATCH, include_diff: true });
    expect(result).toMatchObject({
      success: true,
      output: {
        dry_run: false,
        changed: true,
        applied_count: 3,
        changed_paths: ['new.txt', 'a.txt', 'b.txt', 'gone.txt'],
        files: [
          { kind: 'create', path: 'new.txt', diff: '@@ -0,0 +1,1 @@\n+new\n' },
          { kind: 'rename', path: 'a.txt', to_path: 'b.txt', read_revision: await revision('b.txt'), diff: '@@ -1,2 +1,2 @@\n-one\n+two\n x\n' },
          { kind: 'delete', path: 'gone.txt' },
        ],
      },
    });
    expect(facts?.changedPaths).toEqual(['new.txt', 'a.txt', 'b.txt', 'gone.txt']);
    expect(await project.read('b.txt')).toBe('two\nx\n');
  });

  it('a dry run writes nothing', async () => {
    await project.write('a.txt', 'one\n');
    await project.write('gone.txt', '');
    expect(await house.succeed('apply_patch', { patch: PATCH, dry_run: true })).toMatchObject({ dry_run: true, would_change: true, changed: false, changed_paths: [] });
    expect(await project.read('a.txt')).toBe('one\n');
  });

  it('refuses with positions and a read to go on with, never with lines', async () => {
    await project.write('a.txt', 'secret\n');
    await project.write('gone.txt', '');
    const missing = await house.fail('apply_patch', { patch: PATCH });
    expect(missing).toMatchObject({
      error_kind: 'match_not_found',
      conflict_kind: 'match_not_found',
      change_index: 1,
      hunk_index: 0,
      patch_line: 6,
      state_changed: false,
      conflict_recovery: { recovery_action: 'reread_or_refine_match', direct_retry_safe: false, occurrence_selector_supported: false },
    });
    expect(JSON.stringify(missing)).not.toMatch(/secret|one|two/);
    await house.follow(missing);
    await project.write('a.txt', 'one\none\n');
    expect(await house.fail('apply_patch', { patch: PATCH })).toMatchObject({
      error_kind: 'multiple_matches',
      match_count: 2,
      candidate_ranges: [{ start_line: 1, end_line: 1 }, { start_line: 2, end_line: 2 }],
    });
    expect(await house.fail('apply_patch', { patch: 'secret' })).toMatchObject({ error_kind: 'invalid_patch', recovery_kind: 'fix_input', state_changed: false });
  });

  it('takes 262,144 bytes and no more', async () => {
    const patch = (bytes: number): string => {
      const [head, tail] = ['*** Begin Patch\n*** Add File: big.txt\n+', '\n*** End Patch\n'];
      return head + 'x'.repeat(bytes - head.length - tail.length) + tail;
    };
    await expect(house.call('apply_patch', { patch: patch(262_145) })).rejects.toThrow('262144');
    expect(await house.succeed('apply_patch', { patch: patch(262_144) })).toMatchObject({ applied_count: 1 });
  });
});

describe('apply_unified_diff', () => {
  it('tells the audit how a diff failed', async () => {
    await project.write('a.txt', 'x\n');
    const outcomes: [string, string, string][] = [
      ['--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-x\n+y\n', 'policy_rejected', 'policy_blocked'],
      ['no diff', 'invalid_patch', 'malformed'],
      ['--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-z\n+y\n', 'patch_not_applicable', 'not_applicable'],
    ];
    for (const [diff, kind, finer] of outcomes) {
      const { result, facts } = await house.call('apply_unified_diff', { diff });
      expect(result.output).toMatchObject({ error_kind: kind, state_changed: false, execution_state: 'not_started' });
      expect(facts).toEqual({ effect: { stateChanged: false, executionState: 'not_started' }, telemetry: { edit_outcome: finer } });
    }
    expect(await house.succeed('apply_unified_diff', { diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n' })).toMatchObject({ applied_count: 1 });
  });
});

describe('write_project_file', () => {
  it('creates a file, and replaces only the snapshot that was read', async () => {
    expect(house.tool('write_project_file').definition).toMatchObject({ telemetry: 'edit_advanced', specialist: true });
    const made = await house.succeed('write_project_file', { path: 'd/a.txt', content: 'one\r\n' });
    expect(made).toMatchObject({ changed: true, changed_paths: ['d/a.txt'], files: [{ kind: 'create' }] });
    expect(await house.fail('write_project_file', { path: 'd/a.txt', content: 'two' })).toMatchObject({ error_kind: 'already_exists', state_changed: false });
    const guard = { overwrite: true, expected_read_revision: await revision('d/a.txt') };
    expect(await house.succeed('write_project_file', { path: 'd/a.txt', content: 'two', ...guard })).toMatchObject({ applied_count: 1, files: [{ kind: 'edit' }] });
    expect(await house.fail('write_project_file', { path: 'd/a.txt', content: 'three', ...guard })).toMatchObject({
      error_kind: 'sha256_mismatch',
      conflict_recovery: { reread_required: true },
      last_writer: { session_ref: '~s7' },
    });
    expect(await project.read('d/a.txt')).toBe('two');
  });

  it('wants overwrite and the revision together', async () => {
    await project.write('a.txt', 'x');
    for (const more of [{ overwrite: true }, { expected_read_revision: await revision('a.txt') }]) {
      expect(await house.fail('write_project_file', { path: 'a.txt', content: 'y', ...more })).toMatchObject({ error_kind: 'invalid_arguments', state_changed: false });
    }
    expect(await project.read('a.txt')).toBe('x');
  });

  it('replaces what is no text, through a link inside the project, and says when nothing changed', async () => {
    await project.write('bin', Buffer.from([0xff, 0]));
    const guard = { overwrite: true, expected_read_revision: 1 };
    expect((await house.fail('write_project_file', { path: 'bin', content: 'x', ...guard }))['error_kind']).toBe('sha256_mismatch');
    await project.write('a.txt', 'same');
    expect(await house.succeed('write_project_file', { path: 'a.txt', content: 'same', overwrite: true, expected_read_revision: await revision('a.txt') })).toMatchObject({ changed: false, applied_count: 0 });
  });

  it('refuses a secret, and a project without edits', async () => {
    expect(await house.fail('write_project_file', { path: 'certs/a.PEM', content: '' })).toMatchObject({ error_kind: 'policy_rejected', reason_code: 'secret_path' });
    const closed = filesHouse(project, { allowPatch: false });
    for (const [tool, args] of [['write_project_file', { path: 'a', content: '' }], ['apply_patch', { patch: PATCH }], ['apply_unified_diff', { diff: 'x' }]] as const) {
      expect(await closed.fail(tool, args)).toMatchObject({ error_kind: 'policy_rejected', reason_code: 'edits_not_allowed', state_changed: false });
    }
  });
});
