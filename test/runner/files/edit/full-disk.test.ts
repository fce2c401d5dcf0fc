import { spawnSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryProject, type TemporaryProject } from '../../temporary-project.js';

let place: TemporaryProject;

beforeAll(async () => {
  place = await temporaryProject();
  await build({
    entryPoints: [new URL('write-on-full-disk.ts', import.meta.url).pathname],
    outfile: join(place.base, 'write.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
});
afterAll(() => place.remove());

describe('a disk that is full at the third of three files', () => {
  it('leaves all three as they were, byte by byte and inode by inode', async () => {
    const mounted = join(place.base, 'mounted');
    await mkdir(mounted);
    // A file system of 128 KiB for this process alone.
    const script = 'mount -t tmpfs -o size=128k tmpfs "$1" && exec "$2" "$3" "$1" "$4"';
    const result = join(place.base, 'result.json');
    const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', mounted, process.execPath, join(place.base, 'write.mjs'), result];
    const run = spawnSync('unshare', args, { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    const { outcome, before, after } = JSON.parse(await readFile(result, 'utf8')) as Record<string, unknown>;
    expect(outcome).toMatchObject({ written: false, changeIndex: 2, cause: { code: 'ENOSPC' }, rollbackComplete: true });
    expect(after).toEqual(before);
  }, 30_000);
});
