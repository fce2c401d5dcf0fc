import { stat } from 'node:fs/promises';
import type { ErrorKind } from '../../protocol/error-kinds.js';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { resolveInside, verifyRoot, type VerifiedRoot } from '../confinement/index.js';
import type { RunnerSettings } from '../../protocol/runner/settings.js';
import { refuseFolder } from '../policy/start-policy.js';
import { isRefusal } from '../request.js';
import { notStarted } from './not-started.js';

export interface WorkingFolder {
  /** Absolute, with every link resolved. */
  readonly path: string;
  /** Relative to the root, `.` for the root itself. */
  readonly relative: string;
  /** The project's root, absolute and resolved. */
  readonly root: string;
}

/**
 * Where a program starts: a folder inside the project's real root, and inside the
 * folders that the policy allows (spec 03 §9). It is looked at right before the start,
 * and a failure is final: nothing is tried at the root.
 */
export async function workingFolder(
  root: ProjectRoot,
  cwd: string | null,
  policy: Pick<RunnerSettings, 'allowed_roots' | 'allow_cwd_anywhere'>,
): Promise<WorkingFolder | Refusal> {
  const verified = await verifyRoot(root);
  if (isRefusal(verified)) return refused(verified, cwd ?? '.');
  const folder = await folderInside(verified, cwd ?? '.');
  return isRefusal(folder) ? folder : ((await refuseFolder(policy, folder.path)) ?? folder);
}

async function folderInside(root: VerifiedRoot, cwd: string): Promise<WorkingFolder | Refusal> {
  // The root was just seen to be the registered folder.
  if (cwd === '.') return { path: root.path, relative: '.', root: root.path };
  const place = await resolveInside(root, cwd);
  if (isRefusal(place)) return refused(place, cwd);
  try {
    if (!(await stat(place.path)).isDirectory()) return notAFolder(cwd, 'not_directory');
  } catch {
    // It went away since it was resolved.
    return notAFolder(cwd, 'not_found');
  }
  return { path: place.path, relative: place.realRelative === '' ? '.' : place.realRelative, root: root.path };
}

function refused({ refused: { error_kind, message, detail } }: Refusal, cwd: string): Refusal {
  if (detail['reason_code'] === 'symlink_escape' || error_kind === 'permission_denied') {
    return notStarted('permission_denied', 'permission_denied', `The working folder ${JSON.stringify(cwd)} lies outside the project or may not be entered.`, {
      ...detail,
      cwd,
    });
  }
  return notStarted(error_kind as ErrorKind, 'invalid_arguments', message, { ...detail, cwd });
}

function notAFolder(cwd: string, kind: ErrorKind): Refusal {
  return notStarted(kind, 'invalid_arguments', `The working folder ${JSON.stringify(cwd)} is no folder; name one inside the project.`, { cwd });
}
