import { randomBytes } from 'node:crypto';
import { captureEnvironment } from './capture-environment.js';
import { parseShellAnswer, shellQuestion, type ShellAnswer } from './login-shell.js';
import { sessionVariables, type UserAccount } from './session-variables.js';

/**
 * Asks the user's shell for its environment.
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
  const { printed, how } = await captureEnvironment({ file, args, marker, env, cwd: user.homedir }, withinMs);
  const answer = parseShellAnswer(printed, marker);
  if (answer !== null) return answer;
  throw new Error(how === 'late' ? `${file} did not answer within ${withinMs} ms` : `${file} ended without an answer`);
}
