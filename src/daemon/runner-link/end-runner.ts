import { setTimeout as sleep } from 'node:timers/promises';
import { shutdownMethod } from '../../protocol/runner/session.js';
import type { RunnerConnection } from './runner-connection.js';

/**
 * Asks a Runner to end its children and itself, and waits until it is gone. One that
 * is still there after `boundMs` is killed: its connection is open, so `pid` is still
 * its own.
 */
export async function endRunner(
  connection: RunnerConnection,
  pid: number,
  reason: string,
  boundMs: number,
): Promise<'ended' | 'killed'> {
  let gone = false;
  const ended = connection.ended.then(() => {
    gone = true;
  });
  const bound = sleep(boundMs, undefined, { ref: false });
  // The answer says that the children are gone; the Runner leaves when we hang up.
  void connection.request(shutdownMethod.name, { reason }).then(() => connection.end());
  await Promise.race([ended, bound]);
  if (gone) return 'ended';
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in this very moment.
  }
  await Promise.race([ended, sleep(1_000, undefined, { ref: false })]);
  return 'killed';
}
