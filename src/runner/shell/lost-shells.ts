import { provenGroup } from '../jobs/proven-group.js';
import { ProcessTree } from '../process/process-tree.js';
import type { EndedShell } from './shell-inventory.js';
import { takeLeftShells, type LeftShell } from './shell-journal.js';

/** From SIGTERM to SIGKILL for what a dead Runner left. */
const GRACE_MS = 500;

/**
 * Ends what is left of the shells of a Runner that died, each only as long as it is proven
 * to be the same, and gives them back as lost: no shell is ever taken up again (spec 03 §12).
 *
 * @param lifeFolder the private folder of that Runner's life
 * @param sameBoot whether process numbers of that life can still mean the same processes
 * @param endedAtMs wall clock, Unix milliseconds
 */
export async function endLeftShells(lifeFolder: string, sameBoot: boolean, endedAtMs: number): Promise<EndedShell[]> {
  const left = await takeLeftShells(lifeFolder);
  if (sameBoot) await Promise.all(left.map(endGroup));
  return left.map(({ opened }) => lostShell(opened, endedAtMs));
}

async function endGroup({ opened, pid, start_time: startTime }: LeftShell): Promise<void> {
  await new ProcessTree(pid, provenGroup({ executionId: opened.shell_id, pid, startTime })).end(GRACE_MS);
}

function lostShell(opened: LeftShell['opened'], endedAtMs: number): EndedShell {
  const view = { ...opened, state: 'lost', close_reason: 'runner_instance_replaced', busy: false, ended_at_ms: endedAtMs } as const;
  return {
    identity: { shellId: opened.shell_id, project: opened.project, sessionId: opened.session_id },
    view: () => view,
    lastCommand: null,
  };
}
