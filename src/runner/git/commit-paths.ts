import type { z } from 'zod';
import type { commitPathsMethod } from '../../protocol/runner/git-writes.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { shown } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';
import { headOf } from './head-of.js';
import { gitWriteFailed, setIndexEntries, type PathEntry } from './index-entries.js';
import { gitOperation } from './operation.js';
import { parseRawDiff } from './raw-diff.js';
import { gitBytes, gitFailed, runGit, type GitCall, type GitOutput } from './run-git.js';
import { withTemporaryIndex } from './temporary-index.js';
import { trackedPaths } from './tracked-paths.js';
import type { WorkTree } from './work-tree.js';
import { writablePaths, type WritablePaths } from './writable-paths.js';

type Request = Omit<z.output<typeof commitPathsMethod.params>, 'root'>;
type Answer = z.input<typeof commitPathsMethod.result>;

/** What the second half, which is carried through once begun, may take, in milliseconds. */
const PUBLISH_MS = 20_000;

/** A commit that exists as an object and that nothing points to yet. */
interface Prepared {
  readonly commit: string;
  readonly entries: readonly PathEntry[];
  readonly before: readonly PathEntry[];
  readonly files: Answer['files'];
}

/**
 * Commits whole files on an expected HEAD (spec 04 §7.7). The commit is built in an index
 * of our own; then the user's index takes the entries and HEAD moves by compare-and-swap,
 * so that a commit of somebody else's in between is never built on, nor lost. Neither
 * hooks nor a signature program run.
 */
export async function commitPaths(tree: WorkTree, request: Request): Promise<Answer | Refusal> {
  const head = await headOf(tree.call);
  if (isRefusal(head)) return head;
  if (head.commit !== request.expected_head) return headMismatch(request.expected_head, head.commit);
  const operation = await gitOperation(tree.gitFolder);
  if (operation !== null) {
    return refuse('unsafe_current_state', `The repository is in the middle of a ${operation}; end it first.`, { reason_code: operation });
  }
  const staged = await runGit(tree.call, ['diff', '--cached', '--quiet', '--no-ext-diff', '--ignore-submodules=none', 'HEAD']);
  if (isRefusal(staged)) return staged;
  if (staged.exitCode === 1) return stagedChangesPresent();
  if (staged.exitCode !== 0) return gitFailed(staged);
  const paths = await writablePaths(tree, request.paths);
  if (isRefusal(paths)) return paths;
  const prepared = await prepare(tree, paths, request);
  if (isRefusal(prepared)) return prepared;
  return publish(tree, prepared, request, head.branch);
}

function prepare(tree: WorkTree, { present, gone }: WritablePaths, request: Request): Promise<Prepared | Refusal> {
  const paths = [...present, ...gone];
  return withTemporaryIndex(tree.call, request.expected_head, async (call) => {
    // What is gone goes first: a folder may have taken a file's name, or a file a folder's.
    const removed = await setIndexEntries({ ...tree, call }, gone.map((path) => ({ path: tree.prefix + path, entry: null })));
    if (removed !== null) return removed;
    const added = await runGit(call, ['update-index', '--add', '-z', '--stdin'], { input: present.map((path) => `${path}\0`).join('') });
    if (isRefusal(added)) return added;
    if (added.exitCode !== 0) return notAdded(added);
    const raw = await gitBytes(call, ['diff-index', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', request.expected_head]);
    if (isRefusal(raw)) return raw;
    const changed = changesOf(raw);
    const names = new Set(changed.map(({ path }) => path));
    const unchanged = paths.filter((path) => !names.has(tree.prefix + path));
    if (unchanged.length > 0) {
      return refuse('nothing_to_commit', 'Some of the paths do not differ from the last commit; leave them out.', { unchanged });
    }
    const commit = await writeCommit(call, request);
    if (typeof commit !== 'string') return commit;
    return {
      commit,
      entries: changed.map(({ path, after }) => ({ path, entry: after })),
      before: changed.map(({ path, before }) => ({ path, entry: before })),
      files: changed.map(({ path, change }) => ({ path: path.slice(tree.prefix.length), change })),
    };
  });
}

/** The refusal for files that the index did not take. */
function notAdded(output: GitOutput): Refusal {
  const path = /^error: '(.+)' appears as both a file and as a directory/m.exec(output.stderr)?.[1];
  if (path === undefined) return gitWriteFailed(output);
  return refuse('invalid_path', `${shown(path)} took the place of a file or folder that git knows; name what is gone as well.`, {
    path,
    reason_code: 'replaced_path_not_named',
  });
}

interface Change {
  /** From the top of the work tree. */
  readonly path: string;
  readonly before: PathEntry['entry'];
  readonly after: PathEntry['entry'];
  readonly change: Answer['files'][number]['change'];
}

function changesOf(raw: Uint8Array): Change[] {
  const records = parseRawDiff(raw);
  return records.map(({ path, change, oldMode, newMode, oldOid, newOid }) => ({
    path: path.toString('utf8'),
    before: change === 'added' ? null : { mode: oldMode, oid: oldOid },
    after: change === 'deleted' ? null : { mode: newMode, oid: newOid },
    change: change === 'added' || change === 'deleted' || change === 'type_changed' ? change : 'modified',
  }));
}

async function writeCommit(call: GitCall, request: Request): Promise<string | Refusal> {
  const written = await gitBytes(call, ['write-tree']);
  if (isRefusal(written)) return written;
  const object = Buffer.from(written).toString('utf8').trim();
  const message = `${request.message.trim()}\n`;
  const output = await runGit(call, ['commit-tree', '--no-gpg-sign', object, '-p', request.expected_head, '-F', '-'], { input: message });
  if (isRefusal(output)) return output;
  if (output.exitCode === 0) return Buffer.from(output.stdout).toString('utf8').trim();
  if (/tell me who you are|empty ident name|user\.useConfigOnly|auto-detect/i.test(output.stderr)) {
    return refuse('git_identity_missing', 'git does not know who commits; set user.name and user.email in the Git configuration.');
  }
  return gitFailed(output);
}

async function publish(tree: WorkTree, prepared: Prepared, request: Request, branch: string | null): Promise<Answer | Refusal> {
  if (tree.call.signal.aborted) return refuse('cancelled', 'The call was cancelled; nothing was committed.', { state_changed: false });
  const call: GitCall = { ...tree.call, signal: AbortSignal.timeout(PUBLISH_MS) };
  const moved = await refusedAsMoved({ ...tree, call }, prepared, request);
  if (moved !== null) return moved;
  // Entries that are staged and not committed are a state that everybody knows; a commit whose index lags is not.
  const staged = await setIndexEntries({ ...tree, call }, prepared.entries);
  if (staged !== null) return staged;
  const subject = request.message.trim().split('\n')[0] ?? '';
  const updated = await runGit(call, ['update-ref', '-m', `commit: ${subject}`, 'HEAD', prepared.commit, request.expected_head]);
  if (!isRefusal(updated) && updated.exitCode === 0) {
    return { commit: prepared.commit, parent: request.expected_head, branch, files: prepared.files };
  }
  const now = await headOf(call);
  if (!isRefusal(now) && now.commit === prepared.commit) {
    return { commit: prepared.commit, parent: request.expected_head, branch, files: prepared.files };
  }
  const unstaged = await setIndexEntries({ ...tree, call }, prepared.before);
  const left = unstaged === null ? {} : { state_changed: true, paths_left_staged: prepared.entries.map(({ path }) => path) };
  const refusal = isRefusal(now)
    ? now
    : now.commit !== request.expected_head
      ? headMismatch(request.expected_head, now.commit)
      : isRefusal(updated)
        ? updated
        : gitWriteFailed(updated);
  return { refused: { ...refusal.refused, detail: { ...refusal.refused.detail, ...left } } };
}

/**
 * The refusal when the index no longer holds what HEAD was expected to hold: somebody
 * staged or committed one of the files meanwhile, and theirs must not be overwritten.
 */
async function refusedAsMoved(tree: WorkTree, { before, files }: Prepared, request: Request): Promise<Refusal | null> {
  const held = await trackedPaths(tree, files.map(({ path }) => path));
  if (isRefusal(held)) return held;
  const differing = before.filter(({ path, entry }) => {
    const now = held.get(path.slice(tree.prefix.length));
    return now?.oid !== entry?.oid || now?.mode !== entry?.mode;
  });
  if (differing.length === 0) return null;
  const head = await headOf(tree.call);
  if (isRefusal(head)) return head;
  if (head.commit !== request.expected_head) return headMismatch(request.expected_head, head.commit);
  // `git add -N` leaves an entry for what HEAD has not got; it counts as none.
  return differing.every(({ entry }) => entry === null) ? null : stagedChangesPresent();
}

function stagedChangesPresent(): Refusal {
  return refuse('staged_changes_present', 'There are staged changes, which this commit would leave in doubt; commit or unstage them first.');
}

function headMismatch(expected: string, current: string | null): Refusal {
  return refuse('head_mismatch', 'HEAD is another commit than was expected; look at the repository again.', {
    expected_head: expected,
    current_head: current,
    state_changed: false,
  });
}
