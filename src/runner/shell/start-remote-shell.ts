import type { z } from 'zod';
import { remoteFolder, type RemotePlace } from '../../protocol/runner/ssh.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { openShellMethod } from '../../protocol/runner/shells.js';
import { verifyRoot } from '../confinement/index.js';
import { cancelledBeforeStart } from '../jobs/not-started.js';
import { cwdInvalid } from '../jobs/prepare-remote.js';
import { neverStarted, refusedChannel } from '../jobs/remote-start.js';
import { isRefusal } from '../request.js';
import { remoteCommand, type FoundResource, type HeldConnection } from '../ssh/index.js';
import { firstOf } from './first-of.js';
import { newToken } from './frame-text.js';
import type { ShellHouse } from './index.js';
import type { StartedShell } from './open-shell.js';
import { PersistentShell } from './persistent-shell.js';
import { RemoteShellChannel } from './remote-shell-channel.js';
import { shellParts } from './shell-parts.js';

/** From an open channel to the word of the other side that the shell starts. */
const START_WITHIN_MS = 10_000;

type OpenRequest = z.output<typeof openShellMethod.params>;

/** Starts the shell of a Session on a resource; it holds the Session's connection as long as it lives. */
export async function startRemoteShell(house: ShellHouse, request: OpenRequest, place: RemotePlace): Promise<StartedShell | Refusal> {
  const verified = await verifyRoot(request.root);
  if (isRefusal(verified)) return verified;
  const found = house.hosts.find(place.resource);
  if (isRefusal(found)) return found;
  const cwd = place.cwd ?? found.resource.default_cwd ?? null;
  if (cwd !== null && !remoteFolder.safeParse(cwd).success) return cwdInvalid(found.name, 'is no path that can be sent there');
  const held = await house.hosts.connect(request.session_id, found);
  if (isRefusal(held)) return held;
  let started: StartedShell | Refusal | null = null;
  try {
    started = house.isClosing() ? cancelledBeforeStart() : await startOn(house, request, held, found, cwd, verified.path);
    return started;
  } finally {
    if (started === null || isRefusal(started)) held.giveBack();
  }
}

async function startOn(
  house: ShellHouse,
  request: OpenRequest,
  held: HeldConnection,
  found: FoundResource,
  cwd: string | null,
  rootPath: string,
): Promise<StartedShell | Refusal> {
  const token = newToken();
  const line = remoteCommand({ token, command: null, shell: request.shell, cwd });
  if (line === null) return cwdInvalid(found.name, 'is too long to be sent there');
  const channel = await held.connection.open(line, { stdin: 'pipe', stdout: 'pipe' });
  if ('failed' in channel) return refusedChannel(found.name, channel.failed);
  const commands = new RemoteShellChannel({ held, channel, token, now: house.now });
  const said = (await firstOf({ begun: commands.begun }, START_WITHIN_MS))?.value ?? null;
  if (said?.kind !== 'start') {
    channel.kill();
    const end = await channel.ended;
    return neverStarted({ said: said ?? { kind: 'ended', end } }, held, found.name);
  }
  const shell = new PersistentShell(
    {
      shellId: house.newShellId(),
      project: request.project,
      sessionId: request.session_id,
      shell: said.shell,
      rootPath,
      initialCwd: said.cwd,
      remote: found,
      openedAtMs: house.wallClock(),
      settings: house.settings.value,
    },
    commands,
    // Where the other side's folders lie is its own business.
    shellParts(house, (path) => (path === '' ? null : path)),
  );
  return { shell, firstCommand: ':' };
}
