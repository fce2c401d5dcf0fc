import { z } from 'zod';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const count = z.number().int().nonnegative();
const objectName = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);

/** Where managed worktrees may lie: the caller's allowed roots, absolute; null lets them lie beside their source. */
const worktreeRoots = z.array(z.string()).readonly().nullable();

/** Names one creation, so that it can be taken up again: a UUID of the daemon's. */
const operationId = z.uuid();

/**
 * Everything that has to be known before a managed worktree is made (spec 07 §6); nothing
 * is made here. Refusals: `source_not_git_repository`, `invalid_base_ref`,
 * `base_ref_resolution_failed`, `source_git_status_failed`, `managed_worktree_root_unavailable`.
 */
export const planWorktreeMethod = runnerMethod({
  name: 'worktree/plan',
  params: z.strictObject({
    root: projectRootSchema,
    worktree_roots: worktreeRoots,
    operation_id: operationId,
    base_ref: z.string(),
  }),
  result: z.strictObject({
    base_commit: objectName,
    /** Where the worktree of that operation will lie. */
    worktree: z.string(),
    /** The source as it was seen; what is not committed there is not in the worktree. */
    source: z.strictObject({
      branch: z.string().nullable(),
      head: z.string().nullable(),
      dirty: z.boolean(),
      conflicted: z.boolean(),
    }),
  }),
  note: z.never(),
  effectful: false,
});

/** What became of the ignored files of the source (spec 00, decision 37). */
export const worktreeIncludeSchema = z.strictObject({
  /** Whether the source has a `.worktreeinclude` that could be read. */
  status: z.enum(['applied', 'absent', 'unreadable']),
  /** Paths from the top of the work tree, the first of them. */
  copied: z.array(z.string()),
  copied_count: count,
  /** Named by it, but no regular file, taken in the worktree, or beyond the bounds. */
  skipped: z.array(z.string()),
  skipped_count: count,
  /** Ignored entries that stayed behind, whole folders counting as one; null when they were not counted. */
  ignored_not_copied: count.nullable(),
});
export type WorktreeInclude = z.infer<typeof worktreeIncludeSchema>;

/**
 * Makes the worktree of an operation, detached at a commit, or takes up the one that an
 * earlier attempt of the same operation left: only if git lists it with HEAD at that
 * commit, else `managed_worktree_recovery_conflict`. `worktree_creation_failed` leaves
 * nothing; `operation_indeterminate` names what may be there.
 */
export const createWorktreeMethod = runnerMethod({
  name: 'worktree/create',
  params: z.strictObject({
    root: projectRootSchema,
    worktree_roots: worktreeRoots,
    operation_id: operationId,
    base_commit: objectName,
  }),
  result: z.strictObject({
    outcome: z.enum(['created', 'recovered']),
    /** The top of the worktree. */
    worktree: z.string(),
    /** The source's folder in it, which becomes the project. */
    folder: z.string(),
    include: worktreeIncludeSchema,
  }),
  note: z.never(),
  effectful: true,
});

/**
 * Looks whether a managed worktree still is what its lineage says: a worktree of the
 * source's repository that git lists at its place. `managed_worktree_resume_mismatch`
 * otherwise, `managed_worktree_resume_base_mismatch` when `base_ref` means another commit
 * by now. HEAD may have moved on (spec 00, decision 6).
 */
export const verifyWorktreeMethod = runnerMethod({
  name: 'worktree/verify',
  params: z.strictObject({
    root: projectRootSchema,
    source_root: projectRootSchema,
    worktree: z.string(),
    base_commit: objectName,
    base_ref: z.string().nullable(),
  }),
  result: z.strictObject({ head: z.string().nullable() }),
  note: z.never(),
  effectful: false,
});

/** What keeps a managed worktree from being removed: it holds something that nothing else does, or somebody uses it. */
export const WORKTREE_KEEPS = [
  // Something else lies at its place.
  'other_folder',
  'changed_files',
  // Commits that no other branch, remote branch or tag holds.
  'own_commits',
  // A rebase, merge or the like was begun in it.
  'operation_under_way',
  // By `git worktree lock`.
  'locked',
  // Their repositories lie in the worktree's own.
  'submodules',
] as const;

/** A managed worktree as it is now. */
export const worktreeLookSchema = z.strictObject({
  folder: z.enum(['present', 'missing']),
  head: objectName.nullable(),
  /** Null when HEAD is detached, as it was made. */
  branch: z.string().nullable(),
  /** Uncommitted and untracked files; null where they could not be looked at. */
  changed_files: count.nullable(),
  own_commits: count.nullable(),
  /** Ignored entries, a whole folder counting as one: they go with it. */
  ignored_entries: count.nullable(),
  /** Empty when nothing would be lost. */
  kept_by: z.array(z.enum(WORKTREE_KEEPS)),
});
export type WorktreeLook = z.infer<typeof worktreeLookSchema>;

/** A managed worktree, by its lineage. */
const worktreeOfSource = z.strictObject({
  source_root: projectRootSchema,
  worktree: z.string(),
  base_commit: objectName,
  operation_id: operationId,
});

/**
 * Looks at a managed worktree. A source that is not there any more is
 * `source_not_git_repository` or the refusal of its root, as long as the worktree's folder
 * is there; where neither is, nothing is kept.
 */
export const inspectWorktreeMethod = runnerMethod({
  name: 'worktree/inspect',
  params: worktreeOfSource,
  result: worktreeLookSchema,
  note: z.never(),
  effectful: false,
});

/**
 * Removes a managed worktree with everything that git knows of it, after one more look:
 * whatever keeps it then, keeps it. What a removal that was cut off left is removed as well.
 * Branches and commits stay. `worktree_removal_failed` leaves the folder where it was.
 */
export const removeWorktreeMethod = runnerMethod({
  name: 'worktree/remove',
  params: worktreeOfSource,
  result: z.strictObject({ removed: z.boolean(), look: worktreeLookSchema }),
  note: z.never(),
  effectful: true,
});
