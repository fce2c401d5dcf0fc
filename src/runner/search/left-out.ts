import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeftOut } from '../../protocol/runner/search.js';
import { pathProtection } from '../confinement/index.js';

const MAX_NAMED_FOLDERS = 16;
/** Ignored entries that are looked at to find the folders among them. */
const MAX_LOOKED_AT = 256;

/** What the walk says of an entry that it skips, and what a printer says of a binary file. */
const SKIPPED = /^rg: DEBUG\|ignore::walk\|[^|]*?: ignoring (.+?): (Ignore\(IgnoreMatch\((\w+)|\d+ bytes$)/s;
/** Rules for searches alone, which also hide what Git tracks. */
const SEARCH_RULE = /from: Some\("(?:[^"\\]|\\.)*\/\.(?:rg)?ignore"\)/;
const BINARY = /^rg: DEBUG\|grep_printer::[^|]*\|[^|]*?: ignoring (.+): found binary data at offset \d+$/s;

/** Listens to what ripgrep tells on stderr of the files that it passes over. */
export class LeftOutListener {
  /** Lines that are no debug output: files or folders that could not be read. */
  unreadable = 0;
  private readonly nestedRepositories = new Set<string>();
  private ignored = 0;
  private readonly lookAt: string[] = [];
  private readonly byGit = new Set<string>();
  private ignoredFolders: readonly string[] = [];
  private readonly binaryFiles = new Set<string>();
  private tooLargeFiles = 0;
  private protectedEntries = 0;

  /**
   * @param searched the searched place, project-relative; a repository whose top it is, is not nested
   * @param admits which paths the query is about; an ignored file that it is not about was not left out
   */
  constructor(
    private readonly searched: string,
    private readonly admits: (path: string) => boolean,
  ) {}

  /** The search is run again: what could not be read is told once more. */
  hearErrorsAnew(): void {
    this.unreadable = 0;
  }

  hear(line: string): void {
    const binary = BINARY.exec(line)?.[1];
    if (binary !== undefined) this.addBinary(withoutDot(binary));
    else if (line.startsWith('rg: DEBUG')) this.hearSkipped(line);
    else if (line.startsWith('rg: ')) this.unreadable += 1;
  }

  /** A file that matched before it turned out to be binary may have been told of, or not. */
  addBinary(path: string): void {
    if (this.admits(path)) this.binaryFiles.add(path);
  }

  private hearSkipped(line: string): void {
    const [, shown, reason, source] = SKIPPED.exec(line) ?? [];
    if (shown === undefined || reason === undefined) return;
    const path = withoutDot(shown);
    if (source === undefined) this.tooLargeFiles += 1;
    else if (source !== 'Override') this.hearIgnored(path, line);
    else if (path === '.git' || path.endsWith('/.git')) this.hearRepository(path);
    else if (pathProtection(path) !== null) this.protectedEntries += 1;
  }

  private hearIgnored(path: string, line: string): void {
    this.ignored += 1;
    if (!SEARCH_RULE.test(line)) this.byGit.add(path);
    if (this.lookAt.length < MAX_LOOKED_AT) this.lookAt.push(path);
  }

  /** What was passed over by Git's rules alone: files, and folders as such. */
  get ignoredByGit(): ReadonlySet<string> {
    return this.byGit;
  }

  /** A tracked file that was told as ignored is searched all the same. */
  addSearched(path: string): void {
    if (this.byGit.has(path) && this.admits(path)) this.ignored -= 1;
  }

  addTooLarge(): void {
    this.tooLargeFiles += 1;
  }

  /**
   * All that is ignored, from somebody who knows; ripgrep did not tell to its end.
   *
   * @param entries project-relative, folders with a slash at their end
   */
  countIgnored(entries: readonly string[]): void {
    const folders = entries.filter((entry) => entry.endsWith('/')).map((entry) => entry.slice(0, -1));
    const ofFolders = folders.filter((path) => pathProtection(path) === null);
    const files = entries.filter((path) => !path.endsWith('/') && pathProtection(path) === null && this.admits(path));
    this.ignored = ofFolders.length + files.length;
    this.ignoredFolders = ofFolders;
    this.lookAt.length = 0;
    this.byGit.clear();
  }

  private hearRepository(path: string): void {
    const folder = path.slice(0, -'.git'.length).replace(/\/$/, '');
    if (folder !== this.searched && folder !== '') this.nestedRepositories.add(folder);
  }

  /** @param isToldWhole whether ripgrep told to its end; the counts are lower bounds otherwise */
  async sum(root: string, isToldWhole: boolean): Promise<LeftOut> {
    const { folders, foreignFiles } = await this.lookAtIgnored(root);
    return {
      ignored: this.ignored - foreignFiles,
      ignored_folders: [...folders, ...this.ignoredFolders].sort().slice(0, MAX_NAMED_FOLDERS),
      binary_files: this.binaryFiles.size,
      too_large_files: this.tooLargeFiles,
      protected: this.protectedEntries,
      ...(isToldWhole ? {} : { at_least: true as const }),
      nested_repositories: [...this.nestedRepositories].sort().slice(0, MAX_NAMED_FOLDERS),
    };
  }

  private async lookAtIgnored(root: string): Promise<{ folders: string[]; foreignFiles: number }> {
    const folders: string[] = [];
    let foreignFiles = 0;
    for (const path of this.lookAt) {
      const isFolder = await lstat(join(root, path)).then(
        (status) => status.isDirectory(),
        () => false,
      );
      if (isFolder) folders.push(path);
      else if (!this.admits(path)) foreignFiles += 1;
    }
    return { folders, foreignFiles };
  }
}

/** ripgrep prints paths from the folder that it runs in. */
function withoutDot(path: string): string {
  return path.replace(/^\.\//, '');
}
