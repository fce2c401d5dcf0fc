import type { SearchQuery, TextMatch } from '../../protocol/runner/search.js';
import type { RecordBounds, StreamRecord } from '../split-records.js';
import { MatchCollector } from './collect-matches.js';

/** More records than this are not sorted: the search stops, and the total is a lower bound. */
const MAX_RECORDS = 20_000;
/** A file is at most 16 MiB, and JSON makes a few times that of one line. */
const MAX_RECORD_BYTES = 128 * 1024 * 1024;

/** What a query found: a file, a count, or a match; which, is the mode's business. */
export interface FoundRecord {
  readonly path: string;
  readonly count?: number;
  readonly match?: TextMatch;
}

/** Reads what ripgrep prints in one of the modes. */
export interface RecordReader {
  /** What ends a record of ripgrep's output. */
  readonly bounds: RecordBounds;
  /** @returns false when there is more than can be sorted */
  read(record: StreamRecord): boolean;
  /** Sorted by path and line. */
  records(): FoundRecord[];
  /** Files that turned out to be binary after their first match. */
  binaryFiles(): readonly string[];
}

/** The reader for a query; records whose path is not admitted are dropped. */
export function recordReader(query: SearchQuery, admits: (path: string) => boolean): RecordReader {
  switch (query.result_mode) {
    case 'matches':
      return matchReader(query, admits);
    case 'files_with_matches':
      return fileReader(admits);
    case 'count':
      return countReader(admits);
  }
}

function matchReader(query: SearchQuery, admits: (path: string) => boolean): RecordReader {
  const collector = new MatchCollector({ before: query.context_before, after: query.context_after }, admits);
  return {
    bounds: { delimiter: 10, maxBytes: MAX_RECORD_BYTES },
    read({ text }) {
      collector.read(text);
      return collector.matches.length < MAX_RECORDS;
    },
    records: () => inOrder(collector.matches.map((match) => ({ path: match.path, match }))),
    binaryFiles: () => collector.binaryFiles,
  };
}

function fileReader(admits: (path: string) => boolean): RecordReader {
  const found: FoundRecord[] = [];
  return {
    bounds: { delimiter: 0, maxBytes: MAX_RECORD_BYTES },
    read({ text }) {
      const path = projectRelative(text);
      if (admits(path)) found.push({ path });
      return found.length < MAX_RECORDS;
    },
    records: () => inOrder(found),
    binaryFiles: () => [],
  };
}

/** `path NUL count CR LF path NUL count CR LF`: what stands between two NULs is a count and the next path. */
function countReader(admits: (path: string) => boolean): RecordReader {
  const found: FoundRecord[] = [];
  let path = '';
  return {
    bounds: { delimiter: 0, maxBytes: MAX_RECORD_BYTES },
    read({ text }) {
      const counted = /^(\d+)\r?\n/.exec(text);
      if (counted !== null && admits(path)) found.push({ path, count: Number(counted[1]) });
      path = projectRelative(counted === null ? text : text.slice(counted[0].length));
      return found.length < MAX_RECORDS;
    },
    records: () => inOrder(found),
    binaryFiles: () => [],
  };
}

/** ripgrep prints paths from the folder that it runs in. */
function projectRelative(path: string): string {
  return path.replace(/^\.\//, '');
}

/** Records by path, and by line within one. */
export function inOrder(records: FoundRecord[]): FoundRecord[] {
  return records.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : (a.match?.line ?? 0) - (b.match?.line ?? 0)));
}
