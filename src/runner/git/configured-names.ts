/** A `filter.<name>.*` or `hook.<name>.*` that some configuration defines. */
export interface ConfiguredName {
  /** Where it stands: `local`, `worktree`, `global`, `system`. */
  readonly scope: string;
  readonly section: string;
  readonly name: string;
}

/** What asks git for every key that names a program of this kind, with its scope; included files are followed. */
export const LIST_CONFIGURED = ['config', '--null', '--show-scope', '--name-only', '--get-regexp', '^(filter|hook)\\.'];

/**
 * Reads which filters and hooks are configured.
 *
 * @param listing NUL-separated scope and key in turns, as `LIST_CONFIGURED` prints them
 */
export function configuredNames(listing: string): ConfiguredName[] {
  const fields = listing.split('\0');
  const names: ConfiguredName[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = '', key = ''] = fields.slice(index);
    const [, section, name] = /^([a-z]+)\.(.+)\.[^.]*$/s.exec(key) ?? [];
    if (section !== undefined && name !== undefined) names.push({ scope, section, name });
  }
  return names;
}
