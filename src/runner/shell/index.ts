import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { closeShellMethod, executeInShellMethod, openShellMethod, releaseShellsMethod, shellStatusMethod } from '../../protocol/runner/shells.js';
import type { ChildEnvironments } from '../environment/index.js';
import type { CurrentSettings } from '../policy/current-settings.js';
import { isRefusal, serve, type RunnerService } from '../request.js';
import type { RemoteHosts } from '../ssh/index.js';
import { executeInShell } from './execute-in-shell.js';
import { openShell } from './open-shell.js';
import { recheck } from './recheck.js';
import { notFound } from './refusals.js';
import { ShellInventory, type EndedShell } from './shell-inventory.js';
import { ShellJournal } from './shell-journal.js';

export { endLeftShells } from './lost-shells.js';
export type { EndedShell } from './shell-inventory.js';

export interface ShellServicesOptions {
  /** The private folder of this Runner's life. */
  readonly folder: string;
  readonly environments: Pick<ChildEnvironments, 'forShell'>;
  readonly settings: CurrentSettings;
  readonly hosts: RemoteHosts;
  /** The shells of Runners that died before this one. */
  readonly lost: Promise<readonly EndedShell[]>;
  readonly onFault: (error: unknown) => void;
  /** Wall clock, Unix milliseconds. */
  readonly wallClock?: () => number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

export interface ShellServices {
  readonly services: readonly RunnerService[];
  openShells(): number;
  /** Closes every shell and opens none any more. */
  shutdown(): Promise<void>;
}

/** What the requests work with. */
export interface ShellHouse extends Pick<ShellServicesOptions, 'environments' | 'settings' | 'hosts' | 'onFault'> {
  readonly inventory: ShellInventory;
  readonly journal: ShellJournal;
  /** Where FIFOs are made. */
  readonly folder: string;
  readonly isClosing: () => boolean;
  readonly newShellId: () => string;
  readonly wallClock: () => number;
  readonly now: () => number;
}

/**
 * Persistent shells (spec 03 §10): one live process a Session, that keeps what its
 * commands set. They belong to this life of the Runner and to no other.
 */
export async function createShellServices(options: ShellServicesOptions): Promise<ShellServices> {
  const { wallClock = Date.now, now = () => performance.now(), environments, settings, hosts, onFault } = options;
  const folder = join(options.folder, 'shells');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const inventory = new ShellInventory();
  const journal = new ShellJournal(options.folder, onFault);
  let closing = false;
  const house: ShellHouse = {
    inventory,
    journal,
    folder,
    environments,
    settings,
    hosts,
    onFault,
    isClosing: () => closing,
    newShellId: () => `wc_shell_${randomUUID().replaceAll('-', '')}`,
    wallClock,
    now,
  };
  const recovered = options.lost.then((lost) => {
    for (const shell of lost) inventory.settle(shell);
  }, onFault);
  return {
    services: shellServices(house, recovered),
    openShells: () => inventory.openCount,
    shutdown: async () => {
      closing = true;
      await Promise.all(inventory.all().map((shell) => shell.close('runner_shutdown')));
      await journal.close();
    },
  };
}

function shellServices(house: ShellHouse, recovered: Promise<void>): readonly RunnerService[] {
  const { inventory } = house;
  return [
    serve(openShellMethod, async (params) => {
      const opened = await openShell(house, params);
      return isRefusal(opened) ? opened : { shell: opened.view() };
    }),
    serve(executeInShellMethod, async (params, request) => {
      await recovered;
      return executeInShell(house, params, request);
    }),
    serve(shellStatusMethod, async (params, { signal }) => {
      await recovered;
      const found = inventory.find(params);
      if (found === null) return notFound();
      if ('ended' in found) return { shell: found.ended.view(), last_command: found.ended.lastCommand };
      const shell = found.open;
      await shell.quiet(params.wait_ms, signal);
      const refused = await recheck(house.settings, shell, params.root);
      return refused ?? { shell: shell.view(), last_command: shell.lastCommand };
    }),
    serve(closeShellMethod, async (params) => {
      await recovered;
      const found = inventory.find(params);
      if (found === null) return notFound();
      if ('ended' in found) return { shell: found.ended.view(), already_closed: true };
      await found.open.close('closed_by_caller');
      return { shell: found.open.view(), already_closed: false };
    }),
    serve(releaseShellsMethod, async (params) => {
      const released = inventory
        .all()
        .filter(({ identity }) => ('session_id' in params ? identity.sessionId === params.session_id : identity.project === params.project));
      await Promise.all(released.map((shell) => shell.close(params.reason)));
      return { closed: released.length };
    }),
  ];
}
