import type { FailedItem, ReadItem } from '../../protocol/runner/files.js';
import type { FoundItem, TextMatch } from '../../protocol/runner/search.js';

/** Lines of a file around the matches in it. */
export interface MatchWindow {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly matches: readonly TextMatch[];
}

/** How many lines around a match are read. */
export interface WindowBounds {
  readonly before: number;
  readonly after: number;
  /** The most windows; matches beyond them are not read. */
  readonly most: number;
}

/**
 * The lines to read around what was found, in the order it was found; windows of a file
 * that touch become one.
 */
export function matchWindows(
  items: readonly (FoundItem | FailedItem)[],
  { before, after, most }: WindowBounds,
): { readonly windows: readonly MatchWindow[]; readonly left: number } {
  const windows: MatchWindow[] = [];
  let left = 0;
  for (const match of items.flatMap((item) => (item.success ? (item.matches ?? []) : []))) {
    const start = Math.max(1, match.line - before);
    const end = match.line + match.text.split('\n').length - 1 + after;
    const index = windows.findIndex((one) => one.path === match.path && start <= one.end + 1 && one.start <= end + 1);
    const touched = windows[index];
    if (touched !== undefined) {
      windows[index] = {
        path: match.path,
        start: Math.min(start, touched.start),
        end: Math.max(end, touched.end),
        matches: [...touched.matches, match],
      };
    } else if (windows.length < most) windows.push({ path: match.path, start, end, matches: [match] });
    else left += 1;
  }
  return { windows, left };
}

/** How many matches of a window do not stand in what was read: the file changed after it was searched. */
export function staleMatches({ matches }: MatchWindow, read: ReadItem): number {
  const lines = read.text.split('\n');
  return matches.filter((match) => {
    const found = match.text.split('\n', 1)[0]?.trimEnd() ?? '';
    const line = lines[match.line - read.start_line]?.trimEnd();
    // A cut line shows but a part, with marks of its own: it is not compared.
    return match.is_cut !== true && line !== found;
  }).length;
}
