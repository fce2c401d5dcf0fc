import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { verifyRoot } from '../confinement/index.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { gitBytes } from '../git/run-git.js';
import { openWorkTree, type WorkTree } from '../git/work-tree.js';
import { gitWorkTree } from '../project/git-work-tree.js';
import { isRefusal } from '../request.js';
import { SortedPaths } from './sorted-paths.js';

/** How many projects are remembered, and how many places of them where telling was too much. */
const MAX_REMEMBERED = 4;
const MAX_PLACES = 64;
/** How long a place counts as one where too much is ignored to be told, in milliseconds. */
const TOO_MUCH_MS = 600_000;

interface KnownIndex {
  readonly fingerprint: string;
  readonly gitFolder: string;
  readonly version: string;
  readonly paths: SortedPaths;
}

/** What Git ignores under a place. */
export interface IgnoredByGit {
  /** Untracked entries, project-relative; a whole folder ends with a slash. */
  readonly entries: readonly string[];
  /** Tracked files that a rule ignores: Git goes by the index, and so does a search. */
  readonly tracked: readonly string[];
}

/**
 * What searches ask Git, remembered as long as it holds: the paths of the index, by the
 * index file as it lies there, and the places where single files are ignored by thousands.
 */
export class RepositoryKnowledge {
  private readonly indexes = new Map<string, KnownIndex>();
  private readonly places = new Map<string, number>();

  /** @param now milliseconds of the monotonic clock */
  constructor(private readonly now: () => number) {}

  /** The paths of the index, project-relative; null when the project is in no work tree. */
  async tracked(root: ProjectRoot, environment: BaseEnvironment, signal: AbortSignal): Promise<SortedPaths | null | Refusal> {
    const verified = await verifyRoot(root);
    if (isRefusal(verified)) return verified;
    const known = this.indexes.get(root.path);
    if (known?.fingerprint === root.fingerprint && known.version === (await versionOf(root.path, known.gitFolder))) return known.paths;
    const tree = await openWorkTree(root, environment, signal);
    if (tree === null || isRefusal(tree)) return tree;
    const version = await versionOf(root.path, tree.gitFolder);
    const paths = await list(tree, ['--cached', '--deduplicate']);
    if (isRefusal(paths)) return paths;
    const sorted = new SortedPaths(paths);
    // What changed while it was read is read again the next time.
    if (version !== null) this.remember(root.path, { fingerprint: root.fingerprint, gitFolder: tree.gitFolder, version, paths: sorted });
    return sorted;
  }

  /** Null when the project is in no work tree, or git cannot say. */
  async ignored(root: ProjectRoot, relative: string, environment: BaseEnvironment, signal: AbortSignal): Promise<IgnoredByGit | null> {
    const tree = await openWorkTree(root, environment, signal);
    if (tree === null || isRefusal(tree)) return null;
    const place = relative === '' ? [] : ['--', `:(literal)${relative}`];
    // One walk for both; each path comes with a tag that says which it is.
    const tagged = await list(tree, ['-t', '--others', '--cached', '--ignored', '--exclude-standard', '--directory', ...place]);
    if (isRefusal(tagged)) return null;
    const entries: string[] = [];
    const tracked = new Set<string>();
    for (const record of tagged) {
      const path = record.slice(record.indexOf(' ') + 1);
      if (record.startsWith('? ')) entries.push(path);
      else tracked.add(path);
    }
    return { entries, tracked: [...tracked] };
  }

  isTooMuchToTell(root: ProjectRoot, relative: string): boolean {
    return (this.places.get(placeKey(root, relative)) ?? -Infinity) > this.now();
  }

  noteTooMuch(root: ProjectRoot, relative: string): void {
    const key = placeKey(root, relative);
    if (this.isTooMuchToTell(root, relative)) return;
    this.places.delete(key);
    this.places.set(key, this.now() + TOO_MUCH_MS);
    dropOldest(this.places, MAX_PLACES);
  }

  private remember(path: string, known: KnownIndex): void {
    this.indexes.delete(path);
    this.indexes.set(path, known);
    dropOldest(this.indexes, MAX_REMEMBERED);
  }
}

function placeKey({ path, fingerprint }: ProjectRoot, relative: string): string {
  return `${fingerprint}\0${path}\0${relative}`;
}

function dropOldest(entries: Map<string, unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(key);
  }
}

/** Git replaces the index whenever it changes it; null where there is none, or no work tree any more. */
async function versionOf(root: string, gitFolder: string): Promise<string | null> {
  try {
    const top = await gitWorkTree(root);
    if (top === null) return null;
    const [place, index] = await Promise.all([join(top, '.git'), join(gitFolder, 'index')].map((path) => lstat(path, { bigint: true })));
    if (place === undefined || index === undefined) return null;
    // A file there names the Git folder; a folder changes with every command of git.
    const named = place.isFile() ? place.mtimeNs : 0n;
    return [top, place.ino, named, index.ino, index.size, index.mtimeNs, index.ctimeNs].join(' ');
  } catch {
    return null;
  }
}

async function list(tree: WorkTree, args: readonly string[]): Promise<string[] | Refusal> {
  const listing = await gitBytes(tree.call, ['ls-files', '-z', ...args]);
  if (isRefusal(listing)) return listing;
  const paths = Buffer.from(listing).toString('utf8').split('\0');
  paths.pop();
  return paths;
}
