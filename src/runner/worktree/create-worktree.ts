import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { createWorktreeMethod } from '../../protocol/runner/worktree.js';
import { runGit } from '../git/run-git.js';
import { isRefusal, refuse } from '../request.js';
import { copyIncluded } from './copy-included.js';
import { listWorktrees, type ListedWorktree } from './listed-worktrees.js';
import { openNamespace } from './namespace.js';
import { worktreePlace } from './plan-worktree.js';
import type { SourceTree } from './source-tree.js';

type Created = z.input<typeof createWorktreeMethod.result>;

/** How long a git of an earlier attempt may still be busy with the worktree, in milliseconds. */
const STILL_MAKING_MS = 10_000;
const LOOK_MS = 200;
/** What git locks a worktree with while it makes it. */
const BEING_MADE = 'initializing';

export interface CreateRequest {
  readonly worktree_roots: readonly string[] | null;
  readonly operation_id: string;
  readonly base_commit: string;
}

/** Makes or takes up the worktree of an operation, then gives it the ignored files that the source names. */
export async function createWorktree(source: SourceTree, request: CreateRequest): Promise<Created | Refusal> {
  const worktree = await worktreePlace(source.topLevel, request.worktree_roots, request.operation_id);
  if (typeof worktree !== 'string') return worktree;
  const isThere = await exists(worktree);
  if (!isThere) {
    const failed = await add(source, worktree, request.base_commit);
    if (failed !== null) return failed;
  }
  const conflict = await conflictOf(source, worktree, request.base_commit);
  if (conflict !== null) return conflict;
  return {
    outcome: isThere ? 'recovered' : 'created',
    worktree,
    folder: source.prefix === '' ? worktree : join(worktree, source.prefix.slice(0, -1)),
    include: await copyIncluded(source, worktree),
  };
}

async function add(source: SourceTree, worktree: string, base: string): Promise<Refusal | null> {
  const unavailable = await openNamespace(dirname(worktree));
  if (unavailable !== null) return unavailable;
  const call = { ...source.call, folder: source.topLevel };
  const output = await runGit(call, ['worktree', 'add', '--quiet', '--detach', '--', worktree, base]);
  if (!isRefusal(output) && output.exitCode === 0) return null;
  if (await exists(worktree)) {
    return refuse('operation_indeterminate', 'git did not end as it should, and a worktree may be there; the same call takes it up.', {
      worktree,
      state_changed: true,
    });
  }
  if (isRefusal(output)) return { refused: { ...output.refused, detail: { ...output.refused.detail, state_changed: false } } };
  const reason = output.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  return refuse('worktree_creation_failed', `git made no worktree: ${reason === '' ? 'it gave no reason' : reason}`, {
    exit_code: output.exitCode,
    state_changed: false,
  });
}

/** Why what lies there is not the whole worktree of that operation; null when it is. */
async function conflictOf(source: SourceTree, worktree: string, base: string): Promise<Refusal | null> {
  const deadline = performance.now() + STILL_MAKING_MS;
  for (;;) {
    const listed = await listWorktrees(source.call);
    if (isRefusal(listed)) return listed;
    const found = listed.find(({ path }) => path === worktree);
    const reason = conflictReason(found, base);
    if (reason !== 'being_made' || performance.now() > deadline) {
      return reason === null ? null : recoveryConflict(worktree, reason, found);
    }
    await delay(LOOK_MS);
  }
}

/** What keeps a listed worktree from being the one of an operation (spec 07 §6). */
export function conflictReason(
  listed: ListedWorktree | undefined,
  base: string,
): 'not_listed' | 'being_made' | 'head_moved' | null {
  if (listed === undefined || listed.prunable) return 'not_listed';
  if (listed.locked === BEING_MADE) return 'being_made';
  return listed.head === base ? null : 'head_moved';
}

function recoveryConflict(worktree: string, reason: string, listed: ListedWorktree | undefined): Refusal {
  return refuse(
    'managed_worktree_recovery_conflict',
    `An earlier attempt left ${worktree}, which cannot be taken up; look at it. The next call makes a new worktree.`,
    { worktree, reason_code: reason, head: listed?.head ?? null, state_changed: false },
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    // What cannot be looked at may be there.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
