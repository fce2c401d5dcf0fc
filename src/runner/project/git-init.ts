import type { Refusal } from '../../protocol/runner/project-root.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { gitFailed, runGit } from '../git/run-git.js';
import { isRefusal } from '../request.js';

const BOUND_MS = 20_000;

/**
 * Starts a repository in a new, empty folder, with the user's own configuration (the
 * first branch's name, a template). Variables that would point git elsewhere are left out.
 */
export async function gitInit(
  folder: string,
  environment: BaseEnvironment,
  signal: AbortSignal,
): Promise<Refusal | null> {
  const inherited = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('GIT_'),
  );
  const output = await runGit(
    {
      folder,
      environment: { ...Object.fromEntries(inherited), GIT_TERMINAL_PROMPT: '0' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(BOUND_MS)]),
    },
    ['init', '--quiet', '.'],
  );
  if (isRefusal(output)) return output;
  return output.exitCode === 0 ? null : gitFailed(output);
}
