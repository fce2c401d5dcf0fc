import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** How long a program may take to say its version, in milliseconds. */
const WITHIN_MS = 5_000;

/**
 * The first line that a program prints, on either stream.
 *
 * @throws Error with what kept it from that
 */
export async function firstLineOf(program: string, args: readonly string[], env?: Readonly<Record<string, string | undefined>>): Promise<string> {
  const running = promisify(execFile)(program, args, { timeout: WITHIN_MS, encoding: 'utf8', ...(env === undefined ? {} : { env }) });
  running.child.stdin?.end();
  const { stdout, stderr } = await running;
  return (stdout.trim() || stderr.trim()).split('\n')[0] ?? '';
}
