import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createCheckpointMethod,
  deleteCheckpointMethod,
  listCheckpointsMethod,
  readCheckpointMethod,
  restoreCheckpointMethod,
} from '../../../src/protocol/runner/checkpoints.js';
import { createCheckpointServices } from '../../../src/runner/checkpoints/index.js';
import type { RunnerService } from '../../../src/runner/request.js';
import { Turns } from '../../../src/runner/turns.js';
import { ask, type TemporaryProject } from '../temporary-project.js';

export const PLAIN = { title: null, note: null, kind: 'snapshot', labels: [], validation: null } as const;

type Refused = { refused: { error_kind: string; message: string; detail: Record<string, unknown> } };

/** The Runner's checkpoint services over one project. */
export interface CheckpointHouse {
  readonly folder: string;
  readonly faults: unknown[];
  create(options?: { untracked?: boolean; title?: string }): Promise<string>;
  tryCreate(untracked?: boolean): Promise<unknown>;
  restore(id: string): Promise<{ previous_state_checkpoint_id: string | null; changed_paths: string[]; index_changed: boolean }>;
  refusedRestore(id: string): Promise<Refused['refused']>;
  list(): Promise<{ checkpoints: { checkpoint_id: string; automatic: boolean }[]; total: number; last_recovery: unknown }>;
  read(id: string): Promise<Record<string, unknown>>;
  remove(id: string): Promise<unknown>;
}

export function checkpointHouse(project: TemporaryProject): CheckpointHouse {
  const folder = join(project.base, 'checkpoints');
  const faults: unknown[] = [];
  const clock = { now: 1_700_000_000_000 };
  const services: readonly RunnerService[] = createCheckpointServices({
    folder,
    environment: () => ({ PATH: process.env['PATH'], HOME: project.base }),
    turns: new Turns(),
    now: () => (clock.now += 1),
    onFault: (error) => faults.push(error),
  });
  const { root } = project;
  const wanted = async <Answer>(answer: Promise<Answer | Refused>): Promise<Answer> => {
    const settled = await answer;
    if (typeof settled === 'object' && settled !== null && 'refused' in settled) throw new Error(JSON.stringify(settled));
    return settled;
  };
  return {
    folder,
    faults,
    async create({ untracked = false, title } = {}) {
      const metadata = { ...PLAIN, labels: [], title: title ?? null };
      const made = await wanted(ask(services, createCheckpointMethod, { root, metadata, include_untracked: untracked }));
      return made.checkpoint.checkpoint_id;
    },
    tryCreate: (untracked = false) => ask(services, createCheckpointMethod, { root, metadata: PLAIN, include_untracked: untracked }),
    restore: (id) => wanted(ask(services, restoreCheckpointMethod, { root, checkpoint_id: id })),
    async refusedRestore(id) {
      const answer = await ask(services, restoreCheckpointMethod, { root, checkpoint_id: id });
      if (!('refused' in answer)) throw new Error(JSON.stringify(answer));
      return answer.refused;
    },
    list: () => wanted(ask(services, listCheckpointsMethod, { root, limit: 100 })),
    read: (id) => wanted(ask(services, readCheckpointMethod, { root, checkpoint_id: id })),
    remove: (id) => ask(services, deleteCheckpointMethod, { root, checkpoint_id: id }),
  };
}

/** Everything that a restore may touch: files with mode and content, links, and the index. */
export async function stateOf(project: TemporaryProject): Promise<Record<string, string>> {
  const state: Record<string, string> = { '(index)': project.git('ls-files', '--stage'), '(head)': headOf(project) };
  const entries = await readdir(project.folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(project.folder.length + 1);
    if (name === '.git' || name.startsWith('.git/') || entry.isDirectory()) continue;
    if (entry.isSymbolicLink()) state[name] = `-> ${await readlink(path)}`;
    else state[name] = `${((await stat(path)).mode & 0o777).toString(8)} ${(await readFile(path)).toString('base64')}`;
  }
  return state;
}

function headOf(project: TemporaryProject): string {
  try {
    return project.git('rev-parse', '--verify', '-q', 'HEAD').trim();
  } catch {
    return 'unborn';
  }
}
