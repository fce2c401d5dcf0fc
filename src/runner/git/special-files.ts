import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { nulRecords, pathText } from './nul-records.js';
import { gitBytes, isSpecialFileFailure, type GitCall } from './run-git.js';

/**
 * Runs a diff with the work tree. Git ends at the first tracked file that became a FIFO, a
 * socket or a device; the diff is then run once more without those. They have no content
 * that could be shown, and lists of changed files name them all the same.
 *
 * @param sides what is compared, as arguments of git
 * @param diff runs the diff with further pathspecs behind its own
 */
export async function withoutSpecialFiles<Answer extends object>(
  call: GitCall,
  sides: readonly string[],
  diff: (except: readonly string[]) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  const whole = await diff([]);
  if (!isRefusal(whole) || !isSpecialFileFailure(whole)) return whole;
  const names = await gitBytes(call, ['diff', '--name-only', '--no-ext-diff', '--no-renames', '--relative', '--ignore-submodules=dirty', '-z', ...sides, '--', '.']);
  if (isRefusal(names)) return names;
  const except: string[] = [];
  for (const name of nulRecords(names)) {
    if (await isSpecial(Buffer.concat([Buffer.from(join(call.folder, '/')), name]))) except.push(`:(exclude,literal)${pathText(name).path}`);
  }
  return except.length === 0 ? whole : diff(except);
}

async function isSpecial(path: Buffer): Promise<boolean> {
  const status = await lstat(path).catch(() => null);
  return status !== null && !status.isFile() && !status.isSymbolicLink() && !status.isDirectory();
}
