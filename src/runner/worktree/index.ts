import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import {
  createWorktreeMethod,
  inspectWorktreeMethod,
  planWorktreeMethod,
  removeWorktreeMethod,
  verifyWorktreeMethod,
} from '../../protocol/runner/worktree.js';
import { boundedSignal, Ended, endedRefusal } from '../deadline.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { isRefusal, serve, type RunnerService } from '../request.js';
import type { Turns } from '../turns.js';
import { createWorktree } from './create-worktree.js';
import { isFolder, lookAtWorktree, NOTHING_THERE } from './look-at-worktree.js';
import { planWorktree } from './plan-worktree.js';
import { removedFolder, removeWorktree } from './remove-worktree.js';
import { openSource, type SourceTree } from './source-tree.js';
import { unlinked, verifyWorktree } from './verify-worktree.js';

/** How long looking at a repository may take, in milliseconds. */
const LOOK_MS = 20_000;
/** How long a checkout may take: an MCP client waits 45 s for its whole call. */
const CREATE_MS = 35_000;
/** How long removing one may take: it may hold whatever was installed and built in it. */
const REMOVE_MS = 300_000;

/** What worktree services need of the Runner. */
export interface WorktreeServicesOptions {
  /** What git is started with: PATH, HOME and the like; asked for every request. */
  readonly environment: () => BaseEnvironment | Promise<BaseEnvironment>;
  readonly turns: Turns;
}

/** Managed worktrees: planned, made and looked at again (spec 01 §9; spec 07 §6). */
export function createWorktreeServices({ environment, turns }: WorktreeServicesOptions): readonly RunnerService[] {
  return [
    serve(planWorktreeMethod, async ({ root, ...request }, { signal }) => {
      const source = await openSource(root, await environment(), boundedSignal(signal, LOOK_MS));
      return isRefusal(source) ? source : planWorktree(source, request);
    }),
    serve(createWorktreeMethod, async ({ root, ...request }, { signal }) => {
      const bounded = boundedSignal(signal, CREATE_MS);
      try {
        // A daemon that came back asks for the same operation again while the first one still runs.
        return await turns.take(`worktree ${request.operation_id}`, bounded, async () => {
          const source = await openSource(root, await environment(), bounded);
          return isRefusal(source) ? source : createWorktree(source, request);
        });
      } catch (error) {
        if (error instanceof Ended) return endedRefusal(bounded, 'The wait for an earlier attempt');
        throw error;
      }
    }),
    serve(verifyWorktreeMethod, async ({ root, source_root: sourceRoot, ...lineage }, { signal }) => {
      const [base, bounded] = [await environment(), boundedSignal(signal, LOOK_MS)];
      const [own, source] = [await openSource(root, base, bounded), await openSource(sourceRoot, base, bounded)];
      if (isRefusal(own)) return unlinked(own, lineage.worktree);
      return isRefusal(source) ? source : verifyWorktree(own, source, lineage);
    }),
    serve(inspectWorktreeMethod, async ({ source_root: sourceRoot, ...asked }, { signal }) => {
      const [base, bounded] = [await environment(), boundedSignal(signal, LOOK_MS)];
      const source = await sourceOf(sourceRoot, asked.worktree, base, bounded);
      if (source === null) return NOTHING_THERE;
      return isRefusal(source) ? source : lookAtWorktree(source, base, asked);
    }),
    serve(removeWorktreeMethod, async ({ source_root: sourceRoot, ...asked }, { signal }) => {
      const bounded = boundedSignal(signal, REMOVE_MS);
      try {
        return await turns.take(`worktree ${asked.operation_id}`, bounded, async () => {
          const base = await environment();
          const source = await sourceOf(sourceRoot, asked.worktree, base, bounded);
          if (source === null) return { removed: true, look: NOTHING_THERE };
          return isRefusal(source) ? source : removeWorktree(source, base, asked);
        });
      } catch (error) {
        if (error instanceof Ended) return endedRefusal(bounded, 'The wait for an earlier attempt');
        throw error;
      }
    }),
  ];
}

/** The source of a worktree; null when neither it nor the worktree's folder is there any more. */
async function sourceOf(root: ProjectRoot, worktree: string, base: BaseEnvironment, signal: AbortSignal): Promise<SourceTree | null | Refusal> {
  const source = await openSource(root, base, signal);
  if (!isRefusal(source) || source.refused.detail['reason_code'] !== 'root_missing') return source;
  const left = await Promise.all([isFolder(worktree), isFolder(removedFolder(worktree))]);
  return left.every((place) => place === 'missing') ? null : source;
}
