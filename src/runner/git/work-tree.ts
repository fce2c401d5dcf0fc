import { relative } from 'node:path';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { isPathWithin } from '../../protocol/path-within.js';
import { verifyRoot } from '../confinement/index.js';
import { gitWorkTree } from '../project/git-work-tree.js';
import { isRefusal } from '../request.js';
import { disableHooks } from './configured-hooks.js';
import { configuredNames, LIST_CONFIGURED } from './configured-names.js';
import { gitReadEnvironment, type BaseEnvironment } from './git-environment.js';
import { blankFilters, repositoryFilters } from './repository-filters.js';
import { gitFailed, runGit, type GitCall } from './run-git.js';

/** A Git work tree that a project's folder lies in, with a git that may read it safely. */
export interface WorkTree {
  /** The project's folder, where git runs. */
  readonly call: GitCall;
  /** The project's folder from the top of the work tree, with a slash at its end; `''` at the top. */
  readonly prefix: string;
  readonly gitFolder: string;
  /** `sha1` or `sha256`. */
  readonly objectFormat: string;
  /** Filters of the repository's own configuration, which are blank here. */
  readonly blankedFilters: readonly string[];
  /** The object name of the empty tree, what the first commit is compared with. */
  readonly emptyTree: string;
}

const EMPTY_TREES: Readonly<Record<string, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

const NO_MATCH = 1;

/**
 * Finds the work tree of a project and makes reading it safe (spec 00, decision 33).
 *
 * @returns null when the project is in no work tree, a bare repository included
 */
export async function openWorkTree(
  root: ProjectRoot,
  base: BaseEnvironment,
  signal: AbortSignal,
): Promise<WorkTree | null | Refusal> {
  const verified = await verifyRoot(root);
  if (isRefusal(verified)) return verified;
  const folder = verified.path;
  const bare: GitCall = { folder, environment: gitReadEnvironment(base, folder, []), signal };
  const [place, listed] = await Promise.all([
    runGit(bare, ['rev-parse', '--is-inside-work-tree', '--show-object-format', '--absolute-git-dir', '--show-toplevel']),
    runGit(bare, LIST_CONFIGURED),
  ]);
  if (isRefusal(place)) return place;
  if (isRefusal(listed)) return listed;
  const [inside, objectFormat = '', ...folders] = Buffer.from(place.stdout).toString('utf8').split('\n');
  if (place.exitCode !== 0 || inside !== 'true') {
    const isExpected = inside === 'false' || (await gitWorkTree(folder)) === null;
    return isExpected ? null : gitFailed(place);
  }
  if (listed.exitCode !== 0 && listed.exitCode !== NO_MATCH) return gitFailed(listed);
  const emptyTree = EMPTY_TREES[objectFormat];
  const places = gitPlaces(folders.slice(0, -1), folder);
  if (emptyTree === undefined || places === null) {
    return gitFailed({ exitCode: 0, stderr: `its work tree or its object format (${objectFormat}) is not understood` });
  }

  const configured = configuredNames(Buffer.from(listed.stdout).toString('utf8'));
  const blankedFilters = repositoryFilters(configured);
  const config = [...blankFilters(blankedFilters), ...disableHooks(configured)];
  const prefix = relative(places.top, folder);
  return {
    call: { folder, environment: gitReadEnvironment(base, folder, config), signal },
    prefix: prefix === '' ? '' : `${prefix}/`,
    gitFolder: places.gitFolder,
    objectFormat,
    blankedFilters,
    emptyTree,
  };
}

/**
 * Tells the repository's folder from the top of its work tree, which git prints a line
 * each: a folder's name may hold a line break, but the top lies at or above the project.
 */
function gitPlaces(lines: readonly string[], folder: string): { readonly gitFolder: string; readonly top: string } | null {
  for (let first = 1; first < lines.length; first += 1) {
    const top = lines.slice(first).join('\n');
    if (isPathWithin(top, folder)) return { gitFolder: lines.slice(0, first).join('\n'), top };
  }
  return null;
}
