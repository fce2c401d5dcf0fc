import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/tool-result.js';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { principal } from '../kernel/kernel-fixture.js';
import { filesHouse, type FilesHouse, type Output } from './files-house.js';

let project: TemporaryProject;
let house: FilesHouse;

beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project);
});
afterEach(() => project.remove());

const replace = (path: string, old_text: string, new_text: string, more: JsonObject = {}): JsonObject => ({
  kind: 'edit',
  path,
  edits: [{ kind: 'replace_exact', old_text, new_text, ...more }],
});

const one = (change: JsonObject): JsonObject => ({ changes: [change] });

async function revision(path: string): Promise<number> {
  const output = await house.succeed('read_files', { items: [{ path }] });
  return (output['items'] as { read_revision: number }[])[0]?.read_revision ?? 0;
}

describe('edit_project_files', () => {
  it('answers with what it did, and tells the evidence which paths changed', async () => {
    await project.write('a.txt', 'one\n');
    await project.write('b.txt', 'b\n');
    const { result, facts } = await house.call('edit_project_files', {
      changes: [replace('a.txt', 'one', 'two'), { kind: 'rename', path: 'b.txt', to_path: 'c.txt' }, replace('d.txt', 'x', 'y')].slice(0, 2),
    });
    expect(result).toMatchObject({
      success: true,
      output: { dry_run: false, changed: true, would_change: true, applied_count: 2, changed_paths: ['a.txt', 'b.txt', 'c.txt'], state_changed: true, execution_state: 'completed' },
    });
    expect(facts).toEqual({
      changedPaths: ['a.txt', 'b.txt', 'c.txt'],
      effect: { stateChanged: true, executionState: 'completed' },
      contextResultSummary: { changes: 2, applied: 2, dry_run: false },
    });
  });

  it('[04-A20] a dry run would change and changes nothing', async () => {
    await project.write('a.txt', 'one\n');
    const before = await stat(project.path('a.txt'), { bigint: true });
    const { result, facts } = await house.call('edit_project_files', { ...one(replace('a.txt', 'one', 'two')), dry_run: true });
    expect(result.output).toMatchObject({ dry_run: true, would_change: true, changed: false, state_changed: false, applied_count: 0, changed_paths: [] });
    expect(facts?.changedPaths).toEqual([]);
    expect((await stat(project.path('a.txt'), { bigint: true })).mtimeNs).toBe(before.mtimeNs);
  });

  it('an edit that changes nothing says so', async () => {
    await project.write('a.txt', 'one\n');
    expect(await house.succeed('edit_project_files', one(replace('a.txt', 'one', 'one')))).toMatchObject({ changed: false, would_change: false, applied_count: 0 });
  });

  it('[04-A12] refuses a secret by policy', async () => {
    await project.write('.env', 'A=1\n');
    const { result, facts } = await house.call('edit_project_files', one(replace('.env', 'A=1', 'A=2')));
    expect(result).toMatchObject({ success: false, output: { error_kind: 'policy_rejected', recovery_kind: 'fix_input', state_changed: false, dry_run: false } });
    expect(facts?.effect).toEqual({ stateChanged: false, executionState: 'not_started' });
    expect(await project.read('.env')).toBe('A=1\n');
  });

  it('[04-A13] a text that stands twice', async () => {
    await project.write('a.txt', 'dup\ndup\n');
    expect(await house.fail('edit_project_files', one(replace('a.txt', 'dup', 'x')))).toMatchObject({
      error_kind: 'multiple_matches',
      conflict_kind: 'multiple_matches',
      state_changed: false,
      change_index: 0,
      edit_index: 0,
      conflict_recovery: { match_count: 2, direct_retry_safe: true },
    });
  });

  it('[04-A14] [04-A15] [04-A17] [04-A18] [04-A19] every other conflict is told by its kind', async () => {
    await project.write('a.txt', 'dup\nx\ndup\n');
    const kindOf = async (change: JsonObject): Promise<[unknown, unknown]> => {
      const output = await house.fail('edit_project_files', one(change));
      return [output['error_kind'], (output['conflict_recovery'] as { conflict_kind: string }).conflict_kind];
    };
    const both = (kind: string): [string, string] => [kind, kind];
    expect(await kindOf(replace('a.txt', 'dup', 'y', { occurrence: 3 }))).toEqual(both('occurrence_out_of_range'));
    expect(await kindOf(replace('a.txt', 'dup', 'y', { occurrence: 1, line_scope: { start_line: 3, end_line: 3 } }))).toEqual(both('occurrence_outside_line_scope'));
    expect(await kindOf(replace('a.txt', 'dup', 'y', { expected_match_count: 3 }))).toEqual(both('match_count_mismatch'));
    expect(
      await kindOf({
        kind: 'edit',
        path: 'a.txt',
        edits: [
          { kind: 'replace_exact', old_text: 'dup\nx', new_text: '1' },
          { kind: 'delete_exact', old_text: 'x\ndup' },
        ],
      }),
    ).toEqual(both('overlapping_edits'));
    await project.write('many.txt', 'm\n'.repeat(12));
    const many = await house.fail('edit_project_files', one(replace('many.txt', 'm', 'n')));
    expect(many['conflict_recovery']).toMatchObject({ match_count: 12, candidates_truncated: true });
    expect((many['conflict_recovery'] as { candidate_ranges: unknown[] }).candidate_ranges.length).toBe(8);
    expect(await project.read('a.txt')).toBe('dup\nx\ndup\n');
  });

  it('[04-A16] a stale guard suggests the read that goes on', async () => {
    await project.write('a.txt', 'one\n');
    const guard = await revision('a.txt');
    await project.write('a.txt', 'other\n');
    const output = await house.fail('edit_project_files', one({ ...replace('a.txt', 'one', 'two'), expected_read_revision: guard }));
    expect(output).toMatchObject({
      error_kind: 'sha256_mismatch',
      recovery_kind: 'reobserve',
      conflict_recovery: { reread_required: true },
      suggested_call: { follow_up_kind: 'fallback_recovery', tool: 'read_files', arguments: { project: 'agent:local:demo', items: [{ path: 'a.txt' }] } },
    });
    expect((await house.follow(output))['items']).toMatchObject([{ text: 'other\n' }]);
  });

  it('[00-D35] a text that is not there says where the nearest candidate departs, and suggests to read there', async () => {
    await project.write('a.txt', `${'line\n'.repeat(99)}\treturn value;\n`);
    const output = await house.fail('edit_project_files', one(replace('a.txt', '    return value;', 'x')));
    expect(output).toMatchObject({
      error_kind: 'match_not_found',
      near_miss: { line: 100, column: 1, found: '\\treturn valu' },
      suggested_call: { arguments: { items: [{ path: 'a.txt', start_line: 80, limit: 60 }] } },
    });
    await house.follow(output);
  });

  it('[00-D36] names the last writer to the same principal, and nobody else', async () => {
    await project.write('a.txt', 'one\n');
    const guard = await revision('a.txt');
    house.clock = 1_700_000_123;
    await house.succeed('edit_project_files', one(replace('a.txt', 'one', 'two')));
    const stale = one({ ...replace('a.txt', 'one', 'three'), expected_read_revision: guard });
    expect((await house.fail('edit_project_files', stale))['last_writer']).toEqual({ session_ref: '~s7', at: 1_700_000_123 });
    const foreign = { principal: principal({ principalKey: 'token:bob' }) };
    expect((await house.fail('edit_project_files', stale, foreign))['last_writer']).toBe('external');
    // Somebody else wrote on: what stands there now is not that call's.
    await project.write('a.txt', 'three\n');
    expect((await house.fail('edit_project_files', stale))['last_writer']).toBe('external');
  });

  it('[00-D36] a writer without a Session has a time and no ref', async () => {
    await project.write('a.txt', 'one\n');
    const guard = await revision('a.txt');
    await house.succeed('edit_project_files', one(replace('a.txt', 'one', 'two')), { session: null });
    const stale = one({ ...replace('a.txt', 'one', 'three'), expected_read_revision: guard });
    expect((await house.fail('edit_project_files', stale))['last_writer']).toEqual({ session_ref: null, at: house.clock });
  });

  it('edits nothing in a project that is registered without edits', async () => {
    await project.write('a.txt', 'one\n');
    const closed = filesHouse(project, { allowPatch: false });
    expect(await closed.fail('edit_project_files', one(replace('a.txt', 'one', 'two')))).toMatchObject({ error_kind: 'policy_rejected', state_changed: false });
    expect(await project.read('a.txt')).toBe('one\n');
  });

  it('bounds a field by its bytes and all text together', async () => {
    const { input } = house.tool('edit_project_files').definition;
    const create = (content: string) => input.safeParse({ project: 'p', changes: [{ kind: 'create', path: 'a', content }] });
    expect(create('é'.repeat(256 * 1024)).success).toBe(true);
    expect(create(`${'é'.repeat(256 * 1024)}x`).success).toBe(false);
    const half = 'x'.repeat(512 * 1024);
    const changes = ['a', 'b', 'c'].map((path) => ({ kind: 'create', path, content: half }));
    expect((await house.fail('edit_project_files', { changes }))['error_kind']).toBe('invalid_arguments');
    expect(await house.succeed('edit_project_files', { changes: [{ kind: 'create', path: 'a', content: half }] })).toMatchObject({ applied_count: 1 });
  });

  it.each<[string, JsonObject]>([
    ['a foreign field', { kind: 'create', path: 'a', content: '', edits: [] }],
    ['a field of another edit', { kind: 'edit', path: 'a', edits: [{ kind: 'delete_exact', old_text: 'a', new_text: 'b' }] }],
    ['occurrence with expected_match_count', replace('a', 'b', 'c', { occurrence: 1, expected_match_count: 1 })],
    ['expected_match_count elsewhere', { kind: 'edit', path: 'a', edits: [{ kind: 'delete_exact', old_text: 'a', expected_match_count: 1 }] }],
    ['empty old_text', replace('a', '', 'b')],
    ['NUL', replace('a', 'b', '\0')],
    ['half a surrogate pair', replace('a', 'b', '\ud800')],
    ['occurrence 0', replace('a', 'b', 'c', { occurrence: 0 })],
    ['1025 matches', replace('a', 'b', 'c', { expected_match_count: 1025 })],
    ['a scope that ends before it starts', replace('a', 'b', 'c', { line_scope: { start_line: 2, end_line: 1 } })],
    ['lines without their snapshot', { kind: 'edit', path: 'a', edits: [{ kind: 'replace_range', start_line: 1, end_line: 1, new_text: '' }] }],
    ['no edits', { kind: 'edit', path: 'a', edits: [] }],
    ['21 edits', { kind: 'edit', path: 'a', edits: Array.from({ length: 21 }, () => ({ kind: 'delete_exact', old_text: 'a' })) }],
    ['an unknown kind', { kind: 'move', path: 'a' }],
  ])('its schema refuses %s', (_, change) => {
    expect(house.tool('edit_project_files').definition.input.safeParse({ project: 'p', changes: [change] }).success).toBe(false);
  });

  it('[00-D46] tells changes and edits apart by kind', () => {
    const { input } = house.tool('edit_project_files').definition;
    const refused = (change: JsonObject): boolean => !input.safeParse({ project: 'p', changes: [change] }).success;
    const text = { old_text: 'a', anchor_text: 'a', new_text: 'b', start_line: 1, end_line: 1 };
    const members = {
      replace_exact: ['old_text', 'new_text'],
      delete_exact: ['old_text'],
      insert_before: ['anchor_text', 'new_text'],
      insert_after: ['anchor_text', 'new_text'],
      replace_range: ['start_line', 'end_line', 'new_text'],
    } as const;
    for (const [kind, names] of Object.entries(members)) {
      const body = Object.fromEntries(names.map((name) => [name, text[name]]));
      const edit = (changes: JsonObject): JsonObject => ({ kind: 'edit', path: 'a', expected_read_revision: 7, edits: [{ ...body, ...changes }] });
      expect([kind, refused(edit({ kind })), refused(edit({ op: kind })), refused(edit({ type: kind }))]).toEqual([kind, false, true, true]);
    }
    expect(refused({ kind: 'create', path: 'a', content: '' })).toBe(false);
    expect(refused({ kind: 'delete', path: 'a', expected_read_revision: 7 })).toBe(false);
    expect(refused({ kind: 'rename', path: 'a', to_path: 'b', expected_read_revision: 7 })).toBe(false);
    expect(refused({ op: 'create', path: 'a', content: '' })).toBe(true);
  });

  it('a batch has 1 to 16 changes', () => {
    const { input } = house.tool('edit_project_files').definition;
    const changes = (count: number) => Array.from({ length: count }, (_, index) => ({ kind: 'create', path: `f${index}`, content: '' }));
    expect([0, 1, 16, 17].map((count) => input.safeParse({ project: 'p', changes: changes(count) }).success)).toEqual([false, true, true, false]);
  });

  it('has a schema that is an object without unions at its root', () => {
    const schema = z.toJSONSchema(house.tool('edit_project_files').definition.input, { io: 'input' }) as Record<string, unknown>;
    expect(schema['type']).toBe('object');
    expect(['oneOf', 'anyOf', 'allOf', '$ref'].filter((key) => key in schema)).toEqual([]);
  });

  it('follows no half: the output of a failure is JSON and keeps its exact recovery members', async () => {
    await project.write('a.txt', 'dup\ndup\n');
    const output: Output = await house.fail('edit_project_files', one(replace('a.txt', 'dup', 'x')));
    expect(Object.keys(output['conflict_recovery'] as object).sort()).toEqual([
      'candidate_ranges',
      'candidates_truncated',
      'conflict_kind',
      'conflicting_edit_indices',
      'direct_retry_safe',
      'match_count',
      'occurrence_selector_supported',
      'recovery_action',
      'reread_required',
      'schema_version',
    ]);
  });
});
