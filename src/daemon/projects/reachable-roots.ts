import type { CallContext } from '../kernel/call-context.js';

/** Who asks for a folder, and how. */
export type FolderCaller = Pick<CallContext, 'principal' | 'adapter' | 'signal'>;

/**
 * The folders that a caller may name as a project (spec 00, decision 51). A policy
 * that is set binds everyone. Without one, the owner at a terminal or on the plain
 * socket is bound by the operating system alone (null); the MCP shim and tokens reach
 * the home folder and what is registered already.
 */
export function reachableRoots(
  policy: { readonly allowedRoots: readonly string[] | null; readonly home: string },
  caller: FolderCaller,
  registered: readonly string[],
): readonly string[] | null {
  if (policy.allowedRoots !== null) return policy.allowedRoots;
  const atTheTerminal =
    caller.principal.credential === 'local_owner' &&
    (caller.adapter === 'cli' || caller.adapter === 'http');
  return atTheTerminal ? null : [policy.home, ...registered];
}

/** The folders that may hold a caller's managed worktrees: the same, but never another project. */
export function worktreeRoots(
  policy: { readonly allowedRoots: readonly string[] | null; readonly home: string },
  caller: FolderCaller,
): readonly string[] | null {
  return reachableRoots(policy, caller, []);
}
