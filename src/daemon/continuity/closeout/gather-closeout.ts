import type { SessionId } from '../../../protocol/ids.js';
import { workspaceChangesMethod } from '../../../protocol/runner/git.js';
import { receiptsMethod } from '../../../protocol/runner/project.js';
import type { ProjectRoot } from '../../../protocol/runner/project-root.js';
import type { ResolvedProject } from '../../kernel/call-context.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { aggregateJobs } from '../evidence/job-aggregate.js';
import { workJobs } from '../session-jobs.js';
import { unavailableReason } from '../unavailable-reason.js';
import type { CloseoutFacts, OutputCheck, WorkspaceCheck } from './closeout-facts.js';
import { checkHygiene } from './hygiene.js';

/** How long a closeout looks for, in milliseconds; what is late was not observed. */
const BOUND_MS = 30_000;

/** What a report shows of a diff; all of it is in read_workspace_changes. */
const DIFF_BOUNDS = { max_hunks: 60, max_hunk_lines: 80, max_diff_bytes: 64 * 1024 };

/** What a report asks the Runner about. */
export interface CloseoutQuestions {
  readonly workspace: boolean;
  readonly diff: boolean;
  readonly hygiene: boolean;
  /** Project-relative paths; empty when none were declared. */
  readonly outputs: readonly string[];
}

/** What a closeout sees outside of the ledger. */
export type CloseoutLooks = Pick<CloseoutFacts, 'workspace' | 'hygiene' | 'jobs' | 'outputs'>;

/** Looks once at everything that a closeout asks about, at the same time. */
export async function gatherCloseout(
  runner: RunnerPort,
  sessionId: SessionId,
  project: ResolvedProject | null,
  questions: CloseoutQuestions,
  callSignal: AbortSignal,
): Promise<CloseoutLooks> {
  if (project === null) {
    const outputs: OutputCheck | null =
      questions.outputs.length === 0
        ? null
        : { status: 'failed', reasonCode: 'session_without_project', paths: questions.outputs };
    return { workspace: { status: 'not_applicable' }, hygiene: { status: 'not_applicable' }, jobs: aggregateJobs([]), outputs };
  }
  const root = { path: project.path, fingerprint: project.rootFingerprint };
  const signal = AbortSignal.any([callSignal, AbortSignal.timeout(BOUND_MS)]);
  const [workspace, hygiene, jobs, outputs] = await Promise.all([
    checkWorkspace(runner, root, questions, signal),
    checkHygiene(runner, root, questions.hygiene, signal),
    workJobs(runner, project.id, sessionId, signal),
    checkOutputs(runner, root, questions.outputs, signal),
  ]);
  return { workspace, hygiene, jobs: jobs.ofSession, outputs };
}

async function checkWorkspace(
  runner: RunnerPort,
  root: ProjectRoot,
  { workspace, diff }: CloseoutQuestions,
  signal: AbortSignal,
): Promise<WorkspaceCheck> {
  if (!workspace) return { status: 'not_requested' };
  const answer = await runner.call(workspaceChangesMethod, { root, include_diff: diff, ...DIFF_BOUNDS }, { signal });
  if ('failure' in answer) return { status: 'failed', reasonCode: unavailableReason(answer.failure) };
  return { status: 'observed', changes: answer.answer };
}

async function checkOutputs(
  runner: RunnerPort,
  root: ProjectRoot,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<OutputCheck | null> {
  if (paths.length === 0) return null;
  const answer = await runner.call(receiptsMethod, { root, paths: [...paths] }, { signal });
  if ('failure' in answer) {
    return { status: 'failed', reasonCode: unavailableReason(answer.failure), paths };
  }
  return { status: 'checked', receipts: answer.answer.receipts };
}
