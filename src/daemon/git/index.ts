import type { Domain } from '../domain.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { SessionsDomain } from '../sessions/index.js';
import { Committers } from './committers.js';
import { checkWorkspaceHygiene } from './tools/check-workspace-hygiene.js';
import { commitGitPaths } from './tools/commit-git-paths.js';
import { deleteProjectFiles } from './tools/delete-project-files.js';
import { discardUntracked } from './tools/discard-untracked.js';
import { getGitStatus } from './tools/get-git-status.js';
import { readGitDiffHunks } from './tools/read-git-diff-hunks.js';
import { readGitLog } from './tools/read-git-log.js';
import { readGitReviewSummary } from './tools/read-git-review-summary.js';
import { readWorkspaceChanges } from './tools/read-workspace-changes.js';
import { restoreGitPaths } from './tools/restore-git-paths.js';
import { reviewChanges } from './tools/review-changes.js';

export { refusedByRegistration, writeFailed, WRITING_TOOL } from './writing-tool.js';

export interface GitDeps {
  readonly runner: RunnerPort;
  /** The retained events of a Session, and its short name for the principal that owns it. */
  readonly sessions: Pick<SessionsDomain, 'snapshot' | 'refFor'>;
  /** Unix seconds. */
  readonly now: () => number;
}

/** A project's repository: read without a lock and without running its code, committed to and cleaned up under guards. */
export function createGitDomain(deps: GitDeps): Domain {
  return {
    name: 'git',
    tools: [
      reviewChanges(deps),
      readWorkspaceChanges(deps),
      getGitStatus(deps),
      readGitLog(deps),
      readGitDiffHunks(deps),
      readGitReviewSummary(deps),
      commitGitPaths({ ...deps, committers: new Committers() }),
      restoreGitPaths(deps),
      discardUntracked(deps),
      deleteProjectFiles(deps),
      checkWorkspaceHygiene(deps),
    ],
  };
}
