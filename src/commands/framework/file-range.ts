import { UsageError } from './usage-error.js';

/** One file of a read as the tool takes it. */
export interface FileRange {
  readonly path: string;
  readonly start_line?: number;
  readonly limit?: number;
}

/**
 * A path with lines, if any: `src/a.ts`, `src/a.ts:10`, `src/a.ts:10-40` (both included).
 *
 * @throws UsageError for lines that end before they start
 */
export function fileRange(word: string): FileRange {
  const match = /^(.+):(\d{1,9})(?:(-)(\d{1,9})?)?$/.exec(word);
  if (match === null) return { path: word };
  const [, path = '', start = '', dash, end] = match;
  const first = Number(start);
  const last = dash === undefined ? first : end === undefined ? undefined : Number(end);
  if (first < 1 || (last !== undefined && last < first)) throw new UsageError(`'${word}' names lines that end before they start.`);
  return { path, start_line: first, ...(last === undefined ? {} : { limit: last - first + 1 }) };
}
