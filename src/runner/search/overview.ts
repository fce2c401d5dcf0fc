import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { OverviewEntry, overviewMethod } from '../../protocol/runner/find-files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { fileErrorRefusal, pathProtection, resolveInside, shown, verifyRoot, type VerifiedRoot } from '../confinement/index.js';
import { boundedSignal, endedRefusal } from '../deadline.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { runGit, type GitCall } from '../git/run-git.js';
import { openWorkTree } from '../git/work-tree.js';
import { isRefusal, refuse } from '../request.js';

const OVERVIEW_MS = 20_000;
const NONE_IGNORED = 1;

type Params = z.output<typeof overviewMethod.params>;
type Overview = z.input<typeof overviewMethod.result>;

/** Shows the top levels of a folder, the upper levels first, so that a bound cuts the deepest ones. */
export async function overview(params: Params, environment: BaseEnvironment, signal: AbortSignal): Promise<Overview | Refusal> {
  const bounded = boundedSignal(signal, OVERVIEW_MS);
  const root = await verifyRoot(params.root);
  if (isRefusal(root)) return root;
  const place = await resolveInside(root, params.path);
  if (isRefusal(place)) return place;
  const protection = pathProtection(place.relative) ?? pathProtection(place.realRelative);
  if (protection !== null) {
    return refuse('sensitive_path', `${shown(place.relative)} is protected by its name and is not listed.`, { reason_code: `${protection}_path` });
  }
  const tree = await openWorkTree(params.root, environment, bounded);
  if (tree !== null && isRefusal(tree)) return tree;
  const walk = new Walk(root, tree?.call ?? null, params.limit);
  try {
    await walk.level([place.realRelative], params.max_depth, bounded);
  } catch (error) {
    return fileErrorRefusal(error, place.relative);
  }
  if (bounded.aborted) return endedRefusal(bounded, 'The overview');
  const entries = [...walk.entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { path: place.realRelative, entries, truncated: walk.isCut, unreadable: walk.unreadable };
}

/** A walk over a folder, a level at a time. */
class Walk {
  readonly entries = new Map<string, OverviewEntry>();
  readonly unreadable: string[] = [];
  isCut = false;

  constructor(
    private readonly root: VerifiedRoot,
    private readonly git: GitCall | null,
    private readonly limit: number,
  ) {}

  /** @throws what the first folder of all could not be read for */
  async level(folders: readonly string[], levels: number, signal: AbortSignal): Promise<void> {
    if (levels === 0 || folders.length === 0 || signal.aborted) return;
    const paths: string[] = [];
    for (const folder of folders) {
      const names = await this.namesIn(folder);
      const own = this.entries.get(folder);
      if (own !== undefined) this.entries.set(folder, { ...own, entries: names.length });
      paths.push(...names.map((name) => (folder === '' ? name : `${folder}/${name}`)));
    }
    const room = this.limit - this.entries.size;
    if (paths.length > room) this.isCut = true;
    const shownPaths = paths.slice(0, room);
    const ignored = await this.ignoredAmong(shownPaths);
    const next: string[] = [];
    for (const path of shownPaths) {
      const entry = await this.look(path, ignored.has(path));
      if (entry === null) continue;
      this.entries.set(path, entry);
      if (entry.type === 'directory' && entry.ignored === undefined && entry.protected === undefined) next.push(path);
    }
    await this.level(next, levels - 1, signal);
  }

  private async namesIn(folder: string): Promise<string[]> {
    try {
      return (await readdir(join(this.root.path, folder))).sort();
    } catch (error) {
      if (!this.entries.has(folder)) throw error;
      this.unreadable.push(folder);
      return [];
    }
  }

  private async look(path: string, isIgnored: boolean): Promise<OverviewEntry | null> {
    const facts = {
      path,
      ...(isIgnored ? { ignored: true as const } : {}),
      ...(pathProtection(path) === null ? {} : { protected: true as const }),
    };
    try {
      const status = await lstat(join(this.root.path, path));
      if (status.isFile()) return { ...facts, type: 'file', size_bytes: status.size };
      return { ...facts, type: status.isDirectory() ? 'directory' : status.isSymbolicLink() ? 'link' : 'other' };
    } catch {
      // It went away meanwhile.
      return null;
    }
  }

  private async ignoredAmong(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.git === null || paths.length === 0) return new Set();
    const output = await runGit(this.git, ['check-ignore', '-z', '--stdin'], { input: paths.map((path) => `./${path}\0`).join('') });
    if (isRefusal(output) || output.exitCode > NONE_IGNORED) return new Set();
    return new Set(
      Buffer.from(output.stdout)
        .toString('utf8')
        .split('\0')
        .map((path) => path.replace(/^\.\//, '')),
    );
  }
}
