import { gitBytes, runGit, type GitCall } from '../git/run-git.js';
import { isRefusal } from '../request.js';

const IGNORED = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'];
const NONE_IS = 1;

/** The ignored files of a work tree. */
export interface IgnoredFiles {
  /** Those that the patterns name, from the top of the work tree. */
  readonly included: readonly string[];
  /** How many ignored entries, a whole folder counting as one, hold something that is not among `files`. */
  readonly notAmong: (files: ReadonlySet<string>) => number;
}

/**
 * Asks git for the ignored files of a work tree, by its own rules.
 *
 * @param call runs at the top of the work tree
 * @param patterns a file of gitignore patterns that name what is included; null includes nothing
 * @returns null when git could not say
 */
export async function ignoredFiles(call: GitCall, patterns: string | null): Promise<IgnoredFiles | null> {
  const [entries, named] = await Promise.all([
    paths(call, [...IGNORED, '--directory']),
    patterns === null ? [] : paths(call, ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`]),
  ]);
  if (entries === null || named === null) return null;
  const included = await onlyIgnored(call, named);
  if (included === null) return null;
  const folders = new Map<string, readonly string[] | null>();
  for (const folder of entries.filter((entry) => entry.endsWith('/') && included.some((file) => file.startsWith(entry)))) {
    folders.set(folder, await paths(call, [...IGNORED, '--', `:(literal)${folder}`]));
  }
  return {
    included,
    notAmong: (files) =>
      entries.filter((entry) => {
        const held = folders.get(entry);
        // A folder that nothing is copied from is not walked, nor is one that git could not list taken as copied.
        return held === undefined || held === null ? !files.has(entry) : held.some((file) => !files.has(file));
      }).length,
  };
}

/** The patterns may also name untracked files that nothing ignores: those are nobody's to copy. */
async function onlyIgnored(call: GitCall, named: readonly string[]): Promise<readonly string[] | null> {
  if (named.length === 0) return [];
  const output = await runGit(call, ['check-ignore', '-z', '--stdin'], { input: named.map((path) => `${path}\0`).join('') });
  if (isRefusal(output) || output.exitCode > NONE_IS) return null;
  return splitPaths(output.stdout);
}

async function paths(call: GitCall, args: readonly string[]): Promise<readonly string[] | null> {
  const listing = await gitBytes(call, args);
  return isRefusal(listing) ? null : splitPaths(listing);
}

function splitPaths(listing: Uint8Array): string[] {
  return Buffer.from(listing)
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '');
}
