import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { RUNNER_WIRE_VERSION } from '../../protocol/runner/method.js';
import { helloMethod } from '../../protocol/runner/session.js';
import type { RunnerConnection } from './runner-connection.js';

/** Who a Runner says it is. */
export type RunnerHello = z.output<typeof helloMethod.result>;

export interface DaemonIdentity {
  readonly version: string;
  readonly stateFolder: string;
}

/** What a daemon makes of a Runner that it has reached. */
export type Acquaintance =
  /** It works for this daemon; an outdated one until its Jobs and shells have ended. */
  | { readonly kind: 'serves'; readonly outdated: boolean }
  /** It speaks another wire: it is left alone while it has work, and replaced then. */
  | { readonly kind: 'incompatible'; readonly busy: boolean }
  /** It keeps another state folder: it is no business of this daemon. */
  | { readonly kind: 'foreign' };

/** Whose Runner it is, and whether this daemon can use it (spec 03 §12). */
export function acquaintanceOf(hello: RunnerHello, daemon: DaemonIdentity): Acquaintance {
  if (hello.state_folder !== daemon.stateFolder) return { kind: 'foreign' };
  if (hello.wire_version !== RUNNER_WIRE_VERSION) return { kind: 'incompatible', busy: isBusy(hello) };
  return { kind: 'serves', outdated: hello.runner_version !== daemon.version };
}

/** Whether the Runner has Jobs or shells that an orderly replacement waits for. */
export function isBusy(hello: RunnerHello): boolean {
  return hello.active_jobs > 0 || hello.open_shells > 0;
}

/**
 * Asks a Runner who it is. Null when it does not answer in the form of a hello, which
 * stays the same across wire versions, or when the connection ends before it answers.
 */
export async function askHello(connection: RunnerConnection, daemon: DaemonIdentity): Promise<RunnerHello | null> {
  const reply = await connection.request(helloMethod.name, {
    wire_version: RUNNER_WIRE_VERSION,
    daemon_version: daemon.version,
    daemon_pid: process.pid,
    state_folder: daemon.stateFolder,
  });
  if (reply.kind !== 'answered') return null;
  const hello = helloMethod.result.safeParse(reply.value);
  return hello.success ? hello.data : null;
}

/** `askHello` that is null as well when the answer takes longer than `boundMs`. */
export function sayHello(connection: RunnerConnection, daemon: DaemonIdentity, boundMs: number): Promise<RunnerHello | null> {
  return Promise.race([askHello(connection, daemon), patience(boundMs)]);
}

/**
 * A bound that gives an answer which is there already its chance: when this very
 * process was stopped and goes on, its timers are due before its sockets are read.
 */
export async function patience(boundMs: number): Promise<null> {
  await sleep(boundMs, null, { ref: false });
  return sleep(Math.min(500, boundMs), null, { ref: false });
}
