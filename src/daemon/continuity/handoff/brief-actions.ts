import type { Attention } from './attention.js';
import type { BriefValidation } from './brief-validation.js';
import type { ProgressState } from './progress-state.js';
import type { Raced } from './handoff-facts.js';

const MAX_ACTIONS = 5;

/** The whole vocabulary of a brief's next actions: fixed texts, into which nothing is put (spec 06 §8). */
export const ACTIONS = {
  reread: 'Read this handoff again with read_session_handoff before any dependent work: something changed while it was read.',
  conflicts: 'Resolve the conflicts of the work tree first: read_workspace_changes shows them.',
  recovering: 'Wait for the recovering Jobs: observe_jobs tells when they are known again. Start nothing again meanwhile.',
  blocking: 'Wait for the active Jobs of this Session, or stop them: list_jobs names them.',
  failure: 'Resolve what fails: validation.open_failures names it, and only a later pass of the same check settles it.',
  risks: 'Look at the open risks on the board: list_session_messages shows them.',
  validate: 'Run the validation, or read it: no pass is proven since the last change.',
  messages: 'Answer the open questions, todos and guidance on the board: list_session_messages shows them.',
  terminal_pending: 'Look at the Jobs that are stopping: list_jobs shows how they ended.',
  exploration: 'Begin at the files that the latest attempt read: progress.recent_files.',
  changes: 'Review what the latest attempt changed: read_workspace_changes.',
  proceed: 'Go on with the latest instruction.',
  closed: 'This Session is closed: start a new one with work_on_project to go on.',
} as const;

/** What the actions are chosen by. */
export interface ActionFacts {
  readonly state: ProgressState;
  readonly raced: Raced;
  readonly attention: Attention;
  readonly validation: BriefValidation;
  readonly dirty: boolean;
  readonly readFiles: boolean;
  readonly changedFiles: boolean;
}

/** The next actions in their fixed order. */
export function briefActions({ state, raced, attention, validation, dirty, readFiles, changedFiles }: ActionFacts): readonly string[] {
  const waiting = (attention.open_questions ?? 0) + (attention.open_todos ?? 0) + (attention.open_guidance ?? 0);
  const unproven = state === 'needs_validation' || (dirty && validation.status !== 'passed' && validation.status !== 'failed');
  const actions: string[] = [
    ...(raced.session || raced.reports ? [ACTIONS.reread] : []),
    ...(attention.workspace_conflict === true ? [ACTIONS.conflicts] : []),
    ...((attention.recovering_jobs ?? 0) > 0 ? [ACTIONS.recovering] : (attention.blocking_jobs ?? 0) > 0 ? [ACTIONS.blocking] : []),
    ...(validation.status === 'failed' ? [ACTIONS.failure] : []),
    ...((attention.open_risks ?? 0) > 0 ? [ACTIONS.risks] : []),
    ...(unproven ? [ACTIONS.validate] : []),
    ...(waiting > 0 ? [ACTIONS.messages] : []),
    ...((attention.terminal_pending_jobs ?? 0) > 0 ? [ACTIONS.terminal_pending] : []),
    ...(readFiles ? [ACTIONS.exploration] : []),
    ...(changedFiles ? [ACTIONS.changes] : []),
  ];
  if (state === 'closed') actions.push(ACTIONS.closed);
  return (actions.length === 0 ? [ACTIONS.proceed] : actions).slice(0, MAX_ACTIONS);
}
