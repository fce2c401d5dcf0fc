import type { Refusal } from '../../protocol/runner/project-root.js';
import { parseProjectPath, pathProtection, shown } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';
import { nulRecords } from './nul-records.js';
import { gitBytes, runGit, gitFailed } from './run-git.js';
import type { WorkTree } from './work-tree.js';
import { lookAtWorkFile } from './work-file.js';

/**
 * The paths of a commit, normalized, each once: files or links that are there, or files
 * that git knows and that are gone. Folders, protected names, ignored files and files
 * whose filter we do not run are refused.
 */
export async function writablePaths(tree: WorkTree, given: readonly string[]): Promise<string[] | Refusal> {
  const paths: string[] = [];
  for (const text of given) {
    const parsed = parseProjectPath(text);
    if (isRefusal(parsed)) return parsed;
    const path = parsed.relative;
    const kind = pathProtection(path);
    if (kind !== null) return refuse('policy_rejected', `${shown(path)} is protected by its name and is not committed.`, { path, reason_code: `${kind}_path` });
    if (paths.includes(path)) return refuse('invalid_arguments', `${shown(path)} is named twice.`, { path });
    const there = await lookAtWorkFile(tree.call.folder, path);
    if (there.kind === 'other') return refuse('invalid_path', `${shown(path)} is a folder, or no regular file; name the files themselves.`, { path, reason_code: 'not_a_file' });
    if (there.kind === 'missing' && !(await isTracked(tree, path))) return refuse('not_found', `${shown(path)} does not exist, and git does not know it.`, { path });
    paths.push(path);
  }
  return (await ignoredPath(tree, paths)) ?? (await filteredPath(tree, paths)) ?? paths;
}

async function isTracked(tree: WorkTree, path: string): Promise<boolean> {
  const output = await gitBytes(tree.call, ['ls-files', '-z', '--', `:(literal)${path}`]);
  return !isRefusal(output) && nulRecords(output).some((record) => record.toString('utf8') === path);
}

async function ignoredPath(tree: WorkTree, paths: readonly string[]): Promise<Refusal | null> {
  const output = await runGit(tree.call, ['check-ignore', '-z', '--stdin'], { input: paths.map((path) => `${path}\0`).join('') });
  if (isRefusal(output)) return output;
  if (output.exitCode > 1) return gitFailed(output);
  const [first] = nulRecords(output.stdout);
  if (first === undefined) return null;
  const path = first.toString('utf8');
  return refuse('policy_rejected', `${shown(path)} is ignored by git and is not committed.`, { path, reason_code: 'ignored_path' });
}

/**
 * A filter of the repository's own configuration is never run, so that content which
 * it should have converted would be stored or written as it is: refused instead.
 */
export async function filteredPath(tree: WorkTree, paths: readonly string[]): Promise<Refusal | null> {
  if (tree.blankedFilters.length === 0) return null;
  const output = await gitBytes(tree.call, ['check-attr', '-z', '--stdin', 'filter'], { input: paths.map((path) => `${path}\0`).join('') });
  if (isRefusal(output)) return output;
  const fields = nulRecords(output).map((field) => field.toString('utf8'));
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [path = '', , filter = ''] = fields.slice(index);
    if (!tree.blankedFilters.includes(filter)) continue;
    return refuse('policy_rejected', `${shown(path)} goes through a filter of the repository's own configuration, which is not run here; use git by hand.`, {
      path,
      reason_code: 'repository_filter',
    });
  }
  return null;
}
