import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { listTrackedMethod } from '../../protocol/runner/find-files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { parseProjectPath, pathProtection, shown } from '../confinement/index.js';
import { boundedSignal, isTimeout } from '../deadline.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { notARepository } from '../git/not-a-repository.js';
import { gitBytes } from '../git/run-git.js';
import { openWorkTree } from '../git/work-tree.js';
import { isRefusal, refuse } from '../request.js';
import { compileGlobs } from './path-globs.js';
import { rollUp } from './roll-up.js';

const LIST_MS = 30_000;
/** Paths that are looked at before other requests get their turn. */
const PATHS_A_TURN = 2_000;

type Params = z.output<typeof listTrackedMethod.params>;
type Listing = z.input<typeof listTrackedMethod.result>;

/** Lists the files of the Git index under a path, with folders for what would be too many. */
export async function trackedFiles(params: Params, environment: BaseEnvironment, signal: AbortSignal): Promise<Listing | Refusal> {
  const parsed = parseProjectPath(params.path);
  if (isRefusal(parsed)) return parsed;
  const protection = pathProtection(parsed.relative);
  if (protection !== null) {
    return refuse('sensitive_path', `${shown(parsed.relative)} is protected by its name and is not listed.`, { reason_code: `${protection}_path` });
  }
  const globs = compileGlobs(params.globs, []);
  if (isRefusal(globs)) return refuse('invalid_globs', globs.refused.message, globs.refused.detail);
  const bounded = boundedSignal(signal, LIST_MS);
  const paths = await indexPaths(params, parsed.relative, environment, bounded);
  if (isRefusal(paths)) {
    return bounded.aborted && isTimeout(bounded) ? refuse('list_timeout', 'git did not list the index in time; try again, or list one folder of it.') : paths;
  }
  const { files, leftOut } = await chosen(paths, globs.admits, params.query?.toLowerCase() ?? null);
  const base = parsed.relative === '' ? '' : `${parsed.relative}/`;
  const { entries, depth } = rollUp(files, base, params.depth, params.limit);
  return {
    entries: entries
      .slice(params.offset, params.offset + params.limit)
      .map((entry) => (pathProtection(entry.path) === 'secret' ? { ...entry, protected: true as const } : entry)),
    total_count: entries.length,
    total_files: files.length,
    depth,
    left_out: leftOut,
  };
}

async function indexPaths(
  { root }: Params,
  relative: string,
  environment: BaseEnvironment,
  signal: AbortSignal,
): Promise<readonly string[] | Refusal> {
  const tree = await openWorkTree(root, environment, signal);
  if (tree === null) return notARepository();
  if (isRefusal(tree)) return tree;
  // Without a path git lists the folder that it runs in.
  const place = relative === '' ? [] : [`:(literal)${relative}`];
  const listing = await gitBytes(tree.call, ['ls-files', '-z', '--cached', '--deduplicate', '--', ...place]);
  if (isRefusal(listing)) return listing;
  const paths = Buffer.from(listing).toString('utf8').split('\0');
  paths.pop();
  return paths;
}

async function chosen(
  paths: readonly string[],
  admits: (path: string) => boolean,
  query: string | null,
): Promise<{ readonly files: string[]; readonly leftOut: number }> {
  const files: string[] = [];
  let leftOut = 0;
  for (const [index, path] of paths.entries()) {
    if (index > 0 && index % PATHS_A_TURN === 0) await nextTurn();
    if ((query !== null && !path.toLowerCase().includes(query)) || !admits(path)) continue;
    if (pathProtection(path) === 'bulk') leftOut += 1;
    else files.push(path);
  }
  return { files, leftOut };
}
