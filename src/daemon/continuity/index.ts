import type { Database } from 'better-sqlite3';
import type { Domain } from '../domain.js';
import type { ProjectPort } from '../kernel/ports.js';
import type { ProjectsAtWork } from '../projects/index.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { SessionsDomain } from '../sessions/index.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import type { ValidationDomain } from '../validation/index.js';
import type { DecideRegistration } from './startup/resolve-project.js';
import { ObservedInstructions } from './startup/observed-instructions.js';
import type { ReportsPort } from '../external-observations/index.js';
import { finishCodingTask } from './tools/finish-coding-task.js';
import { readSessionHandoff } from './tools/read-session-handoff.js';
import { workOnProject } from './tools/work-on-project.js';

export { continuitySchema } from './schema.js';
export type { DecideRegistration } from './startup/resolve-project.js';

/** What the domain is made of. */
export interface ContinuityDeps {
  readonly database: Database;
  readonly commits: CommitQueue;
  readonly sessions: SessionsDomain;
  readonly projects: ProjectPort & ProjectsAtWork;
  readonly runner: RunnerPort;
  /** Takes the ends of a Session's Jobs into its ledger before evidence is read. */
  readonly terminalJobs: ValidationDomain['terminalJobs'];
  /** External reports, beside all evidence. */
  readonly reports: ReportsPort;
  /** The permission decision of `register_project`, for a work tree that has to be registered. */
  readonly decideRegistration: DecideRegistration;
  /** Told of a fault of ours that a caller only learns the name of. */
  readonly onFault: (error: unknown) => void;
}

/** Continuity of coding tasks: how one starts and goes on, and how it stands at its end. */
export function createContinuityDomain(deps: ContinuityDeps): Domain {
  return {
    name: 'continuity',
    tools: [
      workOnProject({ ...deps, instructions: new ObservedInstructions(deps.database, deps.commits) }),
      readSessionHandoff(deps),
      finishCodingTask(deps),
    ],
  };
}
