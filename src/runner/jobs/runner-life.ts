import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { bootId, findProcess } from '../process/process-table.js';

const ownerSchema = z.strictObject({
  instance_id: z.string(),
  pid: z.int(),
  /** Empty where start times do not count from the boot. */
  boot_id: z.string(),
  start_time: z.string(),
});
/** Which process a folder of the spool belongs to: a pid alone is used again. */
export type LifeOwner = z.infer<typeof ownerSchema>;

const OWNER_FILE = 'owner.json';

export function journalPath(folder: string): string {
  return join(folder, 'groups.jsonl');
}

/** Makes the private folder of one Runner's life; it never stands there without its owner. */
export async function createLifeFolder(spool: string, instanceId: string): Promise<string> {
  const folder = join(spool, instanceId);
  const unowned = `${folder}.new`;
  await mkdir(unowned, { recursive: true, mode: 0o700 });
  const [boot, self] = await Promise.all([bootId(), findProcess(process.pid)]);
  const owner: LifeOwner = { instance_id: instanceId, pid: process.pid, boot_id: boot, start_time: self?.startTime ?? '' };
  await writeFile(join(unowned, OWNER_FILE), JSON.stringify(owner), { mode: 0o600 });
  await rename(unowned, folder);
  return folder;
}

/** The owner of a life's folder; null when it does not say, or says nonsense. */
export async function readLifeOwner(folder: string): Promise<LifeOwner | null> {
  try {
    return ownerSchema.safeParse(JSON.parse(await readFile(join(folder, OWNER_FILE), 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}

/** Whether the very process still runs: an older Runner that serves its Jobs to the end. */
export async function isAlive(owner: LifeOwner): Promise<boolean> {
  if (owner.boot_id !== (await bootId())) return false;
  const found = await findProcess(owner.pid);
  return found !== null && !found.zombie && found.startTime === owner.start_time;
}
