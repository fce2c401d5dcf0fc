import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { filesHouse, type FilesHouse, type Output } from './files-house.js';

let project: TemporaryProject;
let house: FilesHouse;

beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project);
});
afterEach(() => project.remove());

interface Item {
  success: boolean;
  path: string;
  text: string;
  start_line: number;
  line_count: number;
  has_more: boolean;
  next_start_line: number | null;
  read_revision: number;
  error_kind: string;
  reason_code: string | null;
  matches: { path: string; line: number }[];
  files: string[];
  returned_count: number;
  total_count: number;
  next_offset: number | null;
  left_out: Record<string, unknown>;
}
const items = (output: Output): Item[] => output['items'] as Item[];
const bytes = (output: Output): number => Buffer.byteLength(JSON.stringify({ success: true, output }));

describe('read_files', () => {
  it('gives text, facts and the revision of a file', async () => {
    await project.write('a.txt', 'one\ntwo\nthree\n');
    const output = await house.succeed('read_files', { items: [{ path: 'a.txt', start_line: 2, limit: 1 }] });
    expect(items(output)[0]).toMatchObject({ success: true, text: 'two\n', start_line: 2, line_count: 1, total_lines: 3, has_more: true, next_start_line: 3 });
    expect(output).toMatchObject({ truncated: false, max_result_bytes: 65_536 });
    expect(output['suggested_call']).toBeUndefined();
  });

  it('numbers lines when asked', async () => {
    await project.write('a.txt', 'one\ntwo');
    const output = await house.succeed('read_files', { items: [{ path: 'a.txt' }], with_line_numbers: true });
    expect(items(output)[0]?.text).toBe('1\tone\n2\ttwo');
  });

  it('cuts its knobs and refuses what is no knob', async () => {
    await project.write('a.txt', 'x');
    const parse = (args: Record<string, unknown>) => house.tool('read_files').definition.input.safeParse({ project: 'p', items: [{ path: 'a' }], ...args });
    expect(parse({ max_result_bytes: 1 }).data).toMatchObject({ max_result_bytes: 8192 });
    expect(parse({ items: [{ path: 'a', limit: 99_999 }] }).data).toMatchObject({ items: [{ limit: 2000, start_line: 1 }] });
    expect(parse({ items: [] }).success).toBe(false);
    expect(parse({ items: Array.from({ length: 9 }, () => ({ path: 'a' })) }).success).toBe(false);
    expect(parse({ items: [{ path: 'a', start_line: 0 }] }).success).toBe(false);
    expect(parse({ items: [{ path: 'a', expected_read_revision: 0 }] }).success).toBe(false);
  });

  it('[04-A4] takes no unknown field', () => {
    const { input } = house.tool('read_files').definition;
    expect(input.safeParse({ project: 'p', items: [{ path: 'a' }], foo: 1 }).success).toBe(false);
    expect(input.safeParse({ project: 'p', items: [{ path: 'a', foo: 1 }] }).success).toBe(false);
  });

  it('keeps its budget on the final JSON, and is read to its end by the calls that it suggests', async () => {
    const texts: Record<string, string> = {};
    for (const name of ['a', 'b', 'c', 'd']) {
      texts[name] = Array.from({ length: 700 }, (_, line) => `${name} "quoted" \t é 😀 \\ line ${line}\n`).join('');
      await project.write(name, texts[name]);
    }
    const read: Record<string, string> = {};
    let output = await house.succeed('read_files', { items: Object.keys(texts).map((path) => ({ path })), max_result_bytes: 20_000 });
    for (let calls = 1; ; calls += 1) {
      expect(bytes(output)).toBeLessThanOrEqual(20_000);
      for (const item of items(output)) read[item.path] = (read[item.path] ?? '') + item.text;
      if (output['truncated'] !== true) break;
      expect(calls).toBeLessThan(40);
      output = await house.follow(output);
    }
    expect(read).toEqual(texts);
  });

  it('spends its budget well', async () => {
    await project.write('a', 'short line\n'.repeat(10_000));
    const output = await house.succeed('read_files', { items: [{ path: 'a' }], max_result_bytes: 20_000 });
    expect(bytes(output)).toBeGreaterThan(19_900);
  });

  it('suggests only what was asked for', async () => {
    await project.write('a', `${'x'.repeat(100)}\n`.repeat(1000));
    const output = await house.succeed('read_files', { items: [{ path: 'a', start_line: 11, limit: 200 }], max_result_bytes: 8192 });
    const [item] = items(output);
    expect(output['suggested_call']).toEqual({
      follow_up_kind: 'mechanically_followable',
      tool: 'read_files',
      arguments: {
        project: 'agent:local:demo',
        items: [{ path: 'a', start_line: item?.next_start_line, limit: 200 - (item?.line_count ?? 0), expected_read_revision: item?.read_revision }],
        max_result_bytes: 8192,
      },
    });
  });

  it('goes on behind 192 KiB of text of one item', async () => {
    await project.write('a', `${'x'.repeat(999)}\n`.repeat(300));
    const output = await house.succeed('read_files', { items: [{ path: 'a' }], max_result_bytes: 524_288 });
    expect(items(output)[0]).toMatchObject({ line_count: 196, has_more: true, next_start_line: 197 });
    expect(items(await house.follow(output))[0]).toMatchObject({ start_line: 197, line_count: 104, has_more: false });
  });

  it('fails a line that no budget of this size can take, and says which can', async () => {
    await project.write('a', `${'x'.repeat(30_000)}\n`);
    await project.write('b', 'short\n');
    const output = await house.succeed('read_files', { items: [{ path: 'a' }, { path: 'b' }], max_result_bytes: 8192 });
    expect(items(output)[0]).toMatchObject({ success: false, error_kind: 'range_too_large', reason_code: 'line_exceeds_max_result_bytes' });
    expect(output['truncated']).toBe(true);
    expect(items(await house.follow(output))).toMatchObject([{ path: 'b', text: 'short\n' }]);
  });

  it('refuses when the paths alone pass the budget', async () => {
    const path = `${'d/'.repeat(1900)}f`;
    const output = await house.fail('read_files', { items: Array.from({ length: 8 }, () => ({ path })), max_result_bytes: 8192 });
    expect(output['error_kind']).toBe('output_budget_exceeded');
  });

  it('tells the evidence what was really read, and records no body', async () => {
    await project.write('a.txt', 'x');
    const { facts } = await house.call('read_files', { items: [{ path: './a.txt' }, { path: 'nope' }] });
    expect(facts).toEqual({ observedPaths: ['a.txt'], contextResultSummary: { items: 2, items_read: 1 } });
  });
});

describe('list_project_files', () => {
  it('pages by next_offset', async () => {
    for (const name of ['a', 'b', 'c']) await project.write(name, name);
    const first = await house.succeed('list_project_files', { limit: 2 });
    expect(first).toMatchObject({ path: '', returned_count: 2, total_count: 3, next_offset: 2, left_out: [] });
    const second = await house.succeed('list_project_files', { limit: 2, offset: 2 });
    expect(second).toMatchObject({ entries: [{ path: 'c', type: 'file', size_bytes: 1 }], next_offset: null });
  });

  it('names no observed path: a list is no exploration', async () => {
    expect((await house.call('list_project_files', {})).facts?.observedPaths).toBeUndefined();
    expect(await house.fail('list_project_files', { path: 'nope' })).toMatchObject({ error_kind: 'not_found', recovery_kind: 'fix_input' });
  });
});

describe('search_project_texts', () => {
  it('[04-A30] [00-D54] answers a good query beside a bad one', async () => {
    await project.write('a.txt', 'needle\n');
    const { result, facts } = await house.call('search_project_texts', { queries: [{ pattern: '(' }, { pattern: 'needle' }] });
    expect(result).toMatchObject({
      success: true,
      output: {
        items: [
          { index: 0, success: false, error_kind: 'invalid_pattern' },
          { index: 1, success: true, result_mode: 'matches', returned_count: 1, total_count: 1, next_offset: null, left_out: {} },
        ],
      },
    });
    expect(facts?.observedPaths).toEqual(['a.txt']);
  });

  it('keeps its budget on the final JSON, and is read to its end by the calls that it suggests', async () => {
    for (let file = 0; file < 30; file += 1) {
      await project.write(`f${String(file).padStart(2, '0')}.txt`, Array.from({ length: 20 }, (_, line) => `needle "é" ${line}\n`).join(''));
    }
    const found: string[] = [];
    const files: string[] = [];
    let output = await house.succeed('search_project_texts', {
      queries: [
        { pattern: 'needle', limit: 1000, context_after: 1 },
        { pattern: 'needle', result_mode: 'files_with_matches', include_globs: ['f1*'] },
      ],
      max_result_bytes: 9000,
    });
    for (let calls = 1; ; calls += 1) {
      expect(bytes(output)).toBeLessThanOrEqual(9000);
      for (const item of items(output)) {
        found.push(...((item.matches as Item['matches'] | undefined) ?? []).map((match) => `${match.path}:${match.line}`));
        files.push(...((item.files as string[] | undefined) ?? []));
      }
      if (output['truncated'] !== true) break;
      expect(calls).toBeLessThan(40);
      output = await house.follow(output);
    }
    expect(found.length).toBe(600);
    expect(new Set(found).size).toBe(600);
    expect(files.length).toBe(10);
  });

  it('goes on at next_offset when the limit cut it, without a suggestion', async () => {
    await project.write('a.txt', 'needle\n'.repeat(5));
    const output = await house.succeed('search_project_texts', { queries: [{ pattern: 'needle', limit: 2 }] });
    expect([items(output)[0]?.next_offset, output['truncated']]).toEqual([2, false]);
    const next = await house.succeed('search_project_texts', { queries: [{ pattern: 'needle', limit: 2, offset: 4 }] });
    expect(items(next)[0]).toMatchObject({ returned_count: 1, next_offset: null });
  });

  it('fails a match whose context no budget of this size can take', async () => {
    await project.write('a.txt', `${`${'x'.repeat(400)}\n`.repeat(80)}needle\n`);
    const output = await house.succeed('search_project_texts', { queries: [{ pattern: 'needle', context_before: 80 }], max_result_bytes: 8192 });
    expect(items(output)[0]).toMatchObject({ success: false, error_kind: 'output_budget_exceeded' });
  });

  it('says what it left out, and nothing of what it did not', async () => {
    await project.write('.gitignore', 'ignored.txt\n');
    await project.write('ignored.txt', 'needle');
    await project.write('.env', 'needle');
    const output = await house.succeed('search_project_texts', { queries: [{ pattern: 'needle' }] });
    expect(items(output)[0]).toMatchObject({ total_count: 0, left_out: { ignored: 1, protected: 1 } });
    expect(Object.keys(items(output)[0]?.left_out ?? {})).toEqual(['ignored', 'protected']);
  });

  it('cuts its knobs, and refuses a time-out of 0 and too many globs', () => {
    const parse = (query: Record<string, unknown>) =>
      house.tool('search_project_texts').definition.input.safeParse({ project: 'p', queries: [{ pattern: 'a', ...query }] });
    expect(parse({ timeout_secs: 500, context_after: 500, limit: 0 }).data).toMatchObject({ queries: [{ timeout_secs: 120, context_after: 80, limit: 1 }] });
    expect(parse({ timeout_secs: 0 }).success).toBe(false);
    expect(parse({ pattern: '' }).success).toBe(false);
    expect(parse({ include_globs: Array.from({ length: 33 }, () => '*') }).success).toBe(false);
    expect(parse({ include_globs: ['x'.repeat(257)] }).success).toBe(false);
  });

  it('records neither patterns nor globs', () => {
    expect(house.tool('search_project_texts').definition.recorded_inputs).toEqual(['project', 'max_result_bytes']);
    expect(house.tool('edit_project_files').definition.recorded_inputs).toEqual(['project', 'dry_run']);
  });
});
