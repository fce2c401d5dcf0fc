import type { ConfiguredName } from './configured-names.js';
import type { GitConfigPair } from './git-environment.js';

/** The filters that the repository's own configuration defines, included files too. */
export function repositoryFilters(configured: readonly ConfiguredName[]): string[] {
  const own = configured.filter(({ section, scope }) => section === 'filter' && (scope === 'local' || scope === 'worktree'));
  return [...new Set(own.map(({ name }) => name))];
}

/**
 * Blanks filters (spec 00, decision 33). An empty `process` keeps git from falling back
 * to `clean`, and `required=false` from calling that a failure. The user's own filters stay.
 */
export function blankFilters(names: readonly string[]): GitConfigPair[] {
  return names.flatMap((name): GitConfigPair[] => [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ]);
}
