import { unlink } from 'node:fs/promises';
import type { RemovedPaths } from '../../protocol/runner/git-writes.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { parseProjectPath, pathProtection, type VerifiedRoot } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';
import { gitWriteFailed } from './index-entries.js';
import { nulRecords } from './nul-records.js';
import { parseStatus, statusArguments } from './parse-status.js';
import { gitBytes, gitFailed, runGit } from './run-git.js';
import type { WorkTree } from './work-tree.js';
import { lookAtWorkFile } from './work-file.js';
import { filteredPath } from './writable-paths.js';

/** What restoring may take once it has begun, in milliseconds. */
const RESTORE_MS = 30_000;

/** Where each path of a call ends up. */
class Outcome {
  readonly done: string[] = [];
  readonly unchanged: string[] = [];
  readonly missing: string[] = [];
  readonly refused: { path: string; reason_code: string }[] = [];

  refuse(path: string, reasonCode: string): void {
    this.refused.push({ path, reason_code: reasonCode });
  }
}

/** Sound paths without protected ones, each once; the others are refused one by one. */
function soundPaths(given: readonly string[], outcome: Outcome): string[] {
  const paths: string[] = [];
  for (const text of new Set(given)) {
    const parsed = parseProjectPath(text);
    if (isRefusal(parsed)) outcome.refuse(text, 'invalid_path');
    else if (parsed.relative === '') outcome.refuse(text, 'not_a_file');
    else if (pathProtection(parsed.relative) !== null) outcome.refuse(text, `${pathProtection(parsed.relative) ?? ''}_path`);
    else if (!paths.includes(parsed.relative)) paths.push(parsed.relative);
  }
  return paths;
}

/** `delete_project_files`: regular files and links, with or without Git; never a folder. */
export async function deleteFiles(root: VerifiedRoot, given: readonly string[]): Promise<RemovedPaths> {
  const outcome = new Outcome();
  for (const path of soundPaths(given, outcome)) await deleteFile(root.path, path, outcome);
  return outcome;
}

async function deleteFile(root: string, path: string, outcome: Outcome): Promise<void> {
  try {
    const there = await lookAtWorkFile(root, path);
    if (there.kind === 'missing') outcome.missing.push(path);
    else if (there.kind === 'other') outcome.refuse(path, 'not_a_file');
    else {
      await unlink(there.path);
      outcome.done.push(path);
    }
  } catch (error) {
    outcome.refuse(path, ((error as NodeJS.ErrnoException).code ?? 'io_error').toLowerCase());
  }
}

/** `discard_untracked`: only files that git neither tracks nor ignores. */
export async function discardUntracked(tree: WorkTree, given: readonly string[]): Promise<RemovedPaths | Refusal> {
  const outcome = new Outcome();
  for (const path of soundPaths(given, outcome)) {
    const there = await lookAtWorkFile(tree.call.folder, path);
    if (there.kind === 'missing') outcome.missing.push(path);
    else if (there.kind === 'other') outcome.refuse(path, 'not_a_file');
    else {
      const untracked = await listed(tree, ['--others', '--exclude-standard'], path);
      if (typeof untracked === 'object') return untracked;
      if (untracked) await deleteFile(tree.call.folder, path, outcome);
      else {
        const tracked = await listed(tree, ['--cached'], path);
        if (typeof tracked === 'object') return tracked;
        outcome.refuse(path, tracked ? 'tracked' : 'ignored');
      }
    }
  }
  return outcome;
}

async function listed(tree: WorkTree, which: readonly string[], path: string): Promise<boolean | Refusal> {
  const output = await gitBytes(tree.call, ['ls-files', ...which, '-z', '--', `:(literal)${path}`]);
  if (isRefusal(output)) return output;
  return nulRecords(output).some((record) => record.toString('utf8') === path);
}

/** `restore_git_paths`: gives tracked files back the content that the index holds; staged changes stay. */
export async function restoreTracked(tree: WorkTree, given: readonly string[]): Promise<RemovedPaths | Refusal> {
  const outcome = new Outcome();
  const paths = soundPaths(given, outcome);
  const status = await runGit(tree.call, statusArguments('all'));
  if (isRefusal(status)) return status;
  if (status.exitCode !== 0) return gitFailed(status);
  const changes = new Map(parseStatus(status.stdout, tree.prefix).files.map((file) => [file.path, file]));
  const restorable: string[] = [];
  for (const path of paths) {
    const change = changes.get(path);
    const tracked = await listed(tree, ['--cached'], path);
    if (typeof tracked === 'object') return tracked;
    const there = await lookAtWorkFile(tree.call.folder, path);
    if (!tracked) {
      if (there.kind === 'missing') outcome.missing.push(path);
      else outcome.refuse(path, there.kind === 'other' ? 'not_a_file' : 'untracked');
    } else if (change?.unstaged === 'unmerged') outcome.refuse(path, 'unmerged');
    else if ((change?.unstaged ?? null) === null) outcome.unchanged.push(path);
    else if (there.kind === 'other') outcome.refuse(path, 'not_a_file');
    else if ((await filteredPath(tree, [path])) !== null) outcome.refuse(path, 'repository_filter');
    else restorable.push(path);
  }
  const failed = await restoreFromIndex(tree, restorable);
  if (failed !== null) return failed;
  outcome.done.push(...restorable);
  return outcome;
}

async function restoreFromIndex(tree: WorkTree, paths: readonly string[]): Promise<Refusal | null> {
  if (paths.length === 0) return null;
  if (tree.call.signal.aborted) return refuse('cancelled', 'The call was cancelled; nothing was restored.', { state_changed: false });
  // What has begun is carried through: a caller who cancels must not find half of it.
  const signal = AbortSignal.timeout(RESTORE_MS);
  const literal = { ...tree.call, signal, environment: { ...tree.call.environment, GIT_LITERAL_PATHSPECS: '1' } };
  const output = await runGit(
    literal,
    ['restore', '--worktree', '--no-progress', '--pathspec-from-file=-', '--pathspec-file-nul'],
    { input: paths.map((path) => `${path}\0`).join('') },
  );
  if (!isRefusal(output) && output.exitCode === 0) return null;
  const { refused } = isRefusal(output) ? output : gitWriteFailed(output);
  return { refused: { ...refused, detail: { ...refused.detail, state_changed: null } } };
}
