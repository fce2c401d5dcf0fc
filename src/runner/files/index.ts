import { applyDiffMethod, applyPatchMethod, editFilesMethod, writeFileMethod } from '../../protocol/runner/edits.js';
import { listFilesMethod, readFilesMethod } from '../../protocol/runner/files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { Ended, endedRefusal, untilEnded } from '../deadline.js';
import { Places } from '../places.js';
import { serve, type RunnerService } from '../request.js';
import type { Turns } from '../turns.js';
import { BoundedWork } from './bounded-work.js';
import type { BatchPlace } from './edit/apply-batch.js';
import { editFiles } from './edit/edit-files.js';
import type { EditJournal } from './edit/edit-journal.js';
import { NOTHING_WRITTEN } from './edit/edit-refusal.js';
import { writeFile } from './edit/write-file.js';
import { listFiles } from './list-files.js';
import { applyDiff } from './patch/apply-diff.js';
import { applyPatch } from './patch/apply-patch.js';
import { readFiles } from './read-files.js';

export { EditJournal } from './edit/edit-journal.js';
export { settleEdits, type SettledEdits } from './edit/settle-edits.js';

/** How long reading, listing, and checking an edit may take, in milliseconds. */
const FILE_WORK_MS = 30_000;

export interface FilesServicesOptions {
  /**
   * How many pieces of file work may be under way in the whole process: less than the
   * threads of its pool, so that a file system that hangs leaves some to everybody else.
   */
  readonly places: number;
  /** Writes to one project go one after the other, whoever makes them. */
  readonly turns: Turns;
  /** Where the batches that are being written stand. */
  readonly journal: EditJournal;
  /** Settles when the batches of dead Runners are settled: no edit begins before. */
  readonly settled: Promise<void>;
}

/** Reading, listing and editing the files of a project (spec 04 §7.5, §7.6). */
export function createFilesServices(options: FilesServicesOptions): readonly RunnerService[] {
  const shared = new Places(options.places);
  const { turns, journal, settled } = options;
  const inTurn = async <Answer>(
    root: string,
    signal: AbortSignal,
    edit: (place: BatchPlace) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> => {
    const work = new BoundedWork(signal, FILE_WORK_MS, shared, 'The edit');
    try {
      await untilEnded(settled, work.signal);
      return await turns.take(root, work.signal, () => edit({ work, journal }));
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      const { refused } = endedRefusal(work.signal, 'The edit');
      return { refused: { ...refused, detail: { ...refused.detail, ...NOTHING_WRITTEN } } };
    }
  };
  return [
    serve(readFilesMethod, (params, { signal }) =>
      readFiles(params, new BoundedWork(signal, FILE_WORK_MS, shared, 'The read')),
    ),
    serve(listFilesMethod, async (params, { signal }) => {
      const work = new BoundedWork(signal, FILE_WORK_MS, shared, 'The listing');
      return work.run(() => listFiles(params));
    }),
    serve(editFilesMethod, (params, { signal }) => inTurn(params.root.path, signal, (place) => editFiles(params, place))),
    serve(applyPatchMethod, (params, { signal }) => inTurn(params.root.path, signal, (place) => applyPatch(params, place))),
    serve(applyDiffMethod, (params, { signal }) => inTurn(params.root.path, signal, (place) => applyDiff(params, place))),
    serve(writeFileMethod, (params, { signal }) => inTurn(params.root.path, signal, (place) => writeFile(params, place))),
  ];
}
