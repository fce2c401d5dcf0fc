import { stat } from 'node:fs/promises';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import type { FoundItem, SearchQuery, TextMatch } from '../../protocol/runner/search.js';
import { pathProtection, resolveInside, shown, type InsideRoot, type VerifiedRoot } from '../confinement/index.js';
import { gitWorkTree } from '../project/git-work-tree.js';
import { isRefusal, refuse } from '../request.js';
import { LeftOutListener } from './left-out.js';
import { compileGlobs } from './path-globs.js';
import { NestedRepositories } from './nested-repositories.js';
import { checkPattern } from './pattern-check.js';
import { inOrder, recordReader, type FoundRecord, type RecordReader } from './record-reader.js';
import type { IgnoredByGit, RepositoryKnowledge } from './repository-knowledge.js';
import { ripgrepArguments } from './ripgrep-arguments.js';
import type { RipgrepEnd, RipgrepRun } from './run-ripgrep.js';
import type { SortedPaths } from './sorted-paths.js';
import { runTold, type PlainRun, type Telling } from './told-run.js';
import { searchable } from './tracked-all-the-same.js';

const NO_MATCH = 1;
/** Names of files in one command line. */
const FILES_A_RUN = 500;

const TOLD_ALWAYS: Telling = { isTooMuch: false, onTooMuch: () => undefined };

export interface SearchContext {
  readonly root: VerifiedRoot;
  readonly project: ProjectRoot;
  readonly knowledge: RepositoryKnowledge;
  readonly ripgrep: string;
  readonly environment: RipgrepRun['environment'];
  readonly signal: AbortSignal;
  readonly maxTextBytes: number;
}

/** Runs one query of a batch (spec 04 §7.5). */
export async function searchOne(query: SearchQuery, context: SearchContext): Promise<Omit<FoundItem, 'index'> | Refusal> {
  const place = await searchPlace(query.path, context.root);
  if (isRefusal(place)) return place;
  const globs = compileGlobs(query.include_globs, query.exclude_globs);
  if (isRefusal(globs)) return globs;
  const admits = (path: string): boolean => globs.admits(path) && pathProtection(path) === null;

  const leftOut = new LeftOutListener(place.realRelative, globs.admits);
  const run = {
    executable: context.ripgrep,
    folder: context.root.path,
    environment: context.environment,
    signal: context.signal,
  };
  const isInRepository = (await gitWorkTree(context.root.path)) !== null;
  const argumentsFor = (relative: readonly string[]): string[] =>
    ripgrepArguments(query, { relative, isInRepository, prunedFolders: globs.prunedFolders });
  const newReader = (): RecordReader => recordReader(query, admits);
  const git = isInRepository && !query.include_ignored && place.isFolder ? new IgnoringGit(context, place.realRelative) : null;
  const told = await runTold(run, argumentsFor([place.realRelative]), newReader, leftOut, git ?? TOLD_ALWAYS);
  const { end, reader, isToldWhole } = told;

  const found = reader.records();
  if (git !== null && end.how === 'exited') {
    const ignoredAllTheSame = (await git.trackedFiles(leftOut, isToldWhole)).filter(admits);
    const files = await searchable(context.root.path, ignoredAllTheSame, leftOut);
    for (let first = 0; first < files.length; first += FILES_A_RUN) {
      const more = await runTold(run, argumentsFor(files.slice(first, first + FILES_A_RUN)), newReader, leftOut, TOLD_ALWAYS);
      found.push(...more.reader.records());
    }
  }
  const nested = new NestedRepositories(context.root.path, place.realRelative);
  const records = await nested.without(inOrder(found));
  const failed = await failureOf(end, query, records.length, leftOut.unreadable, run);
  if (failed !== null) return failed;
  for (const path of reader.binaryFiles()) leftOut.addBinary(path);
  return {
    success: true,
    result_mode: query.result_mode,
    ...page(records, query, context.maxTextBytes),
    total_count: records.length,
    total_is_exact: end.how === 'exited',
    left_out: await leftOut.sum(context.root.path, isToldWhole),
    unreadable: leftOut.unreadable,
  };
}

/** What git knows that a search by ripgrep alone does not, asked while it runs. */
class IgnoringGit implements Telling {
  readonly isTooMuch: boolean;
  private readonly tracked: Promise<SortedPaths | null | Refusal>;
  private ignored: Promise<IgnoredByGit | null> | null = null;

  constructor(
    private readonly context: SearchContext,
    private readonly relative: string,
  ) {
    const { knowledge, project, environment, signal } = context;
    this.isTooMuch = knowledge.isTooMuchToTell(project, relative);
    this.tracked = this.isTooMuch ? Promise.resolve(null) : knowledge.tracked(project, environment, signal);
  }

  readonly onTooMuch = (): void => {
    const { knowledge, project, environment, signal } = this.context;
    knowledge.noteTooMuch(project, this.relative);
    this.ignored = knowledge.ignored(project, this.relative, environment, signal);
  };

  /** The tracked files that Git's rules ignore, which a search is about all the same. */
  async trackedFiles(leftOut: LeftOutListener, isToldWhole: boolean): Promise<readonly string[]> {
    if (isToldWhole) {
      const tracked = await this.tracked;
      return tracked === null || isRefusal(tracked) ? [] : [...new Set([...leftOut.ignoredByGit].flatMap((path) => tracked.at(path)))];
    }
    const ignored = await this.ignored;
    if (ignored === null) return [];
    leftOut.countIgnored(ignored.entries);
    return ignored.tracked;
  }
}

async function searchPlace(path: string, root: VerifiedRoot): Promise<(InsideRoot & { readonly isFolder: boolean }) | Refusal> {
  const place = await resolveInside(root, path);
  if (isRefusal(place)) {
    const { refused } = place;
    return refuse('invalid_path', refused.message, { reason_code: refused.error_kind });
  }
  if (pathProtection(place.relative) !== null || pathProtection(place.realRelative) !== null) {
    return refuse('invalid_path', `${shown(place.relative)} is protected by its name and is not searched.`, {
      reason_code: 'protected_path',
    });
  }
  const status = await stat(place.path);
  if (status.isFile() || status.isDirectory()) return { ...place, isFolder: status.isDirectory() };
  return refuse('invalid_path', `${shown(place.relative)} is neither a file nor a folder.`, { reason_code: 'not_file' });
}

/** The records from the offset on, as many as were asked for and as the bound on text lets through. */
function page(records: readonly FoundRecord[], query: SearchQuery, maxTextBytes: number): Partial<FoundItem> {
  const asked = records.slice(query.offset, query.offset + query.limit);
  if (query.result_mode === 'files_with_matches') return { files: asked.map((record) => record.path) };
  if (query.result_mode === 'count') return { counts: asked.map(({ path, count = 0 }) => ({ path, count })) };
  const matches: TextMatch[] = [];
  let bytes = 0;
  for (const { match } of asked) {
    if (match === undefined) continue;
    bytes += Buffer.byteLength(JSON.stringify(match));
    if (matches.length > 0 && bytes > maxTextBytes) break;
    matches.push(match);
  }
  return { matches };
}

/** Why there is no result: nothing found counts only when ripgrep itself says that it looked everywhere. */
async function failureOf(
  end: RipgrepEnd,
  query: SearchQuery,
  found: number,
  unreadable: number,
  run: PlainRun,
): Promise<Refusal | null> {
  if (end.how === 'aborted') {
    return refuse('search_timeout', 'The search did not end in time; search a smaller path or a rarer text.');
  }
  if (found > 0 || end.how === 'stopped') return null;
  if (end.how === 'exited' && (end.exitCode === NO_MATCH || end.exitCode === 0)) return null;
  const pattern = end.how === 'exited' ? await checkPattern(query, run) : 'sound';
  if (pattern === 'unsound') {
    return refuse('invalid_pattern', 'The pattern is no valid regular expression; correct it, or search it as literal.');
  }
  if (pattern === 'engine_missing') {
    return refuse('search_backend_feature_unavailable', 'This ripgrep has no look-around and no back references.');
  }
  return refuse(
    'search_execution_failed',
    unreadable > 0
      ? `Nothing was found, but ${unreadable} files or folders could not be read; search a path without them.`
      : 'ripgrep failed without a result; try again.',
    { unreadable },
  );
}

