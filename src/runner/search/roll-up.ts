import type { TrackedEntry } from '../../protocol/runner/find-files.js';

/** The deepest level that is tried before every file is shown by itself. */
const MAX_DEPTH = 16;

/** Files as they are listed: themselves, or the folders that stand for them. */
export interface RolledUp {
  readonly entries: readonly TrackedEntry[];
  /** Levels that are shown; null when every file is. */
  readonly depth: number | null;
}

/**
 * Lets folders stand for files that lie deeper than `depth` levels below `base`.
 *
 * @param files project-relative, sorted
 * @param base `''` or a folder with a slash at its end
 * @param depth null shows as many levels as give at most `limit` entries, but at least one
 */
export function rollUp(files: readonly string[], base: string, depth: number | null, limit: number): RolledUp {
  if (depth !== null) return { entries: atDepth(files, base, depth), depth };
  if (files.length <= limit) return { entries: files.map((path) => ({ path, type: 'file' })), depth: null };
  let shown: RolledUp = { entries: atDepth(files, base, 1), depth: 1 };
  for (let level = 2; level <= MAX_DEPTH && shown.entries.length < limit; level += 1) {
    const entries = atDepth(files, base, level);
    if (entries.length > limit) break;
    shown = { entries, depth: level };
  }
  return shown;
}

function atDepth(files: readonly string[], base: string, depth: number): TrackedEntry[] {
  const folders = new Map<string, number>();
  const single: TrackedEntry[] = [];
  for (const path of files) {
    const folder = folderAt(path, base.length, depth);
    if (folder === null) single.push({ path, type: 'file' });
    else folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const rolled = [...folders].map(([path, count]): TrackedEntry => ({ path, type: 'directory', files: count }));
  return [...rolled, ...single].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The folder of a file that is `depth` levels below the base; null when the file lies above or on that level. */
function folderAt(path: string, baseLength: number, depth: number): string | null {
  let end = baseLength - 1;
  for (let level = 0; level < depth; level += 1) {
    end = path.indexOf('/', end + 1);
    if (end < 0) return null;
  }
  return path.slice(0, end);
}
