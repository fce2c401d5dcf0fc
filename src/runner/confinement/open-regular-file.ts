import { constants } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';
import { fileErrorRefusal, shown } from './file-error.js';
import type { InsideRoot } from './resolve-inside-root.js';

/** A regular file that was opened for reading; whoever gets it closes it. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly status: BigIntStats;
}

/**
 * Opens the resolved place for reading without following a link and without waiting
 * (decision 32): FIFOs, sockets, devices and folders are `not_file`. A place that no
 * longer resolves to itself once it is open was swapped meanwhile and is refused.
 */
export async function openRegularFile(place: InsideRoot): Promise<OpenedFile | Refusal> {
  let handle: FileHandle | undefined;
  try {
    if (!(await lstat(place.path)).isFile()) return notFile(place.relative);
    handle = await open(
      place.path,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
    const status = await handle.stat({ bigint: true });
    const refusal = !status.isFile()
      ? notFile(place.relative)
      : (await realpath(place.path)) !== place.path
        ? swapped(place.relative)
        : null;
    if (refusal === null) return { handle, status };
    await handle.close();
    return refusal;
  } catch (error) {
    await handle?.close();
    return fileErrorRefusal(error, place.relative);
  }
}

function notFile(relative: string): Refusal {
  return refuse('not_file', `${shown(relative)} is no regular file.`, { path: relative });
}

function swapped(relative: string): Refusal {
  return refuse('invalid_path', `${shown(relative)} was replaced by a link while it was being opened.`, {
    path: relative,
    reason_code: 'symlink_swapped',
  });
}
