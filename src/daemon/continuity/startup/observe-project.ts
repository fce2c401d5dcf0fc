import type { ProjectId, SessionId } from '../../../protocol/ids.js';
import { observeGitMethod, type GitObservation } from '../../../protocol/runner/git.js';
import { observeInstructionsMethod } from '../../../protocol/runner/project.js';
import { errorKindOf, failure } from '../../../protocol/tool-result.js';
import type { CallContext, ResolvedProject } from '../../kernel/call-context.js';
import { refuseCall } from '../../kernel/call-refused.js';
import type { RunnerAnswer, RunnerPort } from '../../runner-link/port.js';
import { unavailableReason } from '../unavailable-reason.js';
import { workJobs, type WorkJobs } from '../session-jobs.js';
import type { InstructionObservation } from './instruction-status.js';

/** How long a start waits for its observations, in milliseconds; what is late is unavailable. */
const BOUND_MS = 20_000;

/** The repository, or why nobody could look at it. */
export type WorkspaceObservation =
  | { readonly observed: GitObservation }
  | { readonly unavailable: string };

/** What was seen of a project when work on it began. */
export interface ProjectObservation {
  readonly workspace: WorkspaceObservation;
  readonly instructions: InstructionObservation | null;
  readonly jobs: WorkJobs;
}

/**
 * Looks at instructions, repository and Jobs at once (spec 01 §9, step 6). What cannot
 * be seen is reported as such and stops nothing, except a folder that is no longer the
 * registered one: there is nothing to work on.
 *
 * @throws CallRefused
 */
export async function observeProject(
  runner: RunnerPort,
  project: ResolvedProject,
  sessionId: SessionId | null,
  call: CallContext,
): Promise<ProjectObservation> {
  const root = { path: project.path, fingerprint: project.rootFingerprint };
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(BOUND_MS)]);
  const [git, instructions, jobs] = await Promise.all([
    runner.call(observeGitMethod, { root }, { signal }),
    runner.call(observeInstructionsMethod, { root }, { signal }),
    workJobs(runner, project.id, sessionId, signal),
  ]);
  if (call.signal.aborted) {
    refuseCall(failure('cancelled', 'the call was cancelled before anything was changed', { state_changed: false }));
  }
  refuseChangedRoot(git, project.id);
  refuseChangedRoot(instructions, project.id);
  return {
    workspace: 'failure' in git ? { unavailable: unavailableReason(git.failure) } : { observed: git.answer },
    instructions:
      'failure' in instructions
        ? null
        : { sources: instructions.answer.sources, unreadable: instructions.answer.unreadable.length },
    jobs,
  };
}

function refuseChangedRoot(answer: RunnerAnswer<unknown>, project: ProjectId): void {
  if (!('failure' in answer) || errorKindOf(answer.failure) !== 'project_root_changed') return;
  refuseCall({ ...answer.failure, output: { ...answer.failure.output, project, state_changed: false } });
}
