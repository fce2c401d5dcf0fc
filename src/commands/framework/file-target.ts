import { constants } from 'node:fs';
import { lstat, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EXIT } from '../../client/index.js';
import { CommandFailure } from './command-failure.js';
import { UsageError } from './usage-error.js';

/**
 * A file that appears under its name whole or not at all: written beside it, private
 * (0600) unless it is for others, put on the disk, and then renamed over what stands there. What is no regular
 * file (a device, a FIFO) is written to as it is.
 */
export class FileTarget {
  private constructor(
    /** Where the content is going to be. */
    readonly path: string,
    private readonly file: FileHandle,
    /** Where it is until then; null when it is written in place. */
    private readonly beside: string | null,
  ) {}

  /**
   * @param mode its permissions, whatever the mask of this process is
   * @throws UsageError when there can be no such file
   */
  static async open(given: string, mode = 0o600): Promise<FileTarget> {
    try {
      const path = await realpath(given).catch(() => given);
      const found = await lstat(path).catch(() => null);
      if (found?.isDirectory() === true) throw new UsageError(`${given} is a folder; name a file in it.`);
      if (found !== null && !found.isFile()) return new FileTarget(path, await open(path, constants.O_WRONLY), null);
      const beside = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
      const file = await open(beside, 'w', 0o600);
      if (mode !== 0o600) await file.chmod(mode);
      return new FileTarget(path, file, beside);
    } catch (error) {
      throw error instanceof UsageError ? error : unwritable(given, error, EXIT.usage);
    }
  }

  /** @throws CommandFailure when there is no room for it */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.file.writeFile(bytes);
    } catch (error) {
      throw unwritable(this.path, error, EXIT.refused);
    }
  }

  /**
   * The content is whole: it stands under its name from now on.
   *
   * @throws CommandFailure when it could not be put there
   */
  async publish(): Promise<void> {
    if (this.beside === null) return this.file.close();
    try {
      await this.file.sync();
      await this.file.close();
      await rename(this.beside, this.path);
      await syncFolder(dirname(this.path));
    } catch (error) {
      throw unwritable(this.path, error, EXIT.refused);
    }
  }

  /** The content is not whole, and leaves no trace. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    if (this.beside !== null) await rm(this.beside, { force: true });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function unwritable(path: string, error: unknown, exitCode: number): CommandFailure {
  return new CommandFailure(`${path} can not be written (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`, exitCode);
}
