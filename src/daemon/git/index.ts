import type { Domain } from '../domain.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { SessionsDomain } from '../sessions/index.js';
import { readWorkspaceChanges } from './tools/read-workspace-changes.js';

export interface GitDeps {
  readonly runner: RunnerPort;
  /** The retained events of a Session, for the reads that show them beside the work tree. */
  readonly sessions: Pick<SessionsDomain, 'snapshot'>;
}

/** What git says of a project, read without a lock and without running the repository's code. */
export function createGitDomain(deps: GitDeps): Domain {
  return { name: 'git', tools: [readWorkspaceChanges(deps)] };
}
