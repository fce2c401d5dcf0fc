import { parseProjectId } from '../../protocol/ids.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { Principal } from '../kernel/principal.js';
import { releaseShellsMethod } from '../../protocol/runner/shells.js';
import type { RunnerPort } from '../runner-link/port.js';
import { refuseWithActiveJobs } from './active-jobs.js';
import type { RegisteredProject } from './registered-project.js';
import { revisionConflict, type Registry } from './registry.js';

/** What one unregistration is about. */
export interface UnregistrationRequest {
  /** Any selector; an id also names a project that was unregistered before. */
  readonly project: string;
  readonly expectedRevision: number;
}

/** How an unregistration ended, or would end. */
export type Unregistration =
  | { readonly outcome: 'unregistered' | 'already_unregistered'; readonly project: RegisteredProject }
  | { readonly failure: Failure };

/** Everything that must hold before a registration ends, and nothing changed yet (decision 64). */
export async function checkUnregistration(
  registry: Registry,
  runner: RunnerPort,
  request: UnregistrationRequest,
  principal: Principal,
  signal: AbortSignal,
): Promise<Unregistration> {
  const id = parseProjectId(request.project);
  const known = id === null ? null : registry.find(id, principal);
  if (known !== null && known.unregisteredAt !== null) return { outcome: 'already_unregistered', project: known };
  const selected = registry.select(request.project, principal);
  if ('failure' in selected) return selected;
  const { project } = selected;
  if (project.revision !== request.expectedRevision) return { failure: revisionConflict(project) };
  const jobs = await refuseWithActiveJobs(runner, project.projectId, signal);
  return jobs === null ? { outcome: 'unregistered', project } : { failure: jobs };
}

/** Ends a registration, and the persistent shells in the project. The folder, its Sessions and everything else about it stay. */
export async function unregister(
  registry: Registry,
  runner: RunnerPort,
  request: UnregistrationRequest,
  principal: Principal,
  signal: AbortSignal,
): Promise<Unregistration> {
  const checked = await checkUnregistration(registry, runner, request, principal, signal);
  if ('failure' in checked || checked.outcome === 'already_unregistered') return checked;
  const ended = await registry.unregister(checked.project.projectId, request.expectedRevision);
  if ('failure' in ended) return ended;
  // A Runner that cannot be reached does not hold this up: nothing runs a command in such a shell any more.
  await runner.call(releaseShellsMethod, { project: ended.project.projectId, reason: 'project_unregistered' });
  return { outcome: 'unregistered', project: ended.project };
}
