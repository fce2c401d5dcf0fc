import type { ShellHouse } from './index.js';
import type { ShellParts } from './persistent-shell.js';

/** What every shell of this Runner lives by; only where its folders lie is its own. */
export function shellParts({ inventory, journal, settings, wallClock, now, onFault }: ShellHouse, insideRoot: ShellParts['insideRoot']): ShellParts {
  return {
    idleMs: settings.value.shell_idle_secs * 1_000,
    insideRoot,
    wallClock,
    now,
    onEnded: (shell) => inventory.settle(shell),
    onGone: (shell) => journal.ended(shell.identity.shellId),
    onFault,
  };
}
