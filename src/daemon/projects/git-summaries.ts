import { observeGitMethod } from '../../protocol/runner/git.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { RegisteredProject } from './registered-project.js';

const IN_PARALLEL = 4;
/** A list answers in time, whatever state its repositories are in. */
const BOUND_MS = 15_000;

/**
 * The Git state of some projects, in their order. One that could not be observed in
 * time says so and never looks clean.
 */
export async function gitSummaries(
  runner: RunnerPort,
  projects: readonly RegisteredProject[],
  signal: AbortSignal,
): Promise<JsonObject[]> {
  const summaries: JsonObject[] = projects.map(() => ({ status: 'not_observed' }));
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(BOUND_MS)]);
  let next = 0;
  const observeOn = async (): Promise<void> => {
    while (next < projects.length && !bounded.aborted) {
      const index = next;
      next += 1;
      const project = projects[index];
      if (project !== undefined) summaries[index] = await summary(runner, project, bounded);
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, observeOn));
  return summaries;
}

async function summary(runner: RunnerPort, project: RegisteredProject, signal: AbortSignal): Promise<JsonObject> {
  const root = { path: project.path, fingerprint: project.rootFingerprint };
  const observed = await runner.call(observeGitMethod, { root }, { signal });
  if ('failure' in observed) {
    return { status: 'unavailable', reason_code: observed.failure.output['error_kind'] ?? 'internal_error' };
  }
  return { status: 'observed', ...observed.answer };
}
