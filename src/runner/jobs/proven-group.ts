import { readFile } from 'node:fs/promises';
import { listProcesses, type ProcessEntry } from '../process/process-table.js';

/** The variable that every child carries: the id of its execution. */
export const EXECUTION_VARIABLE = 'WC_EXECUTION_ID';

export interface StartedGroup {
  /** What its children carry in `EXECUTION_VARIABLE`. */
  readonly executionId: string;
  readonly pid: number;
  readonly startTime: string;
}

/**
 * The processes, for as long as it is proven that the group is still the one that was
 * started: its leader lives with the same start time, or a member carries the id of the
 * execution in its environment. Otherwise the numbers may be somebody else's by now,
 * and none is named.
 */
export function provenGroup(
  { executionId, pid, startTime }: StartedGroup,
  list: () => Promise<readonly ProcessEntry[]> = listProcesses,
): () => Promise<readonly ProcessEntry[]> {
  let proven = false;
  return async () => {
    const entries = (await list()).filter((entry) => entry.group === pid || entry.session === pid);
    const leader = entries.find((entry) => entry.pid === pid);
    // Once it is proven it stays so: the number is not used again while a member lives.
    proven = entries.length > 0 && (proven || (leader === undefined ? await anyCarries(entries, executionId) : leader.startTime === startTime));
    return proven ? entries : [];
  };
}

async function anyCarries(entries: readonly ProcessEntry[], executionId: string): Promise<boolean> {
  for (const { pid } of entries) if (await carriesExecution(pid, executionId)) return true;
  return false;
}

/** Whether a process was started by an execution, or by what that started: it inherited the id. */
export async function carriesExecution(pid: number, executionId: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').includes(`${EXECUTION_VARIABLE}=${executionId}`);
  } catch {
    // It has ended, or belongs to another user: no proof.
    return false;
  }
}
