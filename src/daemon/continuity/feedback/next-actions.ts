import type { OpenMessages } from '../evidence/board-view.js';
import type { JobAggregate } from '../evidence/job-aggregate.js';
import type { Exploration } from './exploration.js';
import type { OpenFailure } from './open-failures.js';

const MAX_ACTIONS = 8;
const MAX_CHARACTERS = 160;
const FILES_NAMED = 3;

/** What the next actions are chosen from. */
export interface NextActionFacts {
  readonly openFailures: readonly OpenFailure[];
  readonly otherFailures: number;
  readonly jobs: JobAggregate;
  /** Null when the board cannot be read. */
  readonly open: OpenMessages | null;
  /** Whether content changed and no check has started since. */
  readonly needsCheck: boolean;
  /** Given at startup only. */
  readonly exploration: Exploration | null;
}

/** The next actions in their fixed order (spec 06 §7.2); the failing target comes first and by its name. */
export function nextActions(facts: NextActionFacts): readonly string[] {
  const { openFailures, otherFailures, jobs, open, needsCheck, exploration } = facts;
  const actions = openFailures.map(({ name, exit_code: exitCode }) => {
    const how = exitCode === null ? 'failed' : `ended with exit code ${exitCode}`;
    return `Resolve ${name}: it ${how} and has not passed since.`;
  });
  if (otherFailures > 0) {
    actions.push(`Look at ${counted(otherFailures, 'failed call')} of the latest attempt: read_session_summary shows them.`);
  }
  if (jobs.status === 'available') {
    if (jobs.recoveringCount > 0) actions.push(`Wait for ${counted(jobs.recoveringCount, 'recovering Job')}.`);
    const working = jobs.blockingCount - jobs.recoveringCount;
    if (working > 0) actions.push(`Wait for or stop ${counted(working, 'active Job')}: list_jobs names them.`);
    if (jobs.terminalPendingCount > 0) actions.push(`Observe the end of ${counted(jobs.terminalPendingCount, 'stopping Job')}.`);
  }
  const waiting = open === null ? 0 : open.guidance + open.risks + open.questions + open.todos;
  if (waiting > 0) actions.push(`Answer ${counted(waiting, 'open message')} on the board of this Session.`);
  if (needsCheck) actions.push('Run the tests: nothing was checked since the last change.');
  const quiet = actions.length === 0;
  if (quiet && exploration !== null && exploration.paths.length > 0) {
    actions.push(`Files that the previous attempt read: ${exploration.paths.slice(0, FILES_NAMED).join(', ')}.`);
  }
  if (actions.length === 0) actions.push('Go on with the instruction.');
  return actions.slice(0, MAX_ACTIONS).map(bounded);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function bounded(action: string): string {
  const characters = [...action];
  return characters.length <= MAX_CHARACTERS ? action : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
