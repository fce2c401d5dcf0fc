import type { ProjectId, RootFingerprint } from '../../protocol/ids.js';
import type { ResolvedProject } from '../kernel/call-context.js';

/** The one client of this product: the daemon's own Runner. */
export const LOCAL_CLIENT = 'local';

/** A row of the registry. Times are Unix seconds. */
export interface RegisteredProject {
  readonly projectId: ProjectId;
  readonly clientId: string;
  /** The last part of the id. */
  readonly shortId: string;
  readonly name: string;
  readonly description: string | null;
  /** Absolute, with every link resolved. */
  readonly path: string;
  readonly rootFingerprint: RootFingerprint;
  readonly allowPatch: boolean;
  readonly revision: number;
  readonly registeredAt: number;
  readonly updatedAt: number;
  /** Null while it is registered. */
  readonly unregisteredAt: number | null;
}

/** The project as the kernel and other domains use it. */
export function resolvedProject(project: RegisteredProject): ResolvedProject {
  return {
    id: project.projectId,
    name: project.name,
    clientId: project.clientId,
    path: project.path,
    rootFingerprint: project.rootFingerprint,
    allowPatch: project.allowPatch,
    revision: project.revision,
  };
}
