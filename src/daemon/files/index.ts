import type { Domain } from '../domain.js';
import type { SessionPort } from '../kernel/ports.js';
import type { RunnerPort } from '../runner-link/port.js';
import { LastWriters } from './last-writers.js';
import { applyPatch } from './tools/apply-patch.js';
import { applyUnifiedDiff } from './tools/apply-unified-diff.js';
import { editProjectFiles } from './tools/edit-project-files.js';
import { listProjectFiles } from './tools/list-project-files.js';
import { listProjectTrackedFiles } from './tools/list-project-tracked-files.js';
import { readFiles } from './tools/read-files.js';
import { readProjectOverview } from './tools/read-project-overview.js';
import { searchFileContext } from './tools/search-file-context.js';
import { searchProjectTexts } from './tools/search-project-texts.js';
import { writeProjectFile } from './tools/write-project-file.js';

export { LastWriters } from './last-writers.js';
export { runnerRoot } from './runner-root.js';

export interface FilesDeps {
  readonly runner: RunnerPort;
  /** Names the Session of the last writer to the principal that owns it. */
  readonly sessions: Pick<SessionPort, 'refFor'>;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Reading, searching and editing the files of a project; the Runner does all of it (spec 00, decision 17). */
export function createFilesDomain({ runner, sessions, now }: FilesDeps): Domain {
  const writers = new LastWriters();
  const edit = { runner, sessions, now, writers };
  return {
    name: 'files',
    tools: [
      readFiles(runner),
      readProjectOverview(runner),
      listProjectFiles(runner),
      listProjectTrackedFiles(runner),
      searchProjectTexts(runner),
      searchFileContext(runner),
      editProjectFiles(edit),
      applyPatch(edit),
      applyUnifiedDiff(edit),
      writeProjectFile(edit),
    ],
    status: () => ({ remembered_writers: writers.size }),
  };
}
