import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { parseShellAnswer, shellQuestion, type ShellAnswer } from './login-shell.js';
import { sessionVariables, type UserAccount } from './session-variables.js';

/** What an answer may print at most, start files included. */
const MAX_ANSWER_BYTES = 4 * 1_024 * 1_024;

/**
 * Asks the user's shell for its environment. The shell has no terminal and no input; its
 * whole group is ended when it does not answer in time.
 *
 * @throws Error with a sentence that says why there is no answer
 */
export async function askLoginShell(
  user: UserAccount,
  inherited: Readonly<Record<string, string | undefined>>,
  withinMs: number,
): Promise<ShellAnswer> {
  const { file, args, marker } = shellQuestion(user.shell, `wc-${randomBytes(16).toString('hex')}`);
  // Start files may look for this variable and keep quiet.
  const env = { ...sessionVariables(inherited, user), WC_RESOLVING_ENVIRONMENT: '1' };
  const child = spawn(file, args, { cwd: user.homedir, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const printed: Buffer[] = [];
  let size = 0;
  const outcome = await new Promise<'ended' | 'late' | Error>((resolve) => {
    const timer = setTimeout(() => resolve('late'), withinMs);
    const settle = (how: 'ended' | 'late' | Error): void => {
      clearTimeout(timer);
      resolve(how);
    };
    child.once('error', settle);
    child.once('close', () => settle('ended'));
    child.stdout.on('data', (bytes: Buffer) => {
      printed.push(bytes);
      size += bytes.length;
      // A start file may leave something behind that holds the pipe: the answer is enough.
      if (size > MAX_ANSWER_BYTES || isAnswered(bytes, marker, printed)) settle('ended');
    });
  });
  child.stdout.destroy();
  if (child.pid !== undefined) endGroup(child.pid);
  if (outcome instanceof Error) throw new Error(`${file} could not be started: ${outcome.message}`);
  const answer = parseShellAnswer(Buffer.concat(printed).toString('utf8'), marker);
  if (answer !== null) return answer;
  throw new Error(outcome === 'late' ? `${file} did not answer within ${withinMs} ms` : `${file} ended without an answer`);
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
