import type { ProjectRoot } from '../../protocol/runner/project-root.js';
import type { ResolvedProject } from '../kernel/call-context.js';

/** The registered folder as the Runner is asked for it: it verifies the fingerprint anew. */
export function runnerRoot(project: ResolvedProject): ProjectRoot {
  return { path: project.path, fingerprint: project.rootFingerprint };
}
