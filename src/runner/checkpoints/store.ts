import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKPOINT_ID_PATTERN, recoverySchema, type Recovery } from '../../protocol/runner/checkpoints.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';
import type { Contents } from './contents.js';
import { checkpointSchema, type Checkpoint } from './document.js';
import { makeFolder, removeFolder, UNFINISHED } from './durable-folder.js';

/** How many checkpoints of a project are kept; who wants more deletes one. */
export const MAX_CHECKPOINTS = 200;

const DOCUMENT = 'checkpoint.json';
const RECOVERY = 'last-recovery.json';

/** The checkpoints of one project, in a private folder outside of it. */
export class CheckpointStore {
  private constructor(private readonly folder: string) {}

  /** The store of the project whose folder is `root`. */
  static of(base: string, root: string): CheckpointStore {
    return new CheckpointStore(join(base, createHash('sha256').update(root).digest('hex').slice(0, 32)));
  }

  /** Every project's store that there is. */
  static async allIn(base: string): Promise<CheckpointStore[]> {
    const names = await readdir(base).catch(() => []);
    return names.map((name) => new CheckpointStore(join(base, name)));
  }

  /** Where a running restore keeps its way back. */
  get restoreFolder(): string {
    return join(this.folder, 'restore');
  }

  contentFolder(checkpointId: string): string {
    return join(this.folder, checkpointId, 'content');
  }

  async save(checkpoint: Checkpoint, contents: Contents): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await makeFolder(join(this.folder, checkpoint.checkpoint_id), DOCUMENT, checkpoint, contents);
  }

  /** Every readable checkpoint, newest first. */
  async all(): Promise<Checkpoint[]> {
    const found = await Promise.all((await this.ids()).map((id) => this.read(id)));
    return found
      .filter((checkpoint) => checkpoint !== null)
      .sort((one, other) => other.created_at_ms - one.created_at_ms || (one.checkpoint_id < other.checkpoint_id ? 1 : -1));
  }

  async ids(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => CHECKPOINT_ID_PATTERN.test(name));
  }

  async get(id: string): Promise<Checkpoint | Refusal> {
    if (!CHECKPOINT_ID_PATTERN.test(id) || !(await this.ids()).includes(id)) {
      return refuse('unknown_checkpoint', 'This project has no such checkpoint; list_workspace_checkpoints names them.', { state_changed: false });
    }
    return (await this.read(id)) ?? invalidCheckpoint(id);
  }

  async remove(id: string): Promise<void> {
    await removeFolder(join(this.folder, id));
  }

  /** Takes away what a crash left half made. */
  async tidy(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names.filter((one) => UNFINISHED.test(one))) await rm(join(this.folder, name), { recursive: true, force: true });
  }

  async noteRecovery(recovery: Recovery): Promise<void> {
    await writeFile(join(this.folder, RECOVERY), JSON.stringify(recovery), { mode: 0o600 });
  }

  async lastRecovery(): Promise<Recovery | null> {
    try {
      return recoverySchema.parse(JSON.parse(await readFile(join(this.folder, RECOVERY), 'utf8')));
    } catch {
      return null;
    }
  }

  private async read(id: string): Promise<Checkpoint | null> {
    try {
      const parsed = checkpointSchema.parse(JSON.parse(await readFile(join(this.folder, id, DOCUMENT), 'utf8')));
      return parsed.checkpoint_id === id ? parsed : null;
    } catch {
      return null;
    }
  }
}

/** Writes to the store; a disk that does not take it is a refusal, since the project is as it was then. */
export async function unlessNotStored(write: () => Promise<void>): Promise<Refusal | null> {
  try {
    await write();
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return refuse('io_error', `The state folder could not take the checkpoint (${code}); nothing was changed. Make room there and try again.`, {
      reason_code: code.toLowerCase(),
      state_changed: false,
    });
  }
}

/** The refusal for a checkpoint that is no longer what was kept. */
export function invalidCheckpoint(id: string): Refusal {
  return refuse('invalid_checkpoint', 'That checkpoint is damaged and cannot be used; delete it.', { checkpoint_id: id, state_changed: false });
}
