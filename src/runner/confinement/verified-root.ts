import { realpath, stat } from 'node:fs/promises';
import { projectRootFingerprint } from '../../protocol/project-root-fingerprint.js';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';

/** A project root that was just found to be the very folder that was registered. */
export interface VerifiedRoot {
  /** Absolute, with every link resolved. */
  readonly path: string;
}

/**
 * Looks at a registered folder anew. A folder that is gone, is no folder, or is
 * another one than was registered is `project_root_changed`.
 */
export async function verifyRoot(root: ProjectRoot): Promise<VerifiedRoot | Refusal> {
  try {
    const path = await realpath(root.path);
    const status = await stat(path, { bigint: true });
    const fingerprint = projectRootFingerprint({ realpath: path, dev: status.dev, ino: status.ino });
    if (!status.isDirectory() || fingerprint !== root.fingerprint) return rootChanged('replaced');
    return { path };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES' || code === 'EPERM') return rootChanged('not_accessible');
    return rootChanged('missing');
  }
}

function rootChanged(reason: 'missing' | 'replaced' | 'not_accessible'): Refusal {
  return refuse(
    'project_root_changed',
    "The project's folder is no longer the one that was registered; look at it and register the project again.",
    { reason_code: `root_${reason}` },
  );
}
