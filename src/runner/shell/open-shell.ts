import { relative } from 'node:path';
import type { z } from 'zod';
import { isPathWithin } from '../../protocol/path-within.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { openShellMethod } from '../../protocol/runner/shells.js';
import { cancelledBeforeStart, streamUnavailable } from '../jobs/not-started.js';
import { EXECUTION_VARIABLE } from '../jobs/proven-group.js';
import { workingFolder } from '../jobs/working-folder.js';
import { refuseRawProgram } from '../policy/start-policy.js';
import { spawnRefusal } from '../process/spawn-failure.js';
import type { SpawnFailure } from '../process/spawn-child.js';
import { isRefusal, refuse } from '../request.js';
import type { ShellHouse } from './index.js';
import { quoted } from './frame-text.js';
import { PersistentShell } from './persistent-shell.js';
import { facts } from './refusals.js';
import { shellParts } from './shell-parts.js';
import { startRemoteShell } from './start-remote-shell.js';
import { shellProgram } from './shell-program.js';

type OpenRequest = z.output<typeof openShellMethod.params>;

/** Starts the shell of a Session and waits until it answers; a shell that does not is ended. */
export async function openShell(house: ShellHouse, request: OpenRequest): Promise<PersistentShell | Refusal> {
  const { inventory, journal } = house;
  if (house.isClosing()) return refuse('runner_unavailable', 'The Runner is shutting down; try again.', { state_changed: false });
  const refused = refuseRawProgram(house.settings.value, 'open_session_shell') ?? inventory.reserve(request.session_id, house.settings.value.max_shells);
  if (refused !== null) return refused;
  let started: StartedShell | Refusal;
  try {
    started = await (request.remote === undefined ? startShell(house, request) : startRemoteShell(house, request, request.remote));
    if (isRefusal(started)) return started;
    inventory.add(started.shell);
  } finally {
    inventory.giveUp(request.session_id);
  }
  const { shell, firstCommand } = started;
  await journal.opened(shell.view(), shell.pid);
  await shell.initialize(firstCommand);
  return shell.isOpen ? shell : notInitialized(shell);
}

export interface StartedShell {
  readonly shell: PersistentShell;
  readonly firstCommand: string;
}

async function startShell(house: ShellHouse, request: OpenRequest): Promise<StartedShell | Refusal> {
  const { environments, settings, wallClock, now } = house;
  const opened = settings.value;
  const cwd = await workingFolder(request.root, request.cwd, opened);
  if (isRefusal(cwd)) return cwd;
  const shellId = house.newShellId();
  const env = await environments.forShell(request.project, request.environment, { PWD: cwd.path, [EXECUTION_VARIABLE]: shellId });
  if (isRefusal(env)) return env;
  const program = await shellProgram(request.shell, env.variables['PATH']);
  if (isRefusal(program)) return program;
  if (house.isClosing()) return cancelledBeforeStart();
  let started: PersistentShell | SpawnFailure;
  try {
    started = await PersistentShell.start(
      {
        shellId,
        project: request.project,
        sessionId: request.session_id,
        shell: program.shell,
        rootPath: cwd.root,
        remote: null,
        initialCwd: cwd.relative,
        openedAtMs: wallClock(),
        settings: opened,
      },
      { ...program, cwd: env.initScript === null ? cwd.path : cwd.root, env: env.variables, folder: house.folder, now },
      shellParts(house, (path) => (isPathWithin(cwd.root, path) ? relative(cwd.root, path) || '.' : null)),
    );
  } catch (error) {
    return streamUnavailable('output', error);
  }
  return started instanceof PersistentShell
    ? { shell: started, firstCommand: firstCommand(env.initScript, cwd.path) }
    : spawnRefusal({ code: started.code, executable: program.file, searchedPath: env.variables['PATH'] ?? '' });
}

/** What a shell runs before it is open: its profile's init script, once, at the project's root (spec 03 §9). */
function firstCommand(initScript: string | null, cwd: string): string {
  return initScript === null ? ':' : `set -e\n${initScript}\nset +e\n\\cd -- ${quoted(cwd)}`;
}

/** The shell was closed before it answered, or it did not answer as a shell does. */
function notInitialized(shell: PersistentShell): Refusal {
  const view = shell.view();
  const detail = { ...facts(view), state_changed: null, failure_kind: 'runtime_error' };
  return view.close_reason === 'initialization_failed'
    ? refuse('persistent_shell_initialization_failed', 'The shell failed while it was set up, and was ended.', detail)
    : refuse('shell_reset_required', `The shell did not come up (${String(view.close_reason)}), and was ended; open another one.`, detail);
}
