import type { SearchQuery } from '../../protocol/runner/search.js';
import { PROTECTED_NAME_GLOBS } from '../confinement/index.js';

/** The largest file that is searched, in bytes. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Where a query searches. */
export interface SearchPlace {
  /** From the project's folder, where ripgrep runs; `''` is that folder. Files that are named so are searched whatever ignores them. */
  readonly relative: readonly string[];
  /** Whether Git's rules of ignoring come from a repository around the place. */
  readonly isInRepository: boolean;
  readonly prunedFolders: readonly string[];
}

/**
 * ripgrep's arguments for a query (spec 00, decision 34): hidden files are searched,
 * protected names never.
 */
export function ripgrepArguments(query: SearchQuery, place: SearchPlace): string[] {
  return [
    '--no-config',
    '--hidden',
    '--no-follow',
    `--max-filesize=${MAX_FILE_BYTES}`,
    ...(query.include_ignored ? ['--no-ignore'] : []),
    // Outside of a repository only the project's own .gitignore speaks, not one of a folder above.
    ...(place.isInRepository ? [] : ['--no-require-git', '--no-ignore-parent']),
    ...place.prunedFolders.map((glob) => `--glob=!${glob}`),
    // The last match wins, so these come last.
    ...[...PROTECTED_NAME_GLOBS.secret, ...PROTECTED_NAME_GLOBS.bulk].map((name) => `--iglob=!${name}`),
    ...modeArguments(query),
    ...patternArguments(query),
    '--',
    ...place.relative.map((path) => `./${path}`),
  ];
}

/** How the pattern is to be read; also what a pattern is checked with by itself. */
export function patternArguments(query: Pick<SearchQuery, 'pattern' | 'pattern_mode'>): string[] {
  const isLiteral = query.pattern_mode === 'literal';
  const spansLines = query.pattern.includes('\n') || (!isLiteral && query.pattern.includes('\\n'));
  return [
    ...(isLiteral ? ['--fixed-strings'] : ['--engine=auto']),
    ...(spansLines ? ['--multiline'] : ['--crlf']),
    `--regexp=${query.pattern}`,
  ];
}

function modeArguments(query: SearchQuery): string[] {
  switch (query.result_mode) {
    case 'matches':
      return ['--json', `--before-context=${query.context_before}`, `--after-context=${query.context_after}`];
    case 'files_with_matches':
      return ['--files-with-matches', '--null'];
    case 'count':
      return ['--count', '--null', '--with-filename'];
  }
}
