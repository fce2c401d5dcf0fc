import { randomBytes } from 'node:crypto';
import { captureEnvironment } from './capture-environment.js';
import type { Environment } from './child-environment.js';
import { parseVariables } from './login-shell.js';

/** How long an init script may take (spec 03 §9). */
const INIT_WITHIN_MS = 30_000;

export interface InitRun {
  /** sh or bash, absolute. */
  readonly shell: string;
  readonly script: string;
  /** The project's root, absolute and resolved. */
  readonly root: string;
  readonly env: Environment;
  readonly withinMs?: number;
  readonly signal: AbortSignal;
}

/**
 * Runs an init script at the project's root and gives back the environment that it left.
 * The first command that fails ends it (`set -e`).
 *
 * @throws Error with the rest of a sentence that begins with the script; it holds nothing
 *   of what the script printed, which may be a secret
 */
export async function runInitScript({ shell, script, root, env, withinMs = INIT_WITHIN_MS, signal }: InitRun): Promise<Environment> {
  const marker = `wc-${randomBytes(16).toString('hex')}`;
  const command = `set -e\n${script}\nprintf '%s\\n' ${marker}\n/usr/bin/env -0\nprintf '%s\\n' ${marker}\n`;
  const question = { file: shell, args: ['-c', command], cwd: root, env, marker };
  const { printed, how, exit } = await captureEnvironment(question, withinMs, signal);
  const start = printed.indexOf(`${marker}\n`);
  const end = printed.lastIndexOf(marker);
  if (start !== -1 && end > start) return parseVariables(printed.slice(start + marker.length + 1, end));
  throw new Error(reasonOf(how, exit, withinMs));
}

function reasonOf(how: 'ended' | 'late' | 'aborted', exit: { code: number | null; signal: string | null } | null, withinMs: number): string {
  if (how === 'late') return `did not end within ${withinMs / 1_000} s`;
  if (how === 'aborted') return 'was ended with the Runner';
  if (exit !== null && exit.signal !== null) return `was ended by ${exit.signal}`;
  if (exit !== null && exit.code !== 0) return `failed with exit code ${exit.code ?? 'unknown'}`;
  return 'ended before its environment could be read; it must neither exit, nor exec, nor close its standard output';
}
