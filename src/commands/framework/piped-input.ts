import { fstatSync } from 'node:fs';
import { MAX_STDIN_BYTES } from '../../protocol/execution-limits.js';
import { EXIT } from '../../client/index.js';
import { CommandFailure } from './command-failure.js';

/** After so long without an end, the person is told what is waited for, in milliseconds. */
const SAY_AFTER_MS = 3_000;

/**
 * What stands on standard input when it is a pipe, a socket or a file; undefined for a
 * terminal or the null device, which give a program nothing to read.
 *
 * @throws CommandFailure with exit code 125 for more than 64 KiB
 */
export async function pipedInput(say: (line: string) => void): Promise<string | undefined> {
  if (!holdsData()) return undefined;
  const timer = setTimeout(() => say('wc: waiting for the end of standard input (--no-stdin leaves it out)'), SAY_AFTER_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > MAX_STDIN_BYTES) throw tooMuch();
    }
  } finally {
    clearTimeout(timer);
    process.stdin.destroy();
  }
  return size === 0 ? undefined : Buffer.concat(chunks).toString('utf8');
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

function tooMuch(): CommandFailure {
  return new CommandFailure(
    `Standard input holds more than ${MAX_STDIN_BYTES / 1024} KiB, and nothing was started.`,
    EXIT.ownFailure,
    'Write it to a file of the project and let the program read that, or give --no-stdin.',
  );
}
