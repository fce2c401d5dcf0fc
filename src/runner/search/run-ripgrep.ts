import { constants, setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import { execa } from 'execa';
import { splitRecords, type RecordBounds, type StreamRecord } from '../split-records.js';

/** Records that are read before other requests get their turn: a chunk of a pipe holds thousands of short ones. */
const RECORDS_A_TURN = 500;

export interface RipgrepRun {
  readonly executable: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** What ends a record of stdout. */
  readonly records: RecordBounds;
  /** @returns false when no more is wanted: ripgrep is ended then */
  readonly onRecord: (record: StreamRecord) => boolean;
  /** An open file that takes standard error; null drops it. */
  readonly stderr: Writable | null;
}

/** How a run of ripgrep ended. */
export type RipgrepEnd =
  | { readonly how: 'exited'; readonly exitCode: number }
  /** `onRecord` had enough. */
  | { readonly how: 'stopped' }
  /** The signal ended it. */
  | { readonly how: 'aborted' }
  /** It could not be started, or something killed it. */
  | { readonly how: 'failed' };

/** Runs ripgrep and hands on what it prints, as it comes. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  if (run.signal.aborted) return { how: 'aborted' };
  const child = execa(run.executable, run.arguments, {
    cwd: run.folder,
    env: run.environment,
    extendEnv: false,
    stdin: 'ignore',
    stderr: run.stderr ?? 'ignore',
    buffer: false,
    reject: false,
    cancelSignal: run.signal,
    forceKillAfterDelay: 500,
  });
  lowerPriority(child.pid);
  const readOutput = async (): Promise<'enough' | 'all'> => {
    let read = 0;
    for await (const record of splitRecords(child.iterable({ from: 'stdout', binary: true }), run.records)) {
      read += 1;
      if (read % RECORDS_A_TURN === 0) await nextTurn();
      if (run.onRecord(record)) continue;
      child.kill();
      return 'enough';
    }
    return 'all';
  };
  // The stream fails with the child; how that ended is what counts.
  const output = await readOutput().catch(() => 'failed' as const);
  const result = await child;
  if (output === 'enough') return { how: 'stopped' };
  if (isAborted(run.signal)) return { how: 'aborted' };
  return result.exitCode === undefined || output === 'failed'
    ? { how: 'failed' }
    : { how: 'exited', exitCode: result.exitCode };
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** A search of the whole tree takes all processors: other calls come first. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
