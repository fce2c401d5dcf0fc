import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRootSchema } from '../../protocol/runner/project-root.js';
import { readContent } from './contents.js';
import { makeFolder, removeFolder } from './durable-folder.js';
import { restorePlanSchema, type PlannedRestore } from './restore-plan.js';
import type { CheckpointStore } from './store.js';

const DOCUMENT = 'journal.json';

const journalSchema = z.strictObject({
  version: z.literal(1),
  checkpoint_id: z.string(),
  root: projectRootSchema,
  plan: restorePlanSchema,
});
export type Journal = z.infer<typeof journalSchema>;

/** Keeps a restore's plan and all of its bytes before the first thing changes. */
export async function beginJournal(store: CheckpointStore, journal: Omit<Journal, 'version'>, planned: PlannedRestore): Promise<void> {
  await makeFolder(store.restoreFolder, DOCUMENT, { version: 1, ...journal }, planned.contents);
}

/** The restore that a crash cut off, or null. */
export async function openJournal(store: CheckpointStore): Promise<Journal | null> {
  try {
    return journalSchema.parse(JSON.parse(await readFile(join(store.restoreFolder, DOCUMENT), 'utf8')));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** A journal's bytes by their digest. */
export function journalBytes(store: CheckpointStore): (sha256: string) => Promise<Buffer> {
  return (sha256) => readContent(join(store.restoreFolder, 'content'), sha256);
}

/** The name that a journal's own files in the work tree carry. */
export function markOf({ checkpoint_id: id }: Pick<Journal, 'checkpoint_id'>): string {
  return id.slice(-12);
}

export async function endJournal(store: CheckpointStore): Promise<void> {
  await removeFolder(store.restoreFolder);
}
