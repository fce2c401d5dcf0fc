import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { nulRecords } from './nul-records.js';
import { gitBytes } from './run-git.js';
import type { WorkTree } from './work-tree.js';

/** What the index knows of a path. */
export interface TrackedPath {
  /** Git's mode, such as `100644`. */
  readonly mode: string;
  readonly oid: string;
  /** The file is kept out of the work tree by a sparse checkout or by hand. */
  readonly isSkipped: boolean;
}

const SKIPPED = 'S';

/** Which of some project-relative paths the index holds, as exactly these. */
export async function trackedPaths(tree: WorkTree, paths: readonly string[]): Promise<ReadonlyMap<string, TrackedPath> | Refusal> {
  const tracked = new Map<string, TrackedPath>();
  if (paths.length === 0) return tracked;
  const output = await gitBytes(tree.call, ['ls-files', '--cached', '--stage', '-t', '-z', '--', ...paths.map((path) => `:(literal)${path}`)]);
  if (isRefusal(output)) return output;
  for (const record of nulRecords(output)) {
    const tab = record.indexOf(9);
    const [tag = '', mode = '', oid = ''] = record.toString('latin1', 0, tab).split(' ');
    tracked.set(record.toString('utf8', tab + 1), { mode, oid, isSkipped: tag === SKIPPED });
  }
  return new Map([...tracked].filter(([path]) => paths.includes(path)));
}
