import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sameBytes, type ConfigFile } from './config-file.js';

/** How many versions of one configuration are kept. */
const KEPT = 5;

/** What is remembered of an install, so that it can be undone to the byte. */
interface InstallRecord {
  readonly path: string;
  /** SHA-256 of what the install left behind. */
  readonly left: string;
  /** The backup of what was there before; null where nothing was. */
  readonly before: string | null;
  /** What was there before held an entry of ours already, so that going back to it would not remove it. */
  readonly hadEntry: boolean;
}

/** The bytes that undo an install; `null` where there was no file before. */
export interface Original {
  readonly bytes: Buffer | null;
}

/**
 * Copies of configurations from before they were changed, in a private folder of the state
 * folder: beside the originals they would end up in repositories and be read by others.
 */
export class ConfigBackups {
  private readonly folder: string;

  constructor(
    stateFolder: string,
    private readonly now: () => Date,
  ) {
    this.folder = join(stateFolder, 'mcp-backups');
  }

  /** Keeps a copy; its path, or null where there is no file to copy. */
  async keep(client: string, file: ConfigFile): Promise<string | null> {
    if (file.bytes === null) return null;
    const stem = stemOf(client, file);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, `${stem}.${this.now().toISOString().replaceAll(/[-:]/g, '')}.bak`);
    await writeFile(path, file.bytes, { mode: 0o600 });
    await this.prune(stem);
    return path;
  }

  /** Remembers what an install left, and what it found. */
  async remember(client: string, file: ConfigFile, change: { readonly backup: string | null; readonly left: Buffer; readonly hadEntry: boolean }): Promise<void> {
    const earlier = await this.recordOf(client, file);
    // Ours over ours: what was there before the first of them is still what to go back to.
    const isOurs = earlier !== null && file.bytes !== null && digest(file.bytes) === earlier.left;
    const record: InstallRecord = {
      path: file.path,
      left: digest(change.left),
      before: isOurs ? earlier.before : change.backup,
      hadEntry: isOurs ? earlier.hadEntry : change.hadEntry,
    };
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = this.recordPath(client, file);
    await writeFile(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  /** What the file was before the install, if nobody changed it since and the copy is there; else null. */
  async original(client: string, file: ConfigFile): Promise<Original | null> {
    const record = await this.recordOf(client, file);
    if (record === null || record.hadEntry || file.bytes === null || digest(file.bytes) !== record.left) return null;
    if (record.before === null) return { bytes: null };
    const bytes = await readFile(record.before).catch(() => null);
    return bytes === null || sameBytes(bytes, file.bytes) ? null : { bytes };
  }

  async forget(client: string, file: ConfigFile): Promise<void> {
    await rm(this.recordPath(client, file), { force: true });
  }

  private recordPath(client: string, file: ConfigFile): string {
    return join(this.folder, `${stemOf(client, file)}.json`);
  }

  private async recordOf(client: string, file: ConfigFile): Promise<InstallRecord | null> {
    try {
      return JSON.parse(await readFile(this.recordPath(client, file), 'utf8')) as InstallRecord;
    } catch {
      // None, or one that a crash cut: then an entry is removed by itself.
      return null;
    }
  }

  private async prune(stem: string): Promise<void> {
    const backups = (await readdir(this.folder)).filter((name) => name.startsWith(`${stem}.`) && name.endsWith('.bak')).sort();
    const needed = await readFile(join(this.folder, `${stem}.json`), 'utf8').catch(() => '');
    for (const name of backups.slice(0, -KEPT)) {
      if (!needed.includes(name)) await rm(join(this.folder, name), { force: true });
    }
  }
}

function stemOf(client: string, { target }: ConfigFile): string {
  return `${client}-${digest(target).slice(0, 8)}`;
}

function digest(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
