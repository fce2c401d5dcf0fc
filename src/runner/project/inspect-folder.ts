import { access, constants, realpath, stat } from 'node:fs/promises';
import { projectRootFingerprint } from '../../protocol/project-root-fingerprint.js';
import type { InspectedFolder } from '../../protocol/runner/project.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal, refuse } from '../request.js';
import { parseAbsolutePath } from './absolute-path.js';
import { allowedRoots, outsideAllowedRoots, type AllowedRoots } from './allowed-roots.js';
import { gitWorkTree } from './git-work-tree.js';
import { UNCHANGED } from './unchanged.js';

/**
 * Looks at the folder that an absolute path leads to: where it really is, its
 * fingerprint, whether it can be written, and the Git work tree around it. Whatever
 * lies outside the allowed roots is refused before anything is said about it.
 */
export async function inspectFolder(
  text: string,
  rootPaths: readonly string[] | null,
): Promise<InspectedFolder | Refusal> {
  const parsed = parseAbsolutePath(text);
  if (isRefusal(parsed)) return parsed;
  const roots = await allowedRoots(rootPaths);
  let path: string;
  try {
    path = await realpath(parsed.absolute);
  } catch (error) {
    return unresolved(error, parsed.absolute, roots);
  }
  if (!roots.reaches(path)) return outsideAllowedRoots();
  try {
    const status = await stat(path, { bigint: true });
    if (!status.isDirectory()) {
      return refuse('project_path_not_directory', 'a project is a folder, and that path is none', UNCHANGED);
    }
    await access(path, constants.R_OK | constants.X_OK);
    return {
      path,
      fingerprint: projectRootFingerprint({ realpath: path, dev: status.dev, ino: status.ino }),
      writable: await isWritable(path),
      git_work_tree: await gitWorkTree(path),
    };
  } catch (error) {
    return unresolved(error, path, roots);
  }
}

function unresolved(error: unknown, path: string, roots: AllowedRoots): Refusal {
  if (!roots.mayReach(path)) return outsideAllowedRoots();
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return refuse('project_path_not_found', 'there is no folder at that path', UNCHANGED);
    case 'EACCES':
    case 'EPERM':
      return refuse('permission_denied', 'the operating system does not let this user into that folder', UNCHANGED);
    default:
      return refuse('invalid_project_path', 'that path cannot be resolved', {
        ...UNCHANGED,
        reason_code: (error as NodeJS.ErrnoException).code ?? 'unresolvable',
      });
  }
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
