import type { BigIntStats } from 'node:fs';
import { lstat, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BatchRecord, BatchStep, StagedMarks } from './batch-record.js';
import { isMarked, type FileMark } from './file-mark.js';
import { moveToFreeName } from './move-file.js';

/** Thrown where something that is not of the batch stands in the way; it is left alone. */
class Obstructed extends Error {}

/**
 * Takes a batch back, however far it got: each step looks at what is there and undoes
 * what it finds done, so that it may be begun again after it was cut short itself.
 *
 * @param staged null when not all new content was staged
 * @param folders those of the record's folders that are the batch's to remove
 * @returns how many things could not be taken back
 */
export async function undoBatch(record: BatchRecord, staged: StagedMarks | null, folders: readonly string[]): Promise<number> {
  let left = 0;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch {
      left += 1;
    }
  };
  for (const [index, step] of [...record.steps.entries()].reverse()) {
    if (step !== null) await attempt(() => undoStep(step, staged?.[index] ?? null));
  }
  for (const folder of [...folders].reverse()) await attempt(() => removeFolder(folder));
  return left;
}

/** Removes what a batch that stands has left beside its files. */
export async function tidyBatch(record: BatchRecord): Promise<void> {
  for (const step of record.steps) {
    if (step === null) continue;
    // What is left over is named so that everybody sees whose it is, and the batch stands.
    if ('aside' in step) await removeOwn(step.aside).catch(() => undefined);
    if ('staged' in step) await removeOwn(step.staged).catch(() => undefined);
  }
}

async function undoStep(step: BatchStep, staged: FileMark | null): Promise<void> {
  switch (step.kind) {
    case 'edit':
      await putBack(step.aside, step.path, staged);
      return removeOwn(step.staged);
    case 'create':
      await removePlaced(step.path, step.staged, staged);
      return removeOwn(step.staged);
    case 'delete':
      return putBack(step.aside, step.path, null);
    case 'move':
      await putBack(step.aside, step.path, null);
      await removePlaced(step.to, step.staged, staged);
      return removeOwn(step.staged);
    case 'rename': {
      const moved = await statusOf(step.to);
      if (moved === null || !isMarked(step.old, moved)) return requireThere(step.path);
      if (step.same_file) return rename(step.to, step.path);
      return putBack(step.to, step.path, null);
    }
  }
}

/**
 * Gives a file its name back.
 *
 * @param replaceable the file of ours that may stand there meanwhile
 */
async function putBack(aside: string, path: string, replaceable: FileMark | null): Promise<void> {
  const old = await statusOf(aside);
  if (old === null) return;
  const there = await statusOf(path);
  if (there === null) return moveToFreeName(aside, path);
  if (there.ino === old.ino && there.dev === old.dev) return unlink(aside);
  if (replaceable === null || !isMarked(replaceable, there)) throw new Obstructed();
  await rename(aside, path);
}

/**
 * Removes a new file from its place; whatever stands there while the staged one still
 * has its own name alone is somebody else's.
 */
async function removePlaced(path: string, stagedPath: string, mark: FileMark | null): Promise<void> {
  const there = mark === null ? null : await statusOf(path);
  if (mark === null || there === null) return;
  if (isMarked(mark, there)) return unlink(path);
  if ((await statusOf(stagedPath)) === null) throw new Obstructed();
}

/** A name that only we use. */
async function removeOwn(path: string): Promise<void> {
  if ((await statusOf(path)) !== null) await unlink(path);
}

async function requireThere(path: string): Promise<void> {
  if ((await statusOf(path)) === null) throw new Obstructed();
}

async function removeFolder(path: string): Promise<void> {
  const there = await statusOf(path);
  if (there?.isDirectory() === true) await rmdir(path);
}

/**
 * The status of what stands at a path; null when there is nothing, or no folder for it.
 *
 * @throws Obstructed when the way to it leads through a link by now
 */
async function statusOf(path: string): Promise<BigIntStats | null> {
  try {
    const folder = dirname(path);
    if ((await realpath(folder)) !== folder) throw new Obstructed();
    return await lstat(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
