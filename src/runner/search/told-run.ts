import type { LeftOutListener } from './left-out.js';
import type { RecordReader } from './record-reader.js';
import { runRipgrep, type RipgrepEnd, type RipgrepRun } from './run-ripgrep.js';
import { ToldFile } from './told-file.js';

/**
 * What ripgrep may tell of what it passes over. It writes a line in dozens of small pieces:
 * where thousands of single files are ignored, telling takes as long as searching.
 */
const MAX_TOLD_BYTES = 128 * 1024;
const LOOK_MS = 5;

export interface ToldRun {
  readonly end: RipgrepEnd;
  readonly reader: RecordReader;
  /** Whether all was told that was passed over. */
  readonly isToldWhole: boolean;
}

export type PlainRun = Pick<RipgrepRun, 'executable' | 'folder' | 'environment' | 'signal'>;

/** How a search is told of. */
export interface Telling {
  /** Whether it is known from earlier that there is too much to tell. */
  readonly isTooMuch: boolean;
  /** Called once when there is, before the search begins or begins again. */
  readonly onTooMuch: () => void;
}

/**
 * Runs a search that tells on the way what it passes over, and once more without when
 * that is too much.
 */
export async function runTold(
  run: PlainRun,
  searchArguments: readonly string[],
  newReader: () => RecordReader,
  listener: LeftOutListener,
  telling: Telling,
): Promise<ToldRun> {
  if (telling.isTooMuch) {
    telling.onTooMuch();
    return { ...(await attempt(run, searchArguments, newReader(), listener, null)), isToldWhole: false };
  }
  const tooMuch = new AbortController();
  const bounded = { ...run, signal: AbortSignal.any([run.signal, tooMuch.signal]) };
  const first = await attempt(bounded, ['--debug', ...searchArguments], newReader(), listener, tooMuch);
  if (first.end.how !== 'aborted' || run.signal.aborted) return { ...first, isToldWhole: true };
  listener.hearErrorsAnew();
  telling.onTooMuch();
  return { ...(await attempt(run, searchArguments, newReader(), listener, null)), isToldWhole: false };
}

async function attempt(
  run: PlainRun,
  args: readonly string[],
  reader: RecordReader,
  listener: LeftOutListener,
  tooMuch: AbortController | null,
): Promise<{ end: RipgrepEnd; reader: RecordReader }> {
  const told = await ToldFile.open();
  const watching = tooMuch === null ? undefined : setInterval(() => void watch(told, tooMuch), LOOK_MS);
  try {
    const end = await runRipgrep({
      ...run,
      arguments: args,
      records: reader.bounds,
      onRecord: (record) => reader.read(record),
      stderr: told.stream,
    });
    clearInterval(watching);
    for await (const line of told.lines()) listener.hear(line);
    return { end, reader };
  } finally {
    clearInterval(watching);
    await told.close();
  }
}

async function watch(told: ToldFile, tooMuch: AbortController): Promise<void> {
  try {
    if ((await told.size()) > MAX_TOLD_BYTES) tooMuch.abort();
  } catch {
    // The run has ended meanwhile, and the file with it.
  }
}
