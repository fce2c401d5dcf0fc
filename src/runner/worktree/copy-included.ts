import { constants } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { WorktreeInclude } from '../../protocol/runner/worktree.js';
import { openRegularFile, resolveInside } from '../confinement/index.js';
import { isRefusal } from '../request.js';
import { ignoredFiles } from './ignored-files.js';
import type { SourceTree } from './source-tree.js';

const INCLUDE_FILE = '.worktreeinclude';
const MAX_INCLUDE_BYTES = 256 * 1024;
/** What is copied at most; the rest is skipped and counted. */
const MAX_FILES = 2_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** How many names an answer lists. */
const MAX_NAMED = 100;

/**
 * Copies the ignored files that the source's `.worktreeinclude` names (spec 00, decision
 * 37). Nothing that is there is replaced, no link is followed on the way into the
 * worktree, and a copy that breaks off is taken away, so that it can be made again.
 */
export async function copyIncluded(source: SourceTree, worktree: string): Promise<WorktreeInclude> {
  const patterns = join(source.topLevel, INCLUDE_FILE);
  const status = await includeFile(patterns);
  const ignored = await ignoredFiles({ ...source.call, folder: source.topLevel }, status === 'applied' ? patterns : null);
  if (ignored === null) return { ...NOTHING, status: status === 'absent' ? 'absent' : 'unreadable' };
  const copied: string[] = [];
  const skipped: string[] = [];
  let room = MAX_BYTES;
  for (const path of ignored.included) {
    const bytes = copied.length < MAX_FILES && !source.call.signal.aborted ? await copyOne(source, worktree, path, room) : null;
    if (bytes === null) skipped.push(path);
    else {
      copied.push(path);
      room -= bytes;
    }
  }
  return {
    status,
    copied: copied.slice(0, MAX_NAMED),
    copied_count: copied.length,
    skipped: skipped.slice(0, MAX_NAMED),
    skipped_count: skipped.length,
    ignored_not_copied: ignored.notAmong(new Set(copied)),
  };
}

const NOTHING = { copied: [], copied_count: 0, skipped: [], skipped_count: 0, ignored_not_copied: null };

async function includeFile(path: string): Promise<WorktreeInclude['status']> {
  try {
    const status = await lstat(path);
    return status.isFile() && status.size <= MAX_INCLUDE_BYTES ? 'applied' : 'unreadable';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unreadable';
  }
}

/** The copied bytes; null when the file was left. One that an earlier attempt copied whole counts as copied. */
async function copyOne(source: SourceTree, worktree: string, path: string, room: number): Promise<number | null> {
  const place = await resolveInside({ path: source.topLevel }, path);
  // A link stays where it is: what it leads to is either copied by its own name or lies elsewhere.
  if (isRefusal(place) || place.realRelative !== path) return null;
  const opened = await openRegularFile(place);
  if (isRefusal(opened)) return null;
  const target = join(worktree, path);
  try {
    const size = Number(opened.status.size);
    if (size > room || !(await makeFolders(worktree, dirname(path)))) return null;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const copy = await open(target, flags, Number(opened.status.mode) & 0o777);
    try {
      await pipeline(opened.handle.createReadStream({ autoClose: false }), copy.createWriteStream());
    } catch (error) {
      await rm(target, { force: true });
      throw error;
    }
    return size;
  } catch (error) {
    const wasThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    return wasThere && (await isSameSize(target, opened.status.size)) ? 0 : null;
  } finally {
    await opened.handle.close();
  }
}

/** Makes the folders of a path one by one; false when one of them is there and is no folder. */
async function makeFolders(worktree: string, relative: string): Promise<boolean> {
  let folder = worktree;
  for (const part of relative === '.' ? [] : relative.split('/')) {
    folder = join(folder, part);
    try {
      await mkdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (!(await lstat(folder)).isDirectory()) return false;
    }
  }
  return true;
}

async function isSameSize(path: string, size: bigint): Promise<boolean> {
  const status = await lstat(path, { bigint: true }).catch(() => null);
  return status?.isFile() === true && status.size === size;
}
