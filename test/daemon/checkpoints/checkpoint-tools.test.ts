import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { invalidMetadata } from '../../../src/daemon/checkpoints/metadata.js';
import { CHECKPOINT_KINDS, type CheckpointMetadata } from '../../../src/protocol/runner/checkpoints.js';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { filesHouse, type FilesHouse } from '../files/files-house.js';

let project: TemporaryProject;
let house: FilesHouse;

beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project, { checkpoints: join(project.base, 'checkpoints') });
  project.git('init', '-q');
  await project.write('a.txt', 'base\n');
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'base');
});
afterEach(() => project.remove());

async function create(args = {}): Promise<string> {
  const { checkpoint } = (await house.succeed('create_workspace_checkpoint', args)) as { checkpoint: { checkpoint_id: string } };
  return checkpoint.checkpoint_id;
}

it('are made, listed, read, restored and deleted', async () => {
  await project.write('a.txt', 'kept\n');
  await project.write('note.txt', 'a note\n');
  const validation = { status: 'passed', commands: ['npm test'], summary: 'all green' };
  const id = await create({ title: 'Works', kind: 'last_known_good', labels: ['green'], include_untracked: true, validation });
  expect(await house.succeed('list_workspace_checkpoints', {})).toMatchObject({
    total: 1,
    truncated: false,
    last_recovery: null,
    checkpoints: [{ checkpoint_id: id, title: 'Works', kind: 'last_known_good', labels: ['green'], validation, automatic: false }],
  });
  const read = await house.succeed('read_workspace_checkpoint', { checkpoint_id: id });
  expect(read).toMatchObject({ paths: ['a.txt'], untracked_paths: ['note.txt'] });
  expect(read).not.toHaveProperty('diff_stat');
  const stat = await house.succeed('read_workspace_checkpoint', { checkpoint_id: id, include_diff_stat: true });
  expect(stat['diff_stat']).toMatchObject({ unstaged: { files: 1, insertions: 1, deletions: 1 } });
  expect(JSON.stringify([read, stat])).not.toContain('a note');

  await project.write('a.txt', 'later\n');
  const restored = await house.call('restore_workspace_checkpoint', { checkpoint_id: id, confirm: true });
  expect(restored.result).toMatchObject({ success: true, output: { changed_paths: ['a.txt'], index_changed: false, state_changed: true } });
  expect(restored.facts).toMatchObject({ changedPaths: ['a.txt'], effect: { stateChanged: true } });
  expect(await project.read('a.txt')).toBe('kept\n');
  const previous = restored.result.output['previous_state_checkpoint_id'] as string;
  expect(await house.succeed('read_workspace_checkpoint', { checkpoint_id: previous })).toMatchObject({
    checkpoint: { automatic: true, kind: 'rollback_candidate', title: `Before ${id} was restored` },
  });
  await house.succeed('delete_workspace_checkpoint', { checkpoint_id: id, confirm: true });
  expect(await house.fail('restore_workspace_checkpoint', { checkpoint_id: id, confirm: true })).toMatchObject({ error_kind: 'unknown_checkpoint' });
});

it('nothing is restored or deleted without confirm', async () => {
  await project.write('a.txt', 'kept\n');
  const id = await create();
  await project.write('a.txt', 'later\n');
  for (const name of ['restore_workspace_checkpoint', 'delete_workspace_checkpoint']) {
    expect(await house.fail(name, { checkpoint_id: id })).toMatchObject({ error_kind: 'confirm_required', state_changed: false });
  }
  expect(await project.read('a.txt')).toBe('later\n');
  expect(await house.succeed('list_workspace_checkpoints', {})).toMatchObject({ total: 1 });
});

it('[04-A39] at another HEAD a restore is refused, and every byte stays', async () => {
  await project.write('a.txt', 'kept\n');
  const id = await create();
  project.git('commit', '-q', '-a', '-m', 'next');
  const outcome = await house.call('restore_workspace_checkpoint', { checkpoint_id: id, confirm: true });
  expect(outcome.result).toMatchObject({ success: false, output: { error_kind: 'head_mismatch', state_changed: false } });
  expect(outcome.facts?.effect).toEqual({ stateChanged: false, executionState: 'not_started' });
  expect([await project.read('a.txt'), project.git('status', '--porcelain')]).toEqual(['kept\n', '']);
});

it('refuses metadata that is too much, misleading, or looks like a secret', async () => {
  const good: CheckpointMetadata = { title: 'T', note: 'n\n\tn', kind: 'snapshot', labels: ['a'], validation: { status: 'passed', commands: ['x'], summary: null } };
  expect(invalidMetadata(good)).toBeNull();
  const fault = (more: Partial<CheckpointMetadata>): unknown => {
    const output = invalidMetadata({ ...good, ...more })?.output;
    return [output?.['member'], output?.['reason_code']];
  };
  const validation = (more: object) => ({ validation: { status: 'passed' as const, commands: [], summary: null, ...more } });
  expect(fault({ title: 'x'.repeat(201) })).toEqual(['title', 'too_long']);
  expect(fault({ note: 'x\u001b[2Jx' })).toEqual(['note', 'control_character']);
  expect(fault({ labels: Array.from({ length: 21 }, (_, label) => String(label)) })).toEqual(['labels', 'too_many']);
  expect(fault({ labels: ['x'.repeat(65)] })).toEqual(['labels', 'too_long']);
  expect(fault({ labels: ['a', 'a'] })).toEqual(['labels', 'repeated']);
  expect(fault({ labels: [' '] })).toEqual(['labels', 'empty']);
  expect(fault(validation({ commands: Array.from({ length: 21 }, () => 'x') }))).toEqual(['validation.commands', 'too_many']);
  expect(fault(validation({ commands: ['x'.repeat(201)] }))).toEqual(['validation.commands', 'too_long']);
  expect(fault(validation({ summary: 'x'.repeat(501) }))).toEqual(['validation.summary', 'too_long']);
  expect(fault({ note: 'export GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345' })).toEqual(['note', 'secret_like']);
  expect(await house.fail('create_workspace_checkpoint', { title: 'x'.repeat(201) })).toMatchObject({ error_kind: 'invalid_checkpoint_metadata' });
});

it('making one needs no permission; restoring and deleting do, and restoring is a write', () => {
  const facts = (name: string) => house.tool(name).definition;
  expect(facts('create_workspace_checkpoint')).toMatchObject({ approval: 'none', risk: 'checkpoint_manage', scopes: { scopes: ['project:read'] }, effect: 'mutate' });
  expect(facts('restore_workspace_checkpoint')).toMatchObject({ approval: 'standard', risk: 'project_write', destructive: true });
  expect(facts('delete_workspace_checkpoint')).toMatchObject({ approval: 'standard', risk: 'checkpoint_manage', destructive: true });
  expect(CHECKPOINT_KINDS).toHaveLength(6);
});
