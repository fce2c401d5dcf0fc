import { basename, join } from 'node:path';
import type { z } from 'zod';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { planWorktreeMethod } from '../../protocol/runner/worktree.js';
import { observe } from '../git/observe.js';
import { isRefusal, refuse } from '../request.js';
import { baseCommit } from './base-commit.js';
import { findNamespace } from './namespace.js';
import type { SourceTree } from './source-tree.js';

type Plan = z.input<typeof planWorktreeMethod.result>;

/** What is asked for: where worktrees may lie, and from which commit. */
export interface WorktreeRequest {
  readonly worktree_roots: readonly string[] | null;
  readonly operation_id: string;
  readonly base_ref: string;
}

/** Looks at everything that a managed worktree needs, and makes nothing. */
export async function planWorktree(source: SourceTree, request: WorktreeRequest): Promise<Plan | Refusal> {
  const worktree = await worktreePlace(source.topLevel, request.worktree_roots, request.operation_id);
  if (typeof worktree !== 'string') return worktree;
  const base = await baseCommit(source.call, request.base_ref);
  if (typeof base !== 'string') return base;
  const observed = await observe(source, 'normal');
  if (isRefusal(observed)) {
    if (source.call.signal.aborted) return observed;
    return refuse('source_git_status_failed', `The source's state could not be read: ${observed.refused.message}`, { state_changed: false });
  }
  const { branch, head, dirty, conflicted } = observed.repository;
  return { base_commit: base, worktree, source: { branch, head, dirty, conflicted } };
}

/** The folder of an operation's worktree. */
export async function worktreePlace(
  topLevel: string,
  roots: readonly string[] | null,
  operationId: string,
): Promise<string | Refusal> {
  const namespace = await findNamespace(topLevel, roots);
  return typeof namespace === 'string' ? join(namespace, `${basename(topLevel)}-${operationId}`) : namespace;
}
