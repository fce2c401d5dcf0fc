import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputThread } from '../output/index.js';
import { ProcessTree } from '../process/process-tree.js';
import { bootId } from '../process/process-table.js';
import { scriptFolder } from '../script/script-file.js';
import { readOpenEntries, type OpenEntry } from './group-journal.js';
import { Job } from './job.js';
import { provenGroup } from './proven-group.js';
import { isAlive, journalPath, readLifeOwner } from './runner-life.js';
import { endMarkedStarts } from './start-marks.js';

/** From SIGTERM to SIGKILL for what a dead Runner left. */
const GRACE_MS = 500;

/** A Job of a Runner that died; `folder` can go when the last of its Jobs is forgotten. */
export interface LostJob {
  readonly job: Job;
  readonly folder: string;
}

export interface PredecessorParts {
  readonly spool: string;
  readonly ownFolder: string;
  readonly output: OutputThread;
  readonly wallClock: () => number;
  /** Deals with what else a dead life left in its folder. */
  readonly onDeadLife: (folder: string, sameBoot: boolean) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

/**
 * Ends what is left of the Runners that died before this one, and gives back their Jobs
 * as lost, with as much of their output as was spooled. Nothing is started again
 * (spec 03 §12; spec 00, decision 1). A Runner that still lives is left alone.
 */
export async function recoverPredecessors(parts: PredecessorParts): Promise<LostJob[]> {
  const lost: LostJob[] = [];
  for (const name of await readdir(parts.spool)) {
    const folder = join(parts.spool, name);
    if (folder === parts.ownFolder || name.endsWith('.new')) continue;
    try {
      lost.push(...(await recover(parts, folder)));
    } catch (error) {
      parts.onFault(error);
    }
  }
  return lost;
}

async function recover(parts: PredecessorParts, folder: string): Promise<LostJob[]> {
  const owner = await readLifeOwner(folder);
  if (owner !== null && (await isAlive(owner))) return [];
  // Scripts go at once; the rest of the folder stays as long as its Jobs are known.
  await rm(scriptFolder(folder), { recursive: true, force: true });
  const open = await readOpenEntries(journalPath(folder));
  const sameBoot = owner !== null && owner.boot_id === (await bootId());
  if (sameBoot) await endMarkedStarts(folder, GRACE_MS);
  await parts.onDeadLife(folder, sameBoot);
  const lost = await Promise.all(
    open.map(async (entry) => {
      const survivors = sameBoot ? await endGroup(entry) : [];
      const job = lostJob(entry, parts.wallClock(), survivors);
      if (entry.group !== null) job.output = await parts.output.adopt(folder, entry.identity.outputId);
      return { job, folder };
    }),
  );
  if (lost.length === 0) await rm(folder, { recursive: true, force: true });
  return lost;
}

async function endGroup({ identity, group }: OpenEntry): Promise<readonly number[]> {
  if (group === null) return [];
  const tree = new ProcessTree(group.pid, provenGroup({ ...group, executionId: identity.jobId }));
  return (await tree.end(GRACE_MS)).survivors;
}

function lostJob({ identity, group }: OpenEntry, now: number, survivors: readonly number[]): Job {
  const job = new Job(identity, {
    status: 'lost',
    executionState: group === null ? 'not_started' : 'outcome_unknown',
    failureKind: 'outcome_unknown',
    toolFailure: true,
    reason: 'runner_instance_replaced',
    finishedAtMs: now,
    outputIncomplete: group !== null,
    survivorPids: survivors,
  });
  job.publish(false);
  return job;
}
