import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import { cliPlace, gitRepository, type CliPlace } from './cli.js';

let place: CliPlace;
let cwd: string;

beforeAll(() => {
  place = cliPlace();
  cwd = gitRepository(place);
  place.wc(['work-on-project', 'edit'], { cwd });
});
afterAll(() => place.close());

const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');

const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch\n';

describe('edits from a terminal', () => {
  it('shows what an edit did as a diff, plain when piped', () => {
    write('a.txt', 'one\ntwo\n');
    const dry = place.wc(['files', 'edit', 'a.txt', '--replace', 'two', '--with', '2', '--dry-run'], { cwd });
    expect(dry).toEqual({ code: 0, out: 'would be edited a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n', err: '' });
    expect(read('a.txt')).toBe('one\ntwo\n');
    const done = place.wc(['files', 'edit', 'a.txt', '--replace', 'two', '--with', '2'], { cwd });
    expect(done).toEqual({ code: 0, out: 'edited a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n', err: '' });
    expect(read('a.txt')).toBe('one\n2\n');
  });

  it('takes a patch out of a file or a pipe', () => {
    write('a.txt', 'one\ntwo\n');
    write('fix.patch', PATCH);
    expect(place.wc(['apply-patch', 'fix.patch', '--dry-run'], { cwd })).toMatchObject({ code: 0, out: 'would be edited a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n' });
    expect(read('a.txt')).toBe('one\ntwo\n');
    expect(place.wc(['apply-patch', '-'], { cwd, input: PATCH })).toMatchObject({ code: 0, err: '' });
    expect(read('a.txt')).toBe('one\n2\n');
    const again = place.wc(['apply-patch', 'fix.patch', '--json'], { cwd });
    expect(again.code).toBe(1);
    expect((JSON.parse(again.out) as ToolResult).output).toMatchObject({ error_kind: 'match_not_found', state_changed: false });
    expect(place.wc(['apply-patch', 'missing.patch'], { cwd }).code).toBe(2);
    expect(place.wc(['apply-patch', 'fix.patch', '--patch', PATCH], { cwd }).code).toBe(2);
    expect(place.wc(['apply-patch'], { cwd }).code).toBe(2);
  });
});
