import { listCheckpointsMethod } from '../../../protocol/runner/checkpoints.js';
import { observeGitMethod } from '../../../protocol/runner/git.js';
import type { ProjectRoot } from '../../../protocol/runner/project-root.js';
import type { JsonObject } from '../../../protocol/tool-result.js';
import type { CallContext, ResolvedProject } from '../../kernel/call-context.js';
import type { SessionView } from '../../kernel/ports.js';
import type { RunnerPort } from '../../runner-link/port.js';
import type { ValidationDomain } from '../../validation/index.js';
import { aggregateJobs } from '../evidence/job-aggregate.js';
import { workJobs } from '../session-jobs.js';
import { unavailableReason } from '../unavailable-reason.js';
import { captureReports, captureSession, sessionChanged, type CaptureDeps } from './capture-session.js';
import { reportsChanged } from './external-section.js';
import type { HandoffFacts, WorkspaceLook } from './handoff-facts.js';
import { lookAtValidation } from './look-at-validation.js';

/** How long a handoff looks for, in milliseconds; what is late was not observed. */
const BOUND_MS = 20_000;
const MAX_CHECKPOINTS = 5;

export interface HandoffDeps extends CaptureDeps {
  readonly runner: RunnerPort;
  readonly terminalJobs: ValidationDomain['terminalJobs'];
}

/** What a handoff looks at beside the ledger. */
export interface HandoffQuestions {
  readonly workspace: boolean;
  readonly validation: boolean;
  readonly checkpoints: boolean;
}

/** The facts of a handoff, and the checkpoints that only the diagnostic view shows. */
export interface GatheredHandoff {
  readonly facts: HandoffFacts;
  readonly checkpoints: JsonObject;
}

/**
 * Gathers a handoff in the order of spec 06 §10: the ends of Jobs first, then one capture of
 * the Session, then the looks that take time, then the fences again. So it never races with
 * itself, and tells of every change that came in between; it claims no atomicity.
 *
 * @returns null when the Session is not retained any more
 * @throws CommitFailedError
 */
export async function gatherHandoff(
  deps: HandoffDeps,
  session: SessionView,
  questions: HandoffQuestions,
  call: Pick<CallContext, 'project' | 'signal'>,
): Promise<GatheredHandoff | null> {
  const { project } = call;
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(BOUND_MS)]);
  const validation = await lookAtValidation(deps.terminalJobs, questions.validation, session.sessionId, project, signal);
  const captured = captureSession(deps, session);
  if (captured === null) return null;
  const { fence, ...facts } = captured;
  const [workspace, jobs, checkpoints] = await Promise.all([
    lookAtWorkspace(deps.runner, project, questions.workspace, signal),
    project === null ? aggregateJobs([]) : workJobs(deps.runner, project.id, session.sessionId, signal).then(({ ofSession }) => ofSession),
    lookAtCheckpoints(deps.runner, project, questions.checkpoints, signal),
  ]);
  const raced = {
    session: sessionChanged(deps, session.sessionId, fence),
    reports: reportsChanged(captured.reports, captureReports(deps, session)),
  };
  return { facts: { ...facts, workspace, jobs, validation, raced }, checkpoints };
}

async function lookAtWorkspace(
  runner: RunnerPort,
  project: ResolvedProject | null,
  asked: boolean,
  signal: AbortSignal,
): Promise<WorkspaceLook> {
  if (!asked) return { status: 'not_requested' };
  if (project === null) return { status: 'unavailable', reasonCode: 'session_without_project' };
  const seen = await runner.call(observeGitMethod, { root: rootOf(project) }, { signal });
  return 'failure' in seen ? { status: 'unavailable', reasonCode: unavailableReason(seen.failure) } : { status: 'available', git: seen.answer };
}

async function lookAtCheckpoints(
  runner: RunnerPort,
  project: ResolvedProject | null,
  asked: boolean,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (!asked) return { status: 'not_requested' };
  if (project === null) return { status: 'unavailable', reason_code: 'session_without_project' };
  const listed = await runner.call(listCheckpointsMethod, { root: rootOf(project), limit: MAX_CHECKPOINTS }, { signal });
  if ('failure' in listed) return { status: 'unavailable', reason_code: unavailableReason(listed.failure) };
  const { checkpoints, total } = listed.answer;
  return {
    status: 'available',
    items: checkpoints.map(({ checkpoint_id, created_at, title, kind, automatic, head }) => ({ checkpoint_id, created_at, title, kind, automatic, head })),
    total,
    truncated: checkpoints.length < total,
  };
}

function rootOf(project: ResolvedProject): ProjectRoot {
  return { path: project.path, fingerprint: project.rootFingerprint };
}
