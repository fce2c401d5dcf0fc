import { lstat, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { batchRecord, type BatchRecord, type BatchStep, type StagedMarks } from './batch-record.js';
import type { EditJournal, OpenBatch } from './edit-journal.js';
import type { FileMark } from './file-mark.js';
import { moveToFreeName, tryLink } from './move-file.js';
import { isSameState, type PlannedChange, type PlannedFile } from './planned-change.js';
import { tidyBatch, undoBatch } from './undo-batch.js';
import { writeDurably } from './write-sibling.js';

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

/** Called after each thing that was done to the file system: where a process might die. */
export type Reached = () => void | Promise<void>;

/** Thrown where a file changed between planning and writing. */
class Stale extends Error {}

/**
 * Writes a batch of planned changes as one. The journal is told first, so that a Runner
 * that dies leaves nothing half done. New content is then written beside its place and
 * flushed, so that a full disk shows before anything is replaced; then each change is
 * one rename, with the old file kept until the last one is done.
 */
export async function writeChanges(
  changes: readonly PlannedChange[],
  journal: EditJournal,
  reached: Reached = () => undefined,
): Promise<WriteOutcome> {
  const record = batchRecord(changes);
  let batch: OpenBatch;
  try {
    batch = await journal.begin(record);
  } catch (error) {
    return { written: false, changeIndex: 0, cause: error as NodeJS.ErrnoException, rollbackComplete: true };
  }
  await reached();
  const writing = new BatchWriting(changes, record, reached);
  try {
    await batch.staged(await writing.stage());
    await reached();
    await writing.commit();
    await writing.flushFolders();
    await batch.committed();
  } catch (error) {
    const rollbackComplete = await writing.takeBack();
    await batch.close();
    const cause = error instanceof Stale ? 'stale' : (error as NodeJS.ErrnoException);
    return { written: false, changeIndex: writing.at, cause, rollbackComplete };
  }
  await reached();
  await tidyBatch(record);
  await reached();
  await batch.close();
  return { written: true };
}

/** One batch on its way to the disk. */
class BatchWriting {
  /** The change that is being worked on. */
  at = 0;
  private readonly marks: StagedMarks = [];
  private readonly madeFolders: string[] = [];

  constructor(
    private readonly changes: readonly PlannedChange[],
    private readonly record: BatchRecord,
    private readonly reached: Reached,
  ) {}

  /** Writes everything new beside its place. */
  async stage(): Promise<StagedMarks> {
    for (this.at = 0; this.at < this.changes.length; this.at += 1) {
      const [change, step] = [this.changes[this.at], this.record.steps[this.at]];
      this.marks.push(change === undefined || step === undefined || step === null ? null : await this.stageOne(change, step));
    }
    return this.marks;
  }

  async commit(): Promise<void> {
    for (this.at = 0; this.at < this.changes.length; this.at += 1) {
      const [change, step] = [this.changes[this.at], this.record.steps[this.at]];
      if (change === undefined || step === undefined || step === null) continue;
      if (change.kind !== 'create') await requireSameState(change.file);
      await this.commitOne(step);
      await this.reached();
    }
  }

  /** @returns whether everything is as it was */
  async takeBack(): Promise<boolean> {
    const left = await undoBatch(this.record, this.marks, this.madeFolders);
    await this.flushFolders();
    return left === 0;
  }

  /** Puts the changed entries of folders on the disk. */
  async flushFolders(): Promise<void> {
    const folders = this.record.steps.flatMap((step) =>
      step === null ? [] : [dirname(step.path), ...('to' in step ? [dirname(step.to)] : [])],
    );
    for (const folder of new Set([...folders, ...this.madeFolders.map(dirname)])) {
      try {
        const handle = await open(folder, 'r');
        await handle.sync().finally(() => handle.close());
      } catch {
        // Not every file system flushes folders; the files themselves are on the disk.
      }
    }
  }

  private async stageOne(change: PlannedChange, step: BatchStep): Promise<FileMark | null> {
    const place = change.kind === 'create' ? change.place : change.kind === 'rename' ? change.to : null;
    for (const folder of place?.missingParents ?? []) await this.makeFolder(folder);
    if (!('staged' in step)) return null;
    const content = change.kind === 'rename' ? change.content : change.kind === 'delete' ? null : change;
    if (content === null) return null;
    const isNew = change.kind === 'create';
    const mark = await writeDurably(step.staged, content.newBytes, isNew ? null : change.file.status, isNew && change.isExecutable);
    await this.reached();
    return mark;
  }

  /** Makes a folder unless it is there by now; only what was made is taken back. */
  private async makeFolder(path: string): Promise<void> {
    try {
      await mkdir(path);
    } catch (error) {
      // Another change of the batch, or somebody else, made it meanwhile.
      if ((await lstat(path)).isDirectory()) return;
      throw error;
    }
    this.madeFolders.push(path);
    await this.reached();
  }

  private async commitOne(step: BatchStep): Promise<void> {
    switch (step.kind) {
      case 'create':
        return moveToFreeName(step.staged, step.path, this.reached);
      case 'delete':
        return rename(step.path, step.aside);
      case 'rename':
        return step.same_file ? rename(step.path, step.to) : moveToFreeName(step.path, step.to, this.reached);
      case 'move':
        await moveToFreeName(step.staged, step.to, this.reached);
        await this.reached();
        return rename(step.path, step.aside);
      case 'edit':
        // Without hard links the old file steps aside itself; its name is free for a moment.
        if (!(await tryLink(step.path, step.aside))) await rename(step.path, step.aside);
        await this.reached();
        return rename(step.staged, step.path);
    }
  }
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
