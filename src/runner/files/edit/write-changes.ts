import { lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { copyToFreeName, moveToFreeName, tryLink } from './move-file.js';
import { isNoChange, isSameState, type PlannedChange, type PlannedFile } from './planned-change.js';
import { siblingName, writeDurably } from './write-sibling.js';

/** How writing a batch ended. */
export type WriteOutcome =
  | { readonly written: true }
  | {
      readonly written: false;
      readonly changeIndex: number;
      /** `stale` when the file is no longer what was planned on. */
      readonly cause: 'stale' | NodeJS.ErrnoException;
      /** False when something of the batch is still there. */
      readonly rollbackComplete: boolean;
    };

/** Thrown where a file changed between planning and writing. */
class Stale extends Error {}

/**
 * Writes a batch of planned changes as one. New content is first written beside its
 * place and flushed, so that a full disk shows before anything is replaced; then each
 * change is one rename, with the way back kept until the last one is done.
 */
export async function writeChanges(changes: readonly PlannedChange[]): Promise<WriteOutcome> {
  const transaction = new Transaction();
  let at = 0;
  try {
    const staged: (string | null)[] = [];
    for (at = 0; at < changes.length; at += 1) staged.push(await stage(changes[at], transaction));
    for (at = 0; at < changes.length; at += 1) await commit(changes[at], staged[at] ?? null, transaction);
  } catch (error) {
    const rollbackComplete = await transaction.rollBack();
    const cause = error instanceof Stale ? 'stale' : (error as NodeJS.ErrnoException);
    return { written: false, changeIndex: at, cause, rollbackComplete };
  }
  await transaction.finish();
  return { written: true };
}

/** The ways back of what was done so far, and what is left to tidy when all is done. */
class Transaction {
  private readonly undos: (() => Promise<void>)[] = [];
  private readonly leftovers: string[] = [];
  private readonly folders = new Set<string>();

  onRollBack(undo: () => Promise<void>): void {
    this.undos.push(undo);
  }

  /** A file that is of no use once the batch is written. */
  leave(path: string): void {
    this.leftovers.push(path);
  }

  /** A folder whose entries the batch changes. */
  touch(path: string): void {
    this.folders.add(dirname(path));
  }

  /** Makes a folder unless it is there by now; only what was made is taken back. */
  async makeFolder(path: string): Promise<void> {
    try {
      await mkdir(path);
    } catch (error) {
      // Another change of the batch, or somebody else, made it meanwhile.
      if ((await lstat(path)).isDirectory()) return;
      throw error;
    }
    this.touch(path);
    this.onRollBack(() => rmdir(path));
  }

  /** @returns whether everything is as it was */
  async rollBack(): Promise<boolean> {
    let isComplete = true;
    for (const undo of this.undos.reverse()) {
      try {
        await undo();
      } catch {
        isComplete = false;
      }
    }
    await this.flushFolders();
    return isComplete;
  }

  async finish(): Promise<void> {
    for (const path of this.leftovers) await unlink(path).catch(ignore);
    await this.flushFolders();
  }

  private async flushFolders(): Promise<void> {
    for (const folder of this.folders) {
      try {
        const handle = await open(folder, 'r');
        await handle.sync().finally(() => handle.close());
      } catch {
        // Not every file system flushes folders; the files themselves are on the disk.
      }
    }
  }
}

/** Writes what a change brings beside its place; gives back where, or null when it brings nothing. */
async function stage(change: PlannedChange | undefined, transaction: Transaction): Promise<string | null> {
  if (change === undefined || change.kind === 'delete' || isNoChange(change)) return null;
  if (change.kind !== 'edit') {
    const place = change.kind === 'create' ? change.place : change.to;
    for (const folder of place.missingParents) await transaction.makeFolder(folder);
  }
  if (change.kind === 'rename') return null;
  const path = change.kind === 'edit' ? change.file.place.path : change.place.path;
  const sibling = siblingName(path);
  transaction.onRollBack(() => unlink(sibling).catch(unlessMissing));
  await writeDurably(sibling, change.newBytes, change.kind === 'edit' ? change.file.status : null);
  return sibling;
}

async function commit(change: PlannedChange | undefined, staged: string | null, transaction: Transaction): Promise<void> {
  if (change === undefined || isNoChange(change)) return;
  if (change.kind === 'create') {
    const target = change.place.path;
    await copyToFreeName(staged ?? '', target);
    transaction.onRollBack(() => unlink(target));
    transaction.leave(staged ?? '');
    transaction.touch(target);
    return;
  }
  const path = change.file.place.path;
  await requireSameState(change.file);
  transaction.touch(path);
  if (change.kind === 'edit') await replaceFile(path, staged ?? '', transaction);
  else if (change.kind === 'delete') await setAside(path, transaction);
  else await renameFile(path, change.to.path, change.isSameFile, transaction);
}

/** A file that was swapped or written since it was planned on is not touched. */
async function requireSameState(file: PlannedFile): Promise<void> {
  try {
    if (isSameState(file.status, await lstat(file.place.path, { bigint: true }))) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  throw new Stale();
}

/** Puts the staged file in the file's place; the old one keeps a second name as the way back. */
async function replaceFile(path: string, staged: string, transaction: Transaction): Promise<void> {
  const aside = siblingName(path);
  if (!(await tryLink(path, aside))) {
    // Without hard links the file steps aside itself; its name is free for a moment.
    await setAside(path, transaction);
    await rename(staged, path);
    transaction.onRollBack(() => unlink(path));
    return;
  }
  transaction.onRollBack(() => unlink(aside).catch(unlessMissing));
  await rename(staged, path);
  transaction.onRollBack(() => rename(aside, path));
  transaction.leave(aside);
}

async function setAside(path: string, transaction: Transaction): Promise<void> {
  const aside = siblingName(path);
  await rename(path, aside);
  transaction.onRollBack(() => moveToFreeName(aside, path));
  transaction.leave(aside);
}

async function renameFile(from: string, to: string, isSameFile: boolean, transaction: Transaction): Promise<void> {
  const move = isSameFile ? rename : moveToFreeName;
  await move(from, to);
  transaction.onRollBack(() => move(to, from));
  transaction.touch(to);
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function ignore(): void {
  // What is left over is named so that everybody sees whose it is, and the batch stands.
}
