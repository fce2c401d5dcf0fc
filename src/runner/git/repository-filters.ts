import type { GitConfigPair } from './git-environment.js';

/** What asks git for every filter key with its scope; included files are followed. */
export const LIST_FILTERS = ['config', '--null', '--show-scope', '--name-only', '--get-regexp', '^filter\\.'];

/**
 * The filters that the repository's own configuration defines.
 *
 * @param listing NUL-separated scope and key in turns, as `LIST_FILTERS` prints them
 */
export function repositoryFilters(listing: string): string[] {
  const fields = listing.split('\0');
  const names = new Set<string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope, key] = [fields[index], fields[index + 1] ?? ''];
    const name = /^filter\.(.+)\.[^.]*$/s.exec(key)?.[1];
    if ((scope === 'local' || scope === 'worktree') && name !== undefined) names.add(name);
  }
  return [...names];
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
