import type { LineIndex } from './line-index.js';

/** One place where the text of an edit stands; it is numbered over the whole file. */
export interface Match {
  readonly occurrence: number;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface LineScope {
  readonly start_line: number;
  readonly end_line: number;
}

/** All matches, left to right and without overlap, numbered from 1. */
export function findMatches(body: string, needle: string): Match[] {
  const matches: Match[] = [];
  for (let start = body.indexOf(needle); start !== -1; start = body.indexOf(needle, start + needle.length)) {
    matches.push({ occurrence: matches.length + 1, start, end: start + needle.length });
  }
  return matches;
}

/** Those that lie in the scope from their first to their last character. */
export function inScope(matches: readonly Match[], scope: LineScope | undefined, lines: LineIndex): readonly Match[] {
  if (scope === undefined) return matches;
  const start = lines.startOf(scope.start_line);
  const end = lines.endOf(scope.end_line);
  return matches.filter((match) => match.start >= start && match.end <= end);
}
