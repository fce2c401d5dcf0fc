import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.js';

/**
 * Asks the person at the terminal; only `y` and `yes` are a yes.
 *
 * @throws UsageError where nobody is there to answer
 */
export async function askYes(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask on.', 'Say --yes to go ahead, or --dry-run to look at it only.');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
  } finally {
    reader.close();
  }
}
