/** A configuration value for one call of git; it wins over every file. */
export type GitConfigPair = readonly [key: string, value: string];

/** The environment that a Runner's child starts from. */
export type BaseEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * What no repository may decide for a read (spec 00, decision 33): programs that git
 * would run, prompts, bare repositories that lie around, and how output looks.
 */
const FIXED_CONFIG: readonly GitConfigPair[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  ['color.ui', 'false'],
  // A diff would otherwise take the index lock to write back what it learned.
  ['diff.autoRefreshIndex', 'false'],
  // A missing order file would end every diff.
  ['diff.orderFile', '/dev/null'],
  // A commit's message is UTF-8, and so it must not be called anything else.
  ['i18n.commitEncoding', 'UTF-8'],
  ['log.showSignature', 'false'],
  ['safe.bareRepository', 'explicit'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
];

const FIXED_VARIABLES = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  // No transport has this name: a partial clone must not fetch while it is read.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ASKPASS: 'false',
  GIT_EDITOR: 'false',
  GIT_PAGER: 'cat',
  GIT_SSH_COMMAND: 'false',
  LC_ALL: 'C',
} as const;

/**
 * The environment of a git that only reads.
 *
 * @param base the Runner's environment; its own GIT_* variables are dropped, and so are
 *   relative entries of PATH, which would mean programs of the project
 * @param safeDirectory the registered root, the only folder whose foreign owner is accepted
 * @param config further values, such as blanked filters
 */
export function gitReadEnvironment(
  base: BaseEnvironment,
  safeDirectory: string,
  config: readonly GitConfigPair[],
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !name.startsWith('GIT_')) environment[name] = value;
  }
  const path = environment['PATH'];
  if (path !== undefined) environment['PATH'] = absoluteEntries(path);
  Object.assign(environment, FIXED_VARIABLES);

  return withConfig(environment, [...FIXED_CONFIG, ['safe.directory', safeDirectory], ...config]);
}

/** An environment of git with further configuration values, which win over those that it has. */
export function withConfig(environment: Readonly<Record<string, string>>, pairs: readonly GitConfigPair[]): Record<string, string> {
  const given = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  const all: Record<string, string> = { ...environment, GIT_CONFIG_COUNT: String(given + pairs.length) };
  pairs.forEach(([key, value], index) => {
    all[`GIT_CONFIG_KEY_${given + index}`] = key;
    all[`GIT_CONFIG_VALUE_${given + index}`] = value;
  });
  return all;
}

function absoluteEntries(path: string): string {
  return path
    .split(':')
    .filter((entry) => entry.startsWith('/'))
    .join(':');
}
