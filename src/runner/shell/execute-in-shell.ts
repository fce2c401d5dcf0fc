import type { z } from 'zod';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { executeInShellMethod } from '../../protocol/runner/shells.js';
import { cancelledBeforeStart } from '../jobs/not-started.js';
import type { RunnerRequest } from '../request.js';
import { firstOf } from './first-of.js';
import type { ShellHouse } from './index.js';
import { liveListener } from './live-listener.js';
import type { PersistentShell } from './persistent-shell.js';
import { recheck } from './recheck.js';
import { busy, notFound, stale } from './refusals.js';

type ExecuteRequest = z.output<typeof executeInShellMethod.params>;
type ExecuteAnswer = z.input<typeof executeInShellMethod.result>;
type Request = RunnerRequest<z.input<typeof executeInShellMethod.note>>;

const NEVER_MS = 2 ** 31 - 1;

/**
 * Runs one command in a shell and waits for its end, or until its answer is due. What is
 * not over by then goes on in the shell, which stays busy; its status tells the end.
 */
export async function executeInShell(house: ShellHouse, params: ExecuteRequest, request: Request): Promise<ExecuteAnswer | Refusal> {
  const found = house.inventory.find(params);
  if (found === null) return notFound();
  if ('ended' in found) return stale(found.ended.view());
  const shell = found.open;
  const refused = refuseNow(shell) ?? (await recheck(house.settings, shell, params.root)) ?? refuseNow(shell);
  if (refused !== null) return refused;
  if (request.signal.aborted) return cancelledBeforeStart();
  return runCommand(shell, params, request);
}

/** Why no command can be written to a shell at this moment, or null. */
function refuseNow(shell: PersistentShell): Refusal | null {
  if (!shell.isOpen) return stale(shell.view());
  return shell.isBusy ? busy(shell.view()) : null;
}

/** Writes the command, with its listener and with whoever may interrupt it, and waits for what comes first. */
async function runCommand(shell: PersistentShell, params: ExecuteRequest, request: Request): Promise<ExecuteAnswer | Refusal> {
  const listener = params.stream_output ? liveListener(request, (on) => shell.hold(on)) : null;
  const { ended, cancel } = shell.execute(params.command, params.timeout_ms, (stream, bytes) => listener?.onOutput(stream, bytes));
  request.signal.addEventListener('abort', cancel, { once: true });
  const settled = await firstOf({ ended }, params.answer_after_ms ?? NEVER_MS);
  request.signal.removeEventListener('abort', cancel);
  if (settled !== null) {
    listener?.end();
    return settled.value === null ? stale(shell.view()) : { shell: shell.view(), command: settled.value };
  }
  listener?.leave();
  const soFar = shell.lastCommand;
  return soFar === null ? stale(shell.view()) : { shell: shell.view(), command: soFar };
}
