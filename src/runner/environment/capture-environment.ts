import { spawn } from 'node:child_process';
import type { Environment } from './child-environment.js';

/** What an answer may print at most, whatever else a shell prints included. */
const MAX_ANSWER_BYTES = 4 * 1_024 * 1_024;

/** A shell that prints its environment between two markers. */
export interface EnvironmentQuestion {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** A random word that stands before and after the answer. */
  readonly marker: string;
}

export interface CapturedAnswer {
  /** All that was printed. */
  readonly printed: string;
  /** How it was over: the answer was there or the shell has ended, its time was over, or nobody wanted it any more. */
  readonly how: 'ended' | 'late' | 'aborted';
  /** Null while it had not ended by itself. */
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | null;
}

/**
 * Runs a shell that is asked for its environment. It has no terminal and no input, and
 * its whole group is ended when the answer is there or its time is over.
 *
 * @throws Error when the shell cannot be started
 */
export async function captureEnvironment(question: EnvironmentQuestion, withinMs: number, signal?: AbortSignal): Promise<CapturedAnswer> {
  const { file, args, cwd, env, marker } = question;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const printed: Buffer[] = [];
  let size = 0;
  let exit: CapturedAnswer['exit'] = null;
  const outcome = await new Promise<CapturedAnswer['how'] | Error>((resolve) => {
    const timer = setTimeout(() => settle('late'), withinMs);
    const onAbort = (): void => settle('aborted');
    const settle = (how: CapturedAnswer['how'] | Error): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(how);
    };
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    child.once('error', settle);
    child.once('exit', (code, by) => (exit = { code, signal: by }));
    child.once('close', () => settle('ended'));
    child.stdout.on('data', (bytes: Buffer) => {
      printed.push(bytes);
      size += bytes.length;
      // The shell may leave something behind that holds the pipe: the answer is enough.
      if (size > MAX_ANSWER_BYTES || isAnswered(bytes, marker, printed)) settle('ended');
    });
  });
  child.stdout.destroy();
  if (child.pid !== undefined) endGroup(child.pid);
  if (outcome instanceof Error) throw new Error(`${file} could not be started: ${outcome.message}`);
  return { printed: Buffer.concat(printed).toString('utf8'), how: outcome, exit };
}

function isAnswered(latest: Buffer, marker: string, printed: readonly Buffer[]): boolean {
  if (!latest.includes(marker.slice(-8)) && printed.length > 1) return false;
  const text = Buffer.concat(printed).toString('latin1');
  return text.indexOf(marker) !== text.lastIndexOf(marker);
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
