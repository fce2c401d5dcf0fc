import { isUtf8 } from 'node:buffer';
import { fstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_STDIN_BYTES } from '../../protocol/execution-limits.js';
import { EXIT } from '../../client/index.js';
import { CommandFailure } from './command-failure.js';
import { InputPipe } from './input-pipe.js';

/** How long the end of the input may take so that all of it travels with the call, in milliseconds. */
const ENDS_WITHIN_MS = 50;
/** The longest that a timer takes. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** What a program gets on its standard input: text that is whole, or a pipe that is filled as more comes. */
export type PipedInput = { readonly text: string } | { readonly pipe: InputPipe };

/**
 * What stands on standard input when it is a pipe, a socket or a file; null for a
 * terminal or the null device, which give a program nothing to read, and for an input
 * that has ended empty.
 *
 * Text that has ended by now travels with the call. Anything else is streamed: a
 * parent that leaves its pipe open and silent holds nobody up, and a slow writer is
 * waited for by the program that reads, as everywhere.
 *
 * Where nothing may be streamed, the end of the input is waited for.
 *
 * @throws CommandFailure with exit code 125 for more than 64 KiB, and for what is no text
 *   and may not be streamed, before anything starts
 */
export async function pipedInput(
  { mayStream }: { readonly mayStream: boolean },
  source: NodeJS.ReadStream = process.stdin,
): Promise<PipedInput | null> {
  if (!holdsData()) return null;
  const chunks: Buffer[] = [];
  const ended = await readFor(source, chunks, mayStream ? ENDS_WITHIN_MS : null);
  const bytes = Buffer.concat(chunks);
  if (bytes.length > MAX_STDIN_BYTES) {
    source.destroy();
    throw tooMuchInput('and nothing was started');
  }
  if (ended && bytes.length === 0) return null;
  if (ended && isUtf8(bytes)) return { text: bytes.toString('utf8') };
  if (!mayStream) {
    throw new CommandFailure('Standard input is no text, and a token can send nothing else.', EXIT.ownFailure, 'Write it to a file of the project and let the program read that, or give --no-stdin.');
  }
  return { pipe: await InputPipe.create(bytes, ended ? null : source) };
}

/** Collects what comes within some milliseconds, or up to its end; whether that was all. */
async function readFor(source: NodeJS.ReadStream, chunks: Buffer[], withinMs: number | null): Promise<boolean> {
  let size = 0;
  const over = new AbortController();
  const take = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_STDIN_BYTES) over.abort();
  };
  source.on('data', take);
  const ended = new Promise<true>((resolve, reject) => source.once('end', () => resolve(true)).once('error', reject));
  // An error that comes later is the stream's end for whoever reads on.
  ended.catch(() => undefined);
  const waited = sleep(withinMs ?? FOR_EVER_MS, false, { signal: over.signal }).catch(() => false);
  const result = await Promise.race([ended, waited]);
  source.pause();
  source.off('data', take);
  over.abort();
  return result;
}

function holdsData(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket() || stat.isFile();
  } catch {
    // Standard input is closed.
    return false;
  }
}

/** @param consequence what that means for the program */
export function tooMuchInput(consequence: string): CommandFailure {
  return new CommandFailure(
    `Standard input holds more than ${MAX_STDIN_BYTES / 1024} KiB, ${consequence}.`,
    EXIT.ownFailure,
    'Write it to a file of the project and let the program read that, or give --no-stdin.',
  );
}
