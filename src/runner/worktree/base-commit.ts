import type { Refusal } from '../../protocol/runner/project-root.js';
import { gitFailed, runGit, type GitCall } from '../git/run-git.js';
import { isRefusal, refuse } from '../request.js';

const MAX_BYTES = 1024;

/** Whether some text can name one commit: no option, no range, no path in a tree. */
export function isBaseRef(text: string): boolean {
  return (
    text !== '' &&
    Buffer.byteLength(text) <= MAX_BYTES &&
    !text.startsWith('-') &&
    !text.startsWith('^') &&
    !text.includes('..') &&
    !/[\p{Cc}\s:?*[\\]/u.test(text.replace(/@\{[^}]*\}/g, ''))
  );
}

/** The one commit that a ref means now, as its whole object name. */
export async function baseCommit(call: GitCall, ref: string): Promise<string | Refusal> {
  if (!isBaseRef(ref)) {
    return refuse('invalid_base_ref', 'base_ref names a branch, a tag or a commit; ranges, paths and options are none.', {
      state_changed: false,
    });
  }
  const output = await runGit(call, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
  if (isRefusal(output)) return output;
  const name = Buffer.from(output.stdout).toString('utf8').trim();
  if (output.exitCode === 0 && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return name;
  if (output.exitCode > 1 && output.stderr.trim() !== '' && !/revision|ref|object/i.test(output.stderr)) return gitFailed(output);
  return refuse('base_ref_resolution_failed', 'That base_ref names no commit of the source; fetch it, or name another one.', {
    base_ref: ref,
    state_changed: false,
  });
}
