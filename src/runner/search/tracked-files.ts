import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { listTrackedMethod } from '../../protocol/runner/find-files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { parseProjectPath, pathProtection, shown } from '../confinement/index.js';
import { boundedSignal, isTimeout } from '../deadline.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { notARepository } from '../git/not-a-repository.js';
import { isRefusal, refuse } from '../request.js';
import { compileGlobs } from './path-globs.js';
import type { RepositoryKnowledge } from './repository-knowledge.js';
import { rollUp } from './roll-up.js';

const LIST_MS = 30_000;
/** Paths that are looked at before other requests get their turn. */
const PATHS_A_TURN = 2_000;

type Params = z.output<typeof listTrackedMethod.params>;
type Listing = z.input<typeof listTrackedMethod.result>;

/** Lists the files of the Git index under a path, with folders for what would be too many. */
export async function trackedFiles(
  params: Params,
  knowledge: RepositoryKnowledge,
  environment: BaseEnvironment,
  signal: AbortSignal,
): Promise<Listing | Refusal> {
  const parsed = parseProjectPath(params.path);
  if (isRefusal(parsed)) return parsed;
  const protection = pathProtection(parsed.relative);
  if (protection !== null) {
    return refuse('sensitive_path', `${shown(parsed.relative)} is protected by its name and is not listed.`, { reason_code: `${protection}_path` });
  }
  const globs = compileGlobs(params.globs, []);
  if (isRefusal(globs)) return refuse('invalid_globs', globs.refused.message, globs.refused.detail);
  const bounded = boundedSignal(signal, LIST_MS);
  const tracked = await knowledge.tracked(params.root, environment, bounded);
  if (tracked === null) return notARepository();
  if (isRefusal(tracked)) {
    return bounded.aborted && isTimeout(bounded) ? refuse('list_timeout', 'git did not list the index in time; try again.') : tracked;
  }
  const paths = parsed.relative === '' ? tracked.all : tracked.at(parsed.relative);
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
