import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { matchWindows, staleMatches } from '../../../src/daemon/files/match-windows.js';
import type { ReadItem } from '../../../src/protocol/runner/files.js';
import type { FoundItem } from '../../../src/protocol/runner/search.js';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { filesHouse, type FilesHouse, type Output } from './files-house.js';

let project: TemporaryProject;
let house: FilesHouse;
beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project);
});
afterEach(() => project.remove());

const items = (output: Output, part: 'search' | 'reads'): Record<string, unknown>[] =>
  (output[part] as { items: Record<string, unknown>[] }).items;

const numbered = (count: number, marked: readonly number[]): string =>
  Array.from({ length: count }, (_, index) => `${marked.includes(index + 1) ? 'needle ' : ''}${index + 1}\n`).join('');

describe('search_file_context', () => {
  it('reads the lines around the matches, from the snapshots that it names', async () => {
    await project.write('a.txt', numbered(100, [10, 12, 90]));
    await project.write('b.txt', numbered(3, [1]));
    const output = await house.succeed('search_file_context', { query: { pattern: 'needle' }, read_before: 2, read_after: 2 });
    expect(items(output, 'search')[0]).toMatchObject({ total_count: 4, returned_count: 4 });
    const reads = items(output, 'reads');
    expect(reads.map(({ path, start_line: start, line_count: lines }) => [path, start, lines])).toEqual([
      ['a.txt', 8, 7],
      ['a.txt', 88, 5],
      ['b.txt', 1, 3],
    ]);
    expect(output).toMatchObject({ matches_not_read: 0, truncated: false });
    const again = await house.succeed('read_files', { items: [{ path: 'a.txt', limit: 1 }] });
    expect(reads[0]?.['read_revision']).toBe((again['items'] as { read_revision: number }[])[0]?.read_revision);
  });

  it('[04-A30] lets a bad query fail by itself', async () => {
    await project.write('a.txt', 'needle\n');
    const output = await house.succeed('search_file_context', { queries: [{ pattern: '(' }, { pattern: 'needle' }] });
    expect(items(output, 'search')).toMatchObject([{ success: false, error_kind: 'invalid_pattern' }, { success: true, total_count: 1 }]);
    expect(items(output, 'reads')).toHaveLength(1);
  });

  it('keeps its bound, and says how to go on', async () => {
    await project.write('a.txt', `${'x'.repeat(400)} needle\n`.repeat(200));
    const output = await house.succeed('search_file_context', { query: { pattern: 'needle' }, max_result_bytes: 8192 });
    expect(Buffer.byteLength(JSON.stringify({ success: true, output }))).toBeLessThanOrEqual(8192);
    expect(output['truncated']).toBe(true);
    await house.follow(output['reads'] as Output);
    await house.follow(output['search'] as Output);
  });

  it('finds nothing and reads nothing, and takes one form of query', async () => {
    await project.write('a.txt', 'x\n');
    const output = await house.succeed('search_file_context', { query: { pattern: 'needle' } });
    expect([items(output, 'reads'), items(output, 'search')[0]?.['total_count']]).toEqual([[], 0]);
    const { input } = house.tool('search_file_context').definition;
    expect(input.safeParse({ project: 'p' }).success).toBe(false);
    expect(input.safeParse({ project: 'p', query: { pattern: 'a' }, queries: [{ pattern: 'a' }] }).success).toBe(false);
  });
});

describe('the windows around matches', () => {
  const found = (...lines: number[]): FoundItem =>
    ({ success: true, matches: lines.map((line) => ({ path: 'a', line, column: 1, text: `line ${line}` })) }) as FoundItem;

  it('are bounded, and what is beyond is counted', () => {
    expect(matchWindows([found(10, 30, 50)], { before: 1, after: 1, most: 2 })).toMatchObject({
      windows: [{ start: 9, end: 11 }, { start: 29, end: 31 }],
      left: 1,
    });
  });

  it('notice a file that changed in between', () => {
    const [window] = matchWindows([found(2)], { before: 1, after: 0, most: 8 }).windows;
    if (window === undefined) throw new Error('one match has one window');
    const read = (text: string): ReadItem => ({ start_line: 1, text }) as ReadItem;
    expect(staleMatches(window, read('one\nline 2\n'))).toBe(0);
    expect(staleMatches(window, read('one\nline two\n'))).toBe(1);
  });
});
