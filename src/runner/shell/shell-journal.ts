import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { shellSchema, type ShellView } from '../../protocol/runner/shells.js';
import { findProcess } from '../process/process-table.js';

const entrySchema = z.union([
  z.strictObject({ opened: shellSchema, pid: z.int(), start_time: z.string() }),
  z.strictObject({ ended: z.string() }),
]);
type Entry = z.infer<typeof entrySchema>;

/** A shell that had not ended when its Runner did. */
export type LeftShell = Extract<Entry, { opened: unknown }>;

const FILE = 'shells.jsonl';

/**
 * The record of the shells that this Runner has open, so that the next one can end what
 * is left of them and say that they are lost. A failure to write is told, and costs only that.
 */
export class ShellJournal {
  private readonly path: string;
  private readonly alive = new Set<string>();
  private writing: Promise<void> = Promise.resolve();

  /** @param lifeFolder the private folder of this Runner's life */
  constructor(
    lifeFolder: string,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.path = join(lifeFolder, FILE);
  }

  /** Notes an open shell; settles when the next Runner would know of it. */
  async opened(shell: ShellView, pid: number | null): Promise<void> {
    if (pid === null) return;
    const found = await findProcess(pid);
    if (found === null) return;
    this.alive.add(shell.shell_id);
    await this.write({ opened: shell, pid, start_time: found.startTime });
  }

  /** Notes that nothing of a shell is left. */
  ended(shellId: string): void {
    if (this.alive.delete(shellId)) void this.write({ ended: shellId });
  }

  /** Settles when everything noted so far is written. */
  close(): Promise<void> {
    return this.writing;
  }

  private write(entry: Entry): Promise<void> {
    const line = `${JSON.stringify(entry)}\n`;
    this.writing = this.writing
      .then(() => (this.alive.size === 0 ? writeFile(this.path, '', { mode: 0o600 }) : appendFile(this.path, line, { mode: 0o600 })))
      .catch(this.onFault);
    return this.writing;
  }
}

/** Takes the shells that had not ended out of a dead Runner's record. A last line that is not whole is passed over. */
export async function takeLeftShells(lifeFolder: string): Promise<LeftShell[]> {
  const path = join(lifeFolder, FILE);
  const left = new Map<string, LeftShell>();
  for (const line of (await readText(path)).split('\n')) {
    const entry = parseEntry(line);
    if (entry === null) continue;
    if ('ended' in entry) left.delete(entry.ended);
    else left.set(entry.opened.shell_id, entry);
  }
  await rm(path, { force: true });
  return [...left.values()];
}

function parseEntry(line: string): Entry | null {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
