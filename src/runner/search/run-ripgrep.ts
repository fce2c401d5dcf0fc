import { constants, setPriority } from 'node:os';
import { execa } from 'execa';
import { splitRecords, type RecordBounds, type StreamRecord } from '../split-records.js';

/** What ripgrep says of one file that it passes over is short; a longer line is none of these. */
const STDERR_LINES: RecordBounds = { delimiter: 10, maxBytes: 16 * 1024 };

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
  readonly onStderrLine: (line: string) => void;
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
  const child = execa(run.executable, run.arguments, {
    cwd: run.folder,
    env: run.environment,
    extendEnv: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    cancelSignal: run.signal,
    forceKillAfterDelay: 500,
  });
  lowerPriority(child.pid);
  const readOutput = async (): Promise<'enough' | 'all'> => {
    for await (const record of splitRecords(child.iterable({ from: 'stdout', binary: true }), run.records)) {
      if (run.onRecord(record)) continue;
      child.kill();
      return 'enough';
    }
    return 'all';
  };
  const readErrors = async (): Promise<void> => {
    const lines = splitRecords(child.iterable({ from: 'stderr', binary: true }), STDERR_LINES);
    for await (const { text } of lines) run.onStderrLine(text);
  };
  // The streams fail with the child; how it ended is what counts.
  const [output] = await Promise.allSettled([readOutput(), readErrors()]);
  const result = await child;
  if (output.status === 'fulfilled' && output.value === 'enough') return { how: 'stopped' };
  if (run.signal.aborted) return { how: 'aborted' };
  return result.exitCode === undefined ? { how: 'failed' } : { how: 'exited', exitCode: result.exitCode };
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
