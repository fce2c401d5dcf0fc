import { realpath } from 'node:fs/promises';
import { isPathWithin } from '../../protocol/path-within.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';
import { UNCHANGED } from './unchanged.js';

/** The folders that a caller may reach (spec 00, decision 51). */
export interface AllowedRoots {
  /** Whether a resolved path lies in one of them. */
  reaches(resolved: string): boolean;
  /** The same for a path that could not be resolved, by its text. */
  mayReach(unresolved: string): boolean;
}

/** Resolves the roots; one that does not exist reaches nothing. Null reaches everything. */
export async function allowedRoots(roots: readonly string[] | null): Promise<AllowedRoots> {
  if (roots === null) return { reaches: () => true, mayReach: () => true };
  const resolved = (await Promise.all(roots.map(resolve))).filter((root) => root !== null);
  const lies = (within: readonly string[], path: string): boolean =>
    within.some((root) => isPathWithin(root, path));
  return {
    reaches: (path) => lies(resolved, path),
    mayReach: (path) => lies(resolved, path) || lies(roots, path),
  };
}

/** The one answer for everything outside, so that it does not tell what exists there. */
export function outsideAllowedRoots(): Refusal {
  return refuse(
    'path_outside_allowed_roots',
    'that path is outside the folders that this caller may use; register it from a terminal, or widen runner.allowed_roots',
    UNCHANGED,
  );
}

async function resolve(root: string): Promise<string | null> {
  try {
    return await realpath(root);
  } catch {
    return null;
  }
}
