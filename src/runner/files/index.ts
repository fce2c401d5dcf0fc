import { editFilesMethod } from '../../protocol/runner/edits.js';
import { listFilesMethod, readFilesMethod } from '../../protocol/runner/files.js';
import { Ended, endedRefusal } from '../deadline.js';
import { Places } from '../places.js';
import { serve, type RunnerService } from '../request.js';
import type { Turns } from '../turns.js';
import { BoundedWork } from './bounded-work.js';
import { editFiles } from './edit/edit-files.js';
import { NOTHING_WRITTEN } from './edit/edit-refusal.js';
import { listFiles } from './list-files.js';
import { readFiles } from './read-files.js';

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
}

/** Reading, listing and editing the files of a project (spec 04 §7.5, §7.6). */
export function createFilesServices(options: FilesServicesOptions): readonly RunnerService[] {
  const shared = new Places(options.places);
  const { turns } = options;
  return [
    serve(readFilesMethod, (params, { signal }) =>
      readFiles(params, new BoundedWork(signal, FILE_WORK_MS, shared, 'The read')),
    ),
    serve(listFilesMethod, async (params, { signal }) => {
      const work = new BoundedWork(signal, FILE_WORK_MS, shared, 'The listing');
      return work.run(() => listFiles(params));
    }),
    serve(editFilesMethod, async (params, { signal }) => {
      const work = new BoundedWork(signal, FILE_WORK_MS, shared, 'The edit');
      try {
        return await turns.take(params.root.path, work.signal, () => editFiles(params, work));
      } catch (error) {
        if (!(error instanceof Ended)) throw error;
        const { refused } = endedRefusal(work.signal, 'The edit');
        return { refused: { ...refused, detail: { ...refused.detail, ...NOTHING_WRITTEN } } };
      }
    }),
  ];
}
