import { constants } from 'node:fs';
import { chmod, mkdir, open, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkState } from './document.js';
import { findState, isSameWork } from './work-state.js';

/** One file on its way from one state to another. */
export interface FileStep {
  readonly path: string;
  readonly from: WorkState;
  readonly to: WorkState;
}

/** Thrown where a file is no longer in the state that the plan was made on. */
export class ChangedMeanwhile extends Error {
  readonly code = 'changed_meanwhile';

  constructor(readonly path: string) {
    super(path);
  }
}

/** Where bytes of the plan are read from. */
export type ReadBytes = (sha256: string) => Promise<Buffer>;

/** The name of what is written beside a file before it takes its place; the same after a crash. */
export function siblingOf(root: string, path: string, mark: string): string {
  return join(root, dirname(path), `.wc-restore-${mark}`);
}

/**
 * Takes steps one after the other: deletions first, deepest first, so that a folder may
 * become a file, then the rest. Each file changes by one rename.
 *
 * @param taken told of each step that was taken
 * @throws ChangedMeanwhile, or the error of the file system; the steps before stay taken
 */
export async function takeSteps(
  root: string,
  steps: readonly FileStep[],
  context: { readonly mark: string; readonly bytes: ReadBytes; readonly taken: (step: FileStep) => void },
): Promise<void> {
  for (const step of inOrder(steps)) {
    await requireState(root, step);
    if (step.to.state === 'missing') await removeFile(root, step.path);
    else await writeFile(root, step, context);
    context.taken(step);
  }
}

function inOrder(steps: readonly FileStep[]): FileStep[] {
  const removals = steps.filter(({ to }) => to.state === 'missing').sort((one, other) => (one.path < other.path ? 1 : -1));
  return [...removals, ...steps.filter(({ to }) => to.state !== 'missing')];
}

async function requireState(root: string, { path, from }: FileStep): Promise<void> {
  const found = await findState(root, path, Number.MAX_SAFE_INTEGER);
  if (typeof found === 'string' ? from.state !== 'missing' : !isSameWork(found.state, from)) throw new ChangedMeanwhile(path);
}

/** Removes a file, and the folders that it leaves empty. */
async function removeFile(root: string, path: string): Promise<void> {
  await unlink(join(root, path));
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(root, folder));
    } catch {
      return;
    }
  }
}

async function writeFile(root: string, { path, to }: FileStep, context: { readonly mark: string; readonly bytes: ReadBytes }): Promise<void> {
  if (to.state !== 'file' && to.state !== 'link') return;
  const content = await context.bytes(to.sha256);
  const target = join(root, path);
  await mkdir(dirname(target), { recursive: true });
  const sibling = siblingOf(root, path, context.mark);
  await unlink(sibling).catch(unlessMissing);
  try {
    if (to.state === 'link') await symlink(content, sibling);
    else await writeFlushed(sibling, content, to.permissions);
    await rename(sibling, target);
  } catch (error) {
    await unlink(sibling).catch(unlessMissing);
    throw error;
  }
}

async function writeFlushed(path: string, content: Buffer, permissions: number): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(path, permissions);
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
