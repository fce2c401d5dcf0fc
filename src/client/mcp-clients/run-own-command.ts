import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConfigRefused } from './config-refused.js';

/** How long a client's own command may take, in milliseconds. */
const WITHIN_MS = 60_000;

/** Runs a client's own command. Throws ConfigRefused with what it said when it fails. */
export async function runOwnCommand([program = '', ...args]: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const ended = promisify(execFile)(program, args, { timeout: WITHIN_MS, encoding: 'utf8', env });
  ended.child.stdin?.end();
  await ended.catch((error: unknown) => {
    const { stderr = '', stdout = '', killed } = error as { stderr?: string; stdout?: string; killed?: boolean };
    const said = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
    throw new ConfigRefused(
      `\`${[program, ...args.slice(0, 2)].join(' ')}\` ${killed === true ? `gave no answer within ${WITHIN_MS / 1000} s` : 'failed'}${said === '' ? '' : `: ${said}`}.`,
      'Try again with --edit, which changes the file directly.',
    );
  });
}
