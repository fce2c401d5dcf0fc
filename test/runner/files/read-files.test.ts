import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  MAX_RANGE_BYTES,
  listFilesMethod,
  readFilesMethod,
  type FailedItem,
  type ReadItem,
} from '../../../src/protocol/runner/files.js';
import { createFilesServices } from '../../../src/runner/files/index.js';
import { Turns } from '../../../src/runner/turns.js';
import { testJournal } from './test-journal.js';
import { asOtherUser } from '../as-other-user.js';
import { ask, temporaryProject, type TemporaryProject } from '../temporary-project.js';

let project: TemporaryProject;
const services = createFilesServices({ places: 2, turns: new Turns(), ...testJournal() });

beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

type Item = { path: string; start_line?: number; limit?: number; expected_read_revision?: number };

async function read(items: Item[], overrides: Record<string, unknown> = {}): Promise<(ReadItem | FailedItem)[]> {
  const answer = await ask(services, readFilesMethod, {
    root: project.root,
    project: 'agent:local:p',
    items: items.map((item) => ({ start_line: 1, limit: 2000, ...item })),
    max_text_bytes: 512 * 1024,
    ...overrides,
  });
  if ('refused' in answer) throw new Error(JSON.stringify(answer));
  return answer.items;
}

async function readOne(item: Item): Promise<ReadItem> {
  const [first] = await read([item]);
  if (first?.success !== true) throw new Error(JSON.stringify(first));
  return first;
}

async function failureOf(item: Item): Promise<string> {
  const [first] = await read([item]);
  if (first?.success !== false) throw new Error('the item did not fail');
  return first.error_kind;
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe('files/read', () => {
  it('reads a whole file with its facts', async () => {
    await project.write('a.txt', 'one\ntwo\nthree\n');
    const { read_revision: revision, ...item } = await readOne({ path: './a.txt' });
    expect(revision).toBeGreaterThan(0);
    expect(item).toEqual({
      index: 0,
      success: true,
      path: 'a.txt',
      text: 'one\ntwo\nthree\n',
      start_line: 1,
      line_count: 3,
      total_lines: 3,
      size_bytes: 14,
      sha256: sha256('one\ntwo\nthree\n'),
    });
  });

  it.each([
    ['', 1, 10, '', 0, 0],
    ['\n', 1, 10, '\n', 1, 1],
    ['a', 1, 10, 'a', 1, 1],
    ['a\nb', 2, 1, 'b', 1, 2],
    ['a\nb\n', 2, 5, 'b\n', 1, 2],
    ['a\nb\n', 3, 5, '', 0, 2],
    ['a\r\nb\r\nc', 1, 2, 'a\r\nb\r\n', 2, 3],
    ['a\rb\n', 1, 1, 'a\rb\n', 1, 1],
    ['\ufeffa\n', 1, 1, '\ufeffa\n', 1, 1],
    ['a\n\n\nb', 2, 2, '\n\n', 2, 4],
  ])('counts lines of %j from %i for %i', async (content, start, limit, text, lines, total) => {
    await project.write('f', content);
    const item = await readOne({ path: 'f', start_line: start, limit });
    expect([item.text, item.line_count, item.total_lines]).toEqual([text, lines, total]);
  });

  it('reads characters, lines and the digest right across its chunks', async () => {
    const line = `${'é€𝄞x'.repeat(50)}\n`;
    const content = line.repeat(4000);
    await project.write('big.txt', content);
    const item = await readOne({ path: 'big.txt', start_line: 3990, limit: 5 });
    expect([item.text, item.total_lines, item.sha256]).toEqual([line.repeat(5), 4000, sha256(content)]);
  });

  it.each([
    ['latin1', Buffer.from([0x61, 0xe9, 0x0a])],
    ['utf-16', Buffer.from('\ufeffab', 'utf16le')],
    ['cut inside a character', Buffer.from([0x61, 0xe2, 0x82])],
    ['far behind the range', Buffer.concat([Buffer.from('a\n'.repeat(300_000)), Buffer.from([0xff])])],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
  ])('fails an item whole that is no UTF-8: %s', async (_, bytes) => {
    await project.write('f', bytes);
    expect(await failureOf({ path: 'f', limit: 1 })).toBe('not_utf8');
  });

  it('cuts a range at a whole line, and fails only a line that alone is too long', async () => {
    const line = `${'x'.repeat(999)}\n`;
    await project.write('long.txt', line.repeat(500));
    const item = await readOne({ path: 'long.txt' });
    expect([item.line_count, item.text.length]).toEqual([196, 196_000]);
    expect(MAX_RANGE_BYTES).toBe(196_608);

    await project.write('one-line.js', 'y'.repeat(MAX_RANGE_BYTES + 1));
    expect(await failureOf({ path: 'one-line.js' })).toBe('range_too_large');
    await project.write('fits.js', 'y'.repeat(MAX_RANGE_BYTES));
    expect((await readOne({ path: 'fits.js' })).text.length).toBe(MAX_RANGE_BYTES);
  });

  it('gives a first line even past max_text_bytes', async () => {
    await project.write('a.txt', `${'x'.repeat(5000)}\nsecond\n`);
    const [item] = await read([{ path: 'a.txt' }], { max_text_bytes: 100 });
    expect(item).toMatchObject({ success: true, line_count: 1 });
  });

  it('names a snapshot by its revision: stable, and gone with the content', async () => {
    await project.write('a.txt', 'one\n');
    await project.write('b.txt', 'one\n');
    const { read_revision: revision } = await readOne({ path: 'a.txt' });
    expect(Number.isSafeInteger(revision) && revision > 0).toBe(true);
    expect((await readOne({ path: 'a.txt', expected_read_revision: revision })).text).toBe('one\n');
    expect(await failureOf({ path: 'b.txt', expected_read_revision: revision })).toBe('stale_read_revision');
    const [foreign] = await read([{ path: 'a.txt', expected_read_revision: revision }], { project: 'agent:local:q' });
    expect(foreign).toMatchObject({ success: false, error_kind: 'stale_read_revision' });
    await project.write('a.txt', 'two\n');
    expect(await failureOf({ path: 'a.txt', expected_read_revision: revision })).toBe('stale_read_revision');
  });

  it('fails items one by one and keeps their order', async () => {
    await project.write('a.txt', 'a');
    await project.write('dir/b.txt', 'b');
    await writeFile(join(project.base, 'out.txt'), 'out');
    await symlink('../out.txt', project.path('escape'));
    const items = await read([
      { path: 'missing' },
      { path: 'a.txt' },
      { path: '/etc/hostname' },
      { path: 'dir' },
      { path: 'escape' },
      { path: '.env.local' },
      { path: 'dir/b.txt' },
      { path: 'a.txt/b' },
    ]);
    expect(items.map((item) => (item.success ? item.text : item.error_kind))).toEqual([
      'not_found',
      'a',
      'invalid_path',
      'not_file',
      'invalid_path',
      // Not there, and yet no other answer than for one that is: nobody learns which secrets exist.
      'sensitive_path',
      'b',
      'not_directory',
    ]);
  });

  it('[04-A31] never reads a secret, by any name', async () => {
    await project.write('certs/a.PEM', 'SECRET');
    await project.write('.env', 'SECRET');
    await symlink('.env', project.path('plain.txt'));
    await project.write('node_modules/p/index.js', 'bulk may be read');
    const items = await read([
      { path: 'certs/a.PEM' },
      { path: '.env' },
      { path: 'plain.txt' },
      { path: 'node_modules/p/index.js' },
    ]);
    expect(items.map((item) => (item.success ? 'read' : item.error_kind))).toEqual([
      'sensitive_path',
      'sensitive_path',
      'sensitive_path',
      'read',
    ]);
    expect(JSON.stringify(items)).not.toContain('SECRET');
  });

  it('[00-D32] answers for FIFOs at once, and then still reads', async () => {
    execFileSync('mkfifo', [project.path('fifo')]);
    await project.write('a.txt', 'a');
    const items = await read([...Array.from({ length: 7 }, () => ({ path: 'fifo' })), { path: 'a.txt' }]);
    expect(items.map((item) => (item.success ? item.text : item.error_kind))).toEqual([
      ...Array.from({ length: 7 }, () => 'not_file'),
      'a',
    ]);
  });

  it('names a missing right in its item', async () => {
    await project.write('closed.txt', 'x');
    await project.write('open.txt', 'y');
    execFileSync('chmod', ['755', project.base]);
    execFileSync('chmod', ['000', project.path('closed.txt')]);
    await asOtherUser(async () => {
      const items = await read([{ path: 'closed.txt' }, { path: 'open.txt' }]);
      expect(items.map((item) => (item.success ? item.text : item.error_kind))).toEqual(['permission_denied', 'y']);
    });
  });

  it('reads a large file only as far as memory needs', async () => {
    await project.write('huge.txt', 'first\n');
    await truncate(project.path('huge.txt'), 100 * 1024 * 1024);
    const item = await readOne({ path: 'huge.txt', limit: 1 });
    expect([item.text, item.total_lines, item.size_bytes]).toEqual(['first\n', 2, 100 * 1024 * 1024]);
  });

  it('is cancelled as a whole', async () => {
    await project.write('a.txt', 'a');
    const answer = await ask(
      services,
      readFilesMethod,
      { root: project.root, project: 'p', items: [{ path: 'a.txt', start_line: 1, limit: 1 }], max_text_bytes: 10 },
      AbortSignal.abort(),
    );
    expect(answer).toMatchObject({ refused: { error_kind: 'cancelled' } });
  });

  it('refuses a root that was replaced', async () => {
    await rm(project.folder, { recursive: true });
    await mkdir(project.folder);
    const answer = await ask(services, readFilesMethod, {
      root: { ...project.root, fingerprint: 'f'.repeat(64) },
      project: 'p',
      items: [{ path: 'a.txt', start_line: 1, limit: 1 }],
      max_text_bytes: 10,
    });
    expect(answer).toMatchObject({ refused: { error_kind: 'project_root_changed' } });
  });
});

describe('files/list', () => {
  const list = (path: string, overrides: Record<string, unknown> = {}) =>
    ask(services, listFilesMethod, { root: project.root, path, offset: 0, limit: 200, ...overrides });

  it('lists one folder with types and sizes, bulk left out and secrets marked', async () => {
    await project.write('b.txt', '12345');
    await project.write('a/inner.txt', 'x');
    await project.write('node_modules/p/x.js', 'x');
    await project.write('.git/HEAD', 'x');
    await project.write('.env', 'SECRET=1');
    await symlink('b.txt', project.path('link'));
    execFileSync('mkfifo', [project.path('pipe')]);
    expect(await list('')).toEqual({
      path: '',
      entries: [
        { path: '.env', type: 'file', size_bytes: 8, protected: true },
        { path: 'a', type: 'directory' },
        { path: 'b.txt', type: 'file', size_bytes: 5 },
        { path: 'link', type: 'link' },
        { path: 'pipe', type: 'other' },
      ],
      total_count: 5,
      left_out: ['.git', 'node_modules'],
    });
    expect(await list('./a/')).toMatchObject({ entries: [{ path: 'a/inner.txt' }] });
  });

  it('pages in a stable order', async () => {
    for (const name of ['c', 'a', 'B', 'é', 'd']) await project.write(name, '');
    expect(await list('', { offset: 1, limit: 2 })).toMatchObject({
      entries: [{ path: 'a' }, { path: 'c' }],
      total_count: 5,
    });
    expect(await list('', { offset: 9 })).toMatchObject({ entries: [], total_count: 5 });
  });

  it('shows names that are no UTF-8 or hold a newline', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${project.folder}/x`), Buffer.of(0xfe)]), '');
    await project.write('new\nline', '');
    expect(await list('')).toMatchObject({
      entries: [{ path: 'new\nline' }, { path: 'x\ufffd', path_is_lossy: true }],
    });
  });

  it('refuses files, secrets, bulk folders, and what leads outside', async () => {
    await project.write('f', '');
    await mkdir(project.path('secrets'));
    await mkdir(project.path('target'));
    await symlink('/', project.path('up'));
    const kinds = await Promise.all(['f', 'secrets', 'target', 'up', 'nope'].map((path) => list(path)));
    expect(kinds.map((answer) => ('refused' in answer ? answer.refused.error_kind : 'listed'))).toEqual([
      'not_directory',
      'sensitive_path',
      'sensitive_path',
      'invalid_path',
      'not_found',
    ]);
  });
});
