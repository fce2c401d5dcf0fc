import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRootFingerprint } from '../../../src/protocol/project-root-fingerprint.js';
import type { ProjectRoot } from '../../../src/protocol/runner/project-root.js';
import {
  openRegularFile,
  pathProtection,
  resolveInsideRoot,
  resolveNewInside,
  verifyRoot,
} from '../../../src/runner/confinement/index.js';
import { isRefusal } from '../../../src/runner/request.js';

let base: string;
let root: ProjectRoot;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'wc-confinement-')));
  await mkdir(join(base, 'project/src'), { recursive: true });
  await writeFile(join(base, 'outside.txt'), 'outside');
  await writeFile(join(base, 'project/src/a.txt'), 'inside');
  root = await rootAt(join(base, 'project'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function rootAt(path: string): Promise<ProjectRoot> {
  const { dev, ino } = await stat(path, { bigint: true });
  return { path, fingerprint: projectRootFingerprint({ realpath: await realpath(path), dev, ino }) };
}

async function refusalOf(path: string): Promise<[string, unknown]> {
  const place = await resolveInsideRoot(root, path);
  if (!isRefusal(place)) throw new Error(`${path} was let through`);
  return [place.refused.error_kind, place.refused.detail['reason_code']];
}

describe('resolveInsideRoot', () => {
  it('normalizes a path and resolves the root itself', async () => {
    expect(await resolveInsideRoot(root, './src//a.txt')).toEqual({
      path: join(base, 'project/src/a.txt'),
      relative: 'src/a.txt',
      realRelative: 'src/a.txt',
    });
    expect(await resolveInsideRoot(root, '.')).toMatchObject({ path: join(base, 'project'), relative: '' });
  });

  it.each([
    ['/etc/passwd', 'path_absolute'],
    ['../outside.txt', 'path_has_parent'],
    ['src/../../outside.txt', 'path_has_parent'],
    ['src/..', 'path_has_parent'],
    ['a\0b', 'path_has_nul'],
    ['\ud800', 'path_not_unicode'],
    ['a/'.repeat(3000), 'path_too_long'],
  ])('refuses %j by its text', async (path, reason) => {
    expect(await refusalOf(path)).toEqual(['invalid_path', reason]);
  });

  it('[00-D64] follows links that end inside and refuses those that end outside', async () => {
    await symlink('src/a.txt', join(base, 'project/inside'));
    await symlink('../outside.txt', join(base, 'project/escape'));
    await symlink(base, join(base, 'project/up'));
    expect(await resolveInsideRoot(root, 'inside')).toMatchObject({ relative: 'inside', realRelative: 'src/a.txt' });
    expect(await refusalOf('escape')).toEqual(['invalid_path', 'symlink_escape']);
    expect(await refusalOf('up/outside.txt')).toEqual(['invalid_path', 'symlink_escape']);
  });

  it('does not take a sibling that shares the prefix of the root for its inside', async () => {
    await mkdir(join(base, 'project-2'));
    await symlink('../project-2', join(base, 'project/sibling'));
    expect(await refusalOf('sibling')).toEqual(['invalid_path', 'symlink_escape']);
  });

  it('names what is missing, what is no folder, and a loop', async () => {
    await symlink('loop', join(base, 'project/loop'));
    expect((await refusalOf('nope'))[0]).toBe('not_found');
    expect((await refusalOf('src/a.txt/b'))[0]).toBe('not_directory');
    expect((await refusalOf('loop'))[0]).toBe('invalid_path');
  });

  it('refuses a root that was replaced by another folder, or is gone', async () => {
    await rename(join(base, 'project'), join(base, 'moved'));
    expect(await refusalOf('src/a.txt')).toEqual(['project_root_changed', 'root_missing']);
    await mkdir(join(base, 'project/src'), { recursive: true });
    expect(await refusalOf('src/a.txt')).toEqual(['project_root_changed', 'root_replaced']);
    await rm(join(base, 'project'), { recursive: true });
    await symlink('moved', join(base, 'project'));
    expect(await refusalOf('src/a.txt')).toEqual(['project_root_changed', 'root_replaced']);
  });
});

describe('resolveNewInside', () => {
  const newPlace = async (path: string) => {
    const verified = await verifyRoot(root);
    if (isRefusal(verified)) throw new Error('the root was refused');
    return resolveNewInside(verified, path);
  };

  it('names the folders that are missing on the way', async () => {
    expect(await newPlace('src/x/y/new.txt')).toMatchObject({
      path: join(base, 'project/src/x/y/new.txt'),
      missingParents: [join(base, 'project/src/x'), join(base, 'project/src/x/y')],
    });
    expect(await newPlace('top.txt')).toMatchObject({ missingParents: [] });
  });

  it('refuses what exists, dangling links included, and what leads outside', async () => {
    await symlink('nowhere', join(base, 'project/dangling'));
    await symlink(base, join(base, 'project/up'));
    expect(await newPlace('src/a.txt')).toMatchObject({ refused: { error_kind: 'already_exists' } });
    expect(await newPlace('dangling')).toMatchObject({ refused: { error_kind: 'already_exists' } });
    expect(await newPlace('dangling/x')).toMatchObject({ refused: { error_kind: 'not_found' } });
    expect(await newPlace('up/new.txt')).toMatchObject({ refused: { error_kind: 'invalid_path' } });
    expect(await newPlace('src/a.txt/new')).toMatchObject({ refused: { error_kind: 'not_directory' } });
  });
});

describe('openRegularFile', () => {
  const openAt = async (path: string) => {
    const place = await resolveInsideRoot(root, path);
    if (isRefusal(place)) throw new Error('the place was refused');
    return openRegularFile(place);
  };

  it('[00-D32] answers not_file for a FIFO, a socket, a device and a folder, at once', async () => {
    execFileSync('mkfifo', [join(base, 'project/fifo')]);
    const server = await listen(join(base, 'project/socket'));
    try {
      for (const path of ['fifo', 'socket', 'src']) {
        expect(await openAt(path), path).toMatchObject({ refused: { error_kind: 'not_file' } });
      }
    } finally {
      server.close();
    }
  });

  it('refuses a file that was replaced by a link after it was resolved', async () => {
    const place = await resolveInsideRoot(root, 'src/a.txt');
    if (isRefusal(place)) throw new Error('the place was refused');
    await rm(place.path);
    await symlink(join(base, 'outside.txt'), place.path);
    expect(await openRegularFile(place)).toMatchObject({ refused: { error_kind: 'not_file' } });
  });

  it('refuses a file whose folder was replaced by a link after it was resolved', async () => {
    await writeFile(join(base, 'a.txt'), 'outside');
    const place = await resolveInsideRoot(root, 'src/a.txt');
    if (isRefusal(place)) throw new Error('the place was refused');
    await rm(join(base, 'project/src'), { recursive: true });
    await symlink(base, join(base, 'project/src'));
    expect(await openRegularFile(place)).toMatchObject({
      refused: { error_kind: 'invalid_path', detail: { reason_code: 'symlink_swapped' } },
    });
  });
});

describe('pathProtection', () => {
  it.each([
    ['.env', 'secret'],
    ['.ENV.local', 'secret'],
    ['certs/a.PEM', 'secret'],
    ['deep/Secrets/x.txt', 'secret'],
    ['.\u017fecrets', null],
    ['\u017fecrets/x', 'secret'],
    ['prod.env', 'secret'],
    ['id.key', 'secret'],
    ['wc.toml', 'secret'],
    ['app.toml.bak', 'secret'],
    ['projects.d/x', 'secret'],
    ['node_modules/pkg/.env', 'secret'],
    ['Node_Modules/pkg/index.js', 'bulk'],
    ['.git/config', 'bulk'],
    ['target', 'bulk'],
    ['src/environment.ts', null],
    ['keys.ts', null],
    ['targets/a', null],
    ['', null],
  ])('%j is %s', (path, expected) => {
    expect(pathProtection(path)).toBe(expected);
  });
});

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(path, () => resolve(server));
  });
}
