import { setTimeout as delay } from 'node:timers/promises';
import { ClientError } from './client-error.js';
import type { EnsureParts } from './ensure-daemon.js';
import { exchange } from './exchange.js';
import { isAlive } from './process-alive.js';
import { readPlainAnswer, transportRefusal } from './read-answer.js';

/** How long a daemon may take to answer its calls and end, in milliseconds. */
const STOP_WITHIN_MS = 30_000;
const POLL_MS = 20;

/** Asks the daemon to end, and waits until process `pid` is gone. */
export async function stopDaemon(parts: Pick<EnsureParts, 'state' | 'headers'>, pid: number): Promise<void> {
  const socketPath = parts.state.socket();
  if (socketPath !== null) await ask(socketPath, parts.headers);
  await awaitEnd(pid);
}

/** Waits until a daemon that is on its way out is gone, and its lock with it. */
export async function awaitEnd(pid: number): Promise<void> {
  const deadline = performance.now() + STOP_WITHIN_MS;
  while (isAlive(pid)) {
    if (performance.now() > deadline) throw stillThere(pid);
    await delay(POLL_MS);
  }
}

async function ask(socketPath: string, headers: Readonly<Record<string, string>>): Promise<void> {
  try {
    const response = await exchange({ socketPath, method: 'POST', path: '/api/daemon/stop', headers, body: '{}' });
    const { status, body } = await readPlainAnswer(response);
    if (status >= 400 && status !== 503) throw transportRefusal(status, body);
  } catch (error) {
    // It ended under the question, or had ended before: what was asked for.
    if (error instanceof ClientError) throw error;
  }
}

function stillThere(pid: number): ClientError {
  return new ClientError(
    'daemon_wedged',
    `The daemon (pid ${pid}) was asked to stop and still runs after ${STOP_WITHIN_MS / 1000} s.`,
    `Calls may still be under way; \`kill ${pid}\` asks once more.`,
  );
}
