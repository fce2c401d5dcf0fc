import type { Refusal } from '../../protocol/runner/project-root.js';
import { fileErrorRefusal, parseProjectPath, pathProtection, shown } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';
import { SUBMODULE_MODE } from './index-entries.js';
import { nestedRepository } from './nested-repository.js';
import { nulRecords } from './nul-records.js';
import { gitBytes, runGit, gitFailed } from './run-git.js';
import { trackedPaths, type TrackedPath } from './tracked-paths.js';
import type { WorkTree } from './work-tree.js';
import { lookAtWorkFile, type WorkFile } from './work-file.js';

/** The paths of a commit, project-relative, each once. */
export interface WritablePaths {
  /** Files or links that are there. */
  readonly present: readonly string[];
  /** Files that git knows and that are gone, be it that a folder took their name. */
  readonly gone: readonly string[];
}

/**
 * Sorts the paths of a commit. Folders, protected names, ignored files, files of a
 * repository inside this one, files that a sparse checkout left out, and files whose
 * filter we do not run are refused.
 */
export async function writablePaths(tree: WorkTree, given: readonly string[]): Promise<WritablePaths | Refusal> {
  const paths = soundPaths(given);
  if (isRefusal(paths)) return paths;
  const tracked = await trackedPaths(tree, paths);
  if (isRefusal(tracked)) return tracked;
  const present: string[] = [];
  const gone: string[] = [];
  for (const path of paths) {
    const there = await lookOrRefuse(tree, path);
    if (isRefusal(there)) return there;
    const nested = tracked.has(path) ? null : await nestedRepository(tree.call.folder, path);
    if (nested !== null) return insideNested(path, nested);
    if (there.kind === 'file' || there.kind === 'link') present.push(path);
    else {
      const refused = refusedAsGone(path, there, tracked.get(path));
      if (refused !== null) return refused;
      gone.push(path);
    }
  }
  return (await ignoredPath(tree, present)) ?? (await filteredPath(tree, present)) ?? { present, gone };
}

function soundPaths(given: readonly string[]): string[] | Refusal {
  const paths: string[] = [];
  for (const text of given) {
    const parsed = parseProjectPath(text);
    if (isRefusal(parsed)) return parsed;
    const path = parsed.relative;
    const kind = pathProtection(path);
    if (kind !== null) return refuse('policy_rejected', `${shown(path)} is protected by its name and is not committed.`, { path, reason_code: `${kind}_path` });
    if (path === '') return notAFile(path);
    if (paths.includes(path)) return refuse('invalid_arguments', `${shown(path)} is named twice.`, { path });
    paths.push(path);
  }
  return paths;
}

async function lookOrRefuse(tree: WorkTree, path: string): Promise<WorkFile | Refusal> {
  try {
    return await lookAtWorkFile(tree.call.folder, path);
  } catch (error) {
    return fileErrorRefusal(error, path);
  }
}

/** Why a path where no file lies is not a deletion to be committed, or null when it is one. */
function refusedAsGone(path: string, there: WorkFile, tracked: TrackedPath | undefined): Refusal | null {
  const isFile = tracked !== undefined && tracked.mode !== SUBMODULE_MODE;
  if (there.kind === 'other' || (there.kind !== 'missing' && !isFile)) return notAFile(path);
  if (tracked === undefined) return refuse('not_found', `${shown(path)} does not exist, and git does not know it.`, { path });
  if (!tracked.isSkipped) return null;
  return refuse('policy_rejected', `${shown(path)} is not checked out here (sparse checkout); its deletion is not committed.`, {
    path,
    reason_code: 'not_checked_out',
  });
}

function notAFile(path: string): Refusal {
  return refuse('invalid_path', `${shown(path)} is a folder, or no regular file; name the files themselves.`, { path, reason_code: 'not_a_file' });
}

function insideNested(path: string, nested: string): Refusal {
  return refuse('policy_rejected', `${shown(path)} belongs to the repository ${shown(nested)} inside this one; commit it there.`, {
    path,
    reason_code: 'nested_repository',
  });
}

async function ignoredPath(tree: WorkTree, paths: readonly string[]): Promise<Refusal | null> {
  if (paths.length === 0) return null;
  // The command knows no literal pathspecs; a leading `./` keeps a name from meaning more than itself.
  const output = await runGit(tree.call, ['check-ignore', '-z', '--stdin'], { input: paths.map((path) => `./${path}\0`).join('') });
  if (isRefusal(output)) return output;
  if (output.exitCode > 1) return gitFailed(output);
  const [first] = nulRecords(output.stdout);
  if (first === undefined) return null;
  const path = first.toString('utf8').slice('./'.length);
  return refuse('policy_rejected', `${shown(path)} is ignored by git and is not committed.`, { path, reason_code: 'ignored_path' });
}

/**
 * A filter of the repository's own configuration is never run, so that content which
 * it should have converted would be stored or written as it is: refused instead.
 */
export async function filteredPath(tree: WorkTree, paths: readonly string[]): Promise<Refusal | null> {
  if (tree.blankedFilters.length === 0 || paths.length === 0) return null;
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
