import { closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Health } from '../protocol/api.js';
import { ClientError } from './client-error.js';
import type { EnsureParts } from './ensure-daemon.js';
import { probeHealth } from './health.js';
import { livingLockHolder } from './lock-holder.js';
import { spawnDaemon } from './spawn-daemon.js';
import type { SpawnedDaemon } from './spawn-daemon.js';
import { reasonIn } from './start-reason.js';
import { isCode } from './state.js';
import { takeStartTicket } from './start-ticket.js';
import type { StartTicket } from './start-ticket.js';

/** How long a new daemon may take until it answers, in milliseconds. */
const START_WITHIN_MS = 30_000;
/** How long another daemon may take from the lock to saying that it holds it, in milliseconds. */
const HOLDER_WITHIN_MS = 500;
const POLL_MS = 20;

/**
 * Starts a daemon that inherits nothing of this process, and waits until it answers.
 * When other clients start one at the same moment, all wait for the same.
 *
 * @throws ClientError `daemon_start_failed` with the daemon's own reason
 */
export async function startDaemon(parts: EnsureParts): Promise<Health> {
  const deadline = performance.now() + START_WITHIN_MS;
  mkdirSync(parts.state.paths.folder, { recursive: true, mode: 0o700 });
  parts.state.check();
  const ticketPath = join(parts.state.paths.folder, 'daemon.starting');
  let ticket: StartTicket | null = null;
  try {
    while (ticket === null) {
      ticket = takeStartTicket(ticketPath, Date.now);
      const health = await answering(parts);
      if (health) return health;
      if (performance.now() > deadline) throw stillStarting(parts);
      if (ticket === null) await delay(POLL_MS);
    }
    return await launch(parts, deadline);
  } catch (error) {
    throw isCode(error, 'EROFS', 'EACCES', 'ENOSPC') ? notWritable(parts, error) : error;
  } finally {
    ticket?.release();
  }
}

/** No daemon can run where neither its log nor its stores can be written. */
function notWritable(parts: EnsureParts, error: unknown): ClientError {
  const { folder } = parts.state.paths;
  const why = error instanceof Error ? error.message : String(error);
  return new ClientError(
    'daemon_start_failed',
    `The state folder ${folder} can not be written: ${why}.`,
    'Make it writable, free space, or name another one with WC_HOME.',
    { cause: error },
  );
}

/** Launches until a daemon answers; again only when the lock's holder went away meanwhile. */
async function launch(parts: EnsureParts, deadline: number): Promise<Health> {
  const log = openSync(
    parts.state.paths.log,
    constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    for (;;) {
      const before = fstatSync(log).size;
      const daemon = spawnDaemon(parts, log);
      const health = await answerOrEnd(parts, daemon, deadline);
      if (health) return health;
      const ended = daemon.ended();
      if (ended === null) throw stillStarting(parts);
      const other = await awaitOther(parts, deadline);
      if (other === 'none') throw startFailed(parts, ended, reasonIn(log, before));
      if (other !== 'gone') return other;
    }
  } finally {
    closeSync(log);
  }
}

/** Null when the daemon ended, or when the deadline has passed. */
async function answerOrEnd(parts: EnsureParts, daemon: SpawnedDaemon, deadline: number): Promise<Health | null> {
  while (performance.now() < deadline) {
    const health = await answering(parts);
    if (health) return health;
    if (daemon.ended() !== null) return null;
    await Promise.race([delay(POLL_MS), daemon.end]);
  }
  return null;
}

/**
 * Only the lock's holder may serve; when that is another daemon, it is the one to wait
 * for: until it answers, or is `gone`. `none` when there is no such other.
 */
async function awaitOther(parts: EnsureParts, deadline: number): Promise<Health | 'gone' | 'none'> {
  let seen = false;
  const holderBy = performance.now() + HOLDER_WITHIN_MS;
  for (;;) {
    const health = await answering(parts);
    if (health) return health;
    const holder = livingLockHolder(parts.state.paths.lockHolder);
    if (holder === null && seen) return 'gone';
    if (holder === null && performance.now() > holderBy) return 'none';
    if (holder !== null) seen = true;
    if (performance.now() > deadline) throw stillStarting(parts);
    await delay(POLL_MS);
  }
}

function startFailed(parts: EnsureParts, ended: string, reason: string): ClientError {
  return new ClientError(
    'daemon_start_failed',
    `The daemon did not start (${ended}): ${reason || 'it gave no reason'}`,
    `Its log is ${parts.state.paths.log}; \`wc daemon run\` starts it in this terminal.`,
  );
}

/** The health of a daemon that serves. One that is just coming up may well be silent for a while. */
async function answering(parts: EnsureParts): Promise<Health | null> {
  const probe = await probeHealth({ socketPath: parts.state.socket(), headers: parts.headers });
  return probe.state === 'healthy' && probe.health.status === 'ok' ? probe.health : null;
}

function stillStarting(parts: EnsureParts): ClientError {
  const holder = livingLockHolder(parts.state.paths.lockHolder);
  return new ClientError(
    'daemon_start_failed',
    `No daemon answered within ${START_WITHIN_MS / 1000} s${holder ? `; process ${holder.pid} holds the state folder` : ''}.`,
    `Its log is ${parts.state.paths.log}.`,
  );
}
