import { lstat, realpath } from 'node:fs/promises';
import { join, relative as relativePath } from 'node:path';
import { isPathWithin } from '../../protocol/path-within.js';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal, refuse } from '../request.js';
import { fileErrorRefusal, shown } from './file-error.js';
import { parseProjectPath } from './project-path.js';
import { verifyRoot, type VerifiedRoot } from './verified-root.js';

/** A place inside a project, after every link was resolved and checked. */
export interface InsideRoot {
  /** Absolute, with every link resolved: open this one, without following links. */
  readonly path: string;
  /** What was asked for, normalized and project-relative; `''` is the root. */
  readonly relative: string;
  /** Where it really lies, project-relative; differs from `relative` where links are on the way. */
  readonly realRelative: string;
}

/** A place that does not exist yet; its nearest existing folder lies inside the project. */
export interface NewInsideRoot extends InsideRoot {
  /** Absolute folders that would have to be made first, outermost first. */
  readonly missingParents: readonly string[];
}

/**
 * Resolves a caller's path inside a registered project (spec 04 §1; decision 64): the
 * root is verified against its fingerprint, links that end inside are followed, one
 * that ends outside is `invalid_path`. The place must exist.
 */
export async function resolveInsideRoot(root: ProjectRoot, relative: string): Promise<InsideRoot | Refusal> {
  const verified = await verifyRoot(root);
  return isRefusal(verified) ? verified : resolveInside(verified, relative);
}

/** `resolveInsideRoot` for a root that this request has verified already. */
export async function resolveInside(root: VerifiedRoot, text: string): Promise<InsideRoot | Refusal> {
  const parsed = parseProjectPath(text);
  if (isRefusal(parsed)) return parsed;
  try {
    const path = await realpath(join(root.path, parsed.relative));
    return isPathWithin(root.path, path) ? place(root, parsed.relative, path) : escape(parsed.relative);
  } catch (error) {
    return fileErrorRefusal(error, parsed.relative);
  }
}

/**
 * Resolves where a new file would lie. Something that exists there already, be it a
 * link that leads nowhere, is `already_exists`.
 */
export async function resolveNewInside(root: VerifiedRoot, text: string): Promise<NewInsideRoot | Refusal> {
  const parsed = parseProjectPath(text);
  if (isRefusal(parsed)) return parsed;
  const parts = parsed.relative === '' ? [] : parsed.relative.split('/');
  if (await exists(join(root.path, ...parts))) {
    return refuse('already_exists', `${shown(parsed.relative)} exists already.`, { path: parsed.relative });
  }
  const missing: string[] = [];
  let ancestor: string | null = null;
  while (ancestor === null) {
    const last = parts.pop();
    if (last === undefined) return fileErrorRefusal({ code: 'ENOENT' }, parsed.relative);
    missing.unshift(last);
    const candidate = join(root.path, ...parts);
    try {
      ancestor = await realpath(candidate);
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !(await exists(candidate));
      if (!isMissing) return fileErrorRefusal(error, parsed.relative);
    }
  }
  if (!isPathWithin(root.path, ancestor)) return escape(parsed.relative);
  try {
    if (!(await lstat(ancestor)).isDirectory()) return fileErrorRefusal({ code: 'ENOTDIR' }, parsed.relative);
  } catch (error) {
    return fileErrorRefusal(error, parsed.relative);
  }
  const missingParents = missing.slice(0, -1).map((_, index) => join(ancestor, ...missing.slice(0, index + 1)));
  return { ...place(root, parsed.relative, join(ancestor, ...missing)), missingParents };
}

function place(root: VerifiedRoot, relative: string, path: string): InsideRoot {
  return { path, relative, realRelative: relativePath(root.path, path) };
}

function escape(relative: string): Refusal {
  return refuse('invalid_path', `${shown(relative)} leads out of the project through a link.`, {
    path: relative,
    reason_code: 'symlink_escape',
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
