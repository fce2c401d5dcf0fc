import type { ConfiguredName } from './configured-names.js';
import type { GitConfigPair } from './git-environment.js';

/**
 * Switches off hooks that stand in a configuration, whoever's it is: from version 2.54
 * on git runs them beside those of `core.hooksPath`.
 */
export function disableHooks(configured: readonly ConfiguredName[]): GitConfigPair[] {
  const names = new Set(configured.filter(({ section }) => section === 'hook').map(({ name }) => name));
  return [...names].map((name): GitConfigPair => [`hook.${name}.enabled`, 'false']);
}
