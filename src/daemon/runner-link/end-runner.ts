import { setTimeout as sleep } from 'node:timers/promises';
import { shutdownMethod } from '../../protocol/runner/session.js';
import type { RunnerConnection } from './runner-connection.js';

/**
 * Asks a Runner to end its children and itself, and waits until it is gone. One that
 * was stopped goes on for that: only it can end what it started in order. One that is
 * still there after `boundMs` is killed: its connection is open, so `pid` is still its own.
 */
export async function endRunner(
  connection: RunnerConnection,
  pid: number,
  reason: string,
  boundMs: number,
): Promise<'ended' | 'killed'> {
  const bound = sleep(boundMs, undefined, { ref: false });
  // Its answer says that its children are gone, the end of the connection that it is.
  void connection.request(shutdownMethod.name, { reason });
  signal(pid, 'SIGCONT');
  await Promise.race([connection.ended, bound]);
  if (connection.isOver) return 'ended';
  signal(pid, 'SIGKILL');
  await Promise.race([connection.ended, sleep(1_000, undefined, { ref: false })]);
  return 'killed';
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in this very moment.
  }
}
