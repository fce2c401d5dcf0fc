import type { z } from 'zod';
import type { gitStatusMethod } from '../../protocol/runner/git-history.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { runGit, type GitCall } from './run-git.js';

type StatusText = z.output<typeof gitStatusMethod.result>;

/** `git status` in its short form, in git's own words, whatever its exit code. */
export async function statusText(call: GitCall, maxBytes: number): Promise<StatusText | Refusal> {
  const output = await runGit(call, [
    'status', '--short', '--branch', '--ahead-behind', '--find-renames', '--untracked-files=normal', '--ignore-submodules=dirty', '--', '.',
  ]);
  if (isRefusal(output)) return output;
  const whole = Buffer.from(output.stdout);
  const end = whole.length <= maxBytes ? whole.length : whole.lastIndexOf(10, maxBytes - 1) + 1;
  return {
    exit_code: output.exitCode,
    stdout: whole.subarray(0, end).toString('utf8'),
    stdout_truncated: end < whole.length,
    stderr: output.stderr.slice(0, 2_000),
  };
}

/** What is answered for a project in no repository: what git says, without the machine's paths. */
export const STATUS_WITHOUT_REPOSITORY: StatusText = {
  exit_code: 128,
  stdout: '',
  stdout_truncated: false,
  stderr: 'fatal: not a git repository\n',
};
