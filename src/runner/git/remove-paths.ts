import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitChangeKind } from '../../protocol/runner/git.js';
import type { RemovedPaths } from '../../protocol/runner/git-writes.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { parseProjectPath, pathProtection, type VerifiedRoot } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';
import { gitWriteFailed } from './index-entries.js';
import { nestedRepository } from './nested-repository.js';
import { nulRecords } from './nul-records.js';
import { parseStatus, statusArguments } from './parse-status.js';
import { gitBytes, gitFailed, runGit } from './run-git.js';
import { trackedPaths } from './tracked-paths.js';
import type { WorkTree } from './work-tree.js';
import { fileInTheWay, lookAtWorkFile } from './work-file.js';
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
  for (const path of soundPaths(given, outcome)) {
    if ((await lookOrRefuse(root.path, path, outcome)) !== null) await deleteFile(root.path, path, outcome);
  }
  return outcome;
}

/** What may be removed: a file or a link. Everything else is refused with its reason, or missing. */
async function lookOrRefuse(root: string, path: string, outcome: Outcome): Promise<'file' | 'link' | null> {
  try {
    const { kind } = await lookAtWorkFile(root, path);
    if (kind === 'file' || kind === 'link') return kind;
    if (kind === 'missing') outcome.missing.push(path);
    else outcome.refuse(path, 'not_a_file');
  } catch (error) {
    outcome.refuse(path, ioReason(error));
  }
  return null;
}

async function deleteFile(root: string, path: string, outcome: Outcome): Promise<void> {
  try {
    await unlink(join(root, path));
    outcome.done.push(path);
  } catch (error) {
    outcome.refuse(path, ioReason(error));
  }
}

function ioReason(error: unknown): string {
  return ((error as NodeJS.ErrnoException).code ?? 'io_error').toLowerCase();
}

/** `discard_untracked`: only files that git neither tracks nor ignores. All are judged before the first one goes. */
export async function discardUntracked(tree: WorkTree, given: readonly string[]): Promise<RemovedPaths | Refusal> {
  const outcome = new Outcome();
  const { folder, signal } = tree.call;
  const files: string[] = [];
  for (const path of soundPaths(given, outcome)) {
    if ((await lookOrRefuse(folder, path, outcome)) !== null) files.push(path);
  }
  const untracked = await untrackedPaths(tree, files);
  if (isRefusal(untracked)) return untracked;
  const tracked = await trackedPaths(tree, files);
  if (isRefusal(tracked)) return tracked;
  if (signal.aborted) return refuse('cancelled', 'The call was cancelled; nothing was deleted.', { state_changed: false });
  for (const path of files) {
    if (untracked.has(path)) await deleteFile(folder, path, outcome);
    else if (tracked.has(path)) outcome.refuse(path, 'tracked');
    else outcome.refuse(path, (await nestedRepository(folder, path)) === null ? 'ignored' : 'nested_repository');
  }
  return outcome;
}

async function untrackedPaths(tree: WorkTree, paths: readonly string[]): Promise<ReadonlySet<string> | Refusal> {
  if (paths.length === 0) return new Set();
  const output = await gitBytes(tree.call, ['ls-files', '--others', '--exclude-standard', '-z', '--', ...paths.map((path) => `:(literal)${path}`)]);
  return isRefusal(output) ? output : new Set(nulRecords(output).map((record) => record.toString('utf8')));
}

/** `restore_git_paths`: gives tracked files back the content that the index holds; staged changes stay. */
export async function restoreTracked(tree: WorkTree, given: readonly string[]): Promise<RemovedPaths | Refusal> {
  const outcome = new Outcome();
  const paths = soundPaths(given, outcome);
  const status = await runGit(tree.call, statusArguments('all'));
  if (isRefusal(status)) return status;
  if (status.exitCode !== 0) return gitFailed(status);
  const changes = new Map(parseStatus(status.stdout, tree.prefix).files.map((file) => [file.path, file]));
  const tracked = await trackedPaths(tree, paths);
  if (isRefusal(tracked)) return tracked;
  const restorable: string[] = [];
  for (const path of paths) {
    if (!tracked.has(path)) {
      if ((await lookOrRefuse(tree.call.folder, path, outcome)) !== null) outcome.refuse(path, 'untracked');
      continue;
    }
    const unstaged = changes.get(path)?.unstaged ?? null;
    const reason = unstaged === null ? null : await whyNotRestored(tree, path, unstaged);
    if (unstaged === null) outcome.unchanged.push(path);
    else if (reason === null) restorable.push(path);
    else outcome.refuse(path, reason);
  }
  const failed = await restoreFromIndex(tree, restorable);
  if (failed !== null) return failed;
  outcome.done.push(...restorable);
  return outcome;
}

/** Why a changed tracked file is not given back its content, or null. */
async function whyNotRestored(tree: WorkTree, path: string, unstaged: GitChangeKind | 'untracked'): Promise<string | null> {
  if (unstaged === 'unmerged') return 'unmerged';
  try {
    const { kind } = await lookAtWorkFile(tree.call.folder, path);
    if (kind !== 'missing' && kind !== 'file' && kind !== 'link') return 'not_a_file';
  } catch (error) {
    return ioReason(error);
  }
  if ((await fileInTheWay(tree.call.folder, path)) !== null) return 'file_in_the_way';
  return (await filteredPath(tree, [path])) === null ? null : 'repository_filter';
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
  // Git takes the lock before it writes the first file.
  const stateChanged = refused.detail['reason_code'] === 'repository_locked' ? false : null;
  return { refused: { ...refused, detail: { ...refused.detail, state_changed: stateChanged } } };
}
