import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Health } from '../protocol/api.js';
import { ClientError } from './client-error.js';
import { closeInheritedDescriptors } from './close-inherited.js';
import type { EnsureParts } from './ensure-daemon.js';
import { probeHealth } from './health.js';
import { livingLockHolder } from './lock-holder.js';
import { packageRoot } from './package-root.js';
import { takeStartTicket } from './start-ticket.js';
import type { StartTicket } from './start-ticket.js';

/** How long a new daemon may take until it answers, in milliseconds. */
const START_WITHIN_MS = 30_000;
/** How long another daemon may take from the lock to saying that it holds it, in milliseconds. */
const HOLDER_WITHIN_MS = 500;
const POLL_MS = 20;
/** How much of the daemon's own words is read after a failed start, in bytes. */
const REASON_BYTES = 16 * 1024;
/** How the daemon's own last line begins. */
const DAEMON_SAYS = 'wc daemon: ';

/** Variables of the caller that are about the caller's own processes and calls. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'NODE_OPTIONS',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'WC_TOKEN',
  'WC_SESSION',
  'WC_PROJECT',
  'WC_RECORD',
]);

/**
 * The daemon's last step before it is itself: no descriptor above 2 (a shell of the
 * POSIX kind can name only those of one digit; the others are closed before), a umask
 * that keeps others out, then the program in this shell's place.
 */
const PRELUDE = 'umask 077; exec "$@" 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-';

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
  } finally {
    ticket?.release();
  }
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

interface SpawnedDaemon {
  /** Settles when the process has ended, or could not be started. */
  readonly end: Promise<void>;
  /** How it ended, or null while it runs. */
  ended(): string | null;
}

function spawnDaemon(parts: EnsureParts, log: number): SpawnedDaemon {
  const entry = join(packageRoot(), 'dist', 'daemon', 'main.js');
  const env = Object.fromEntries(Object.entries(parts.env).filter(([name]) => !NOT_PASSED_ON.has(name)));
  closeInheritedDescriptors();
  const child = spawn(
    '/bin/sh',
    ['-c', PRELUDE, 'sh', process.execPath, entry, '--state-folder', parts.state.paths.folder, '--detached'],
    { cwd: '/', detached: true, stdio: ['ignore', log, log], env },
  );
  child.unref();
  let how: string | null = null;
  const end = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      how = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      how = signal ? `signal ${signal}` : `exit code ${code ?? 0}`;
      resolve();
    });
  });
  return { end, ended: () => how };
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

/** What the daemon said since `from`: its plain lines, since its log proper is JSON. */
function reasonIn(log: number, from: number): string {
  const size = fstatSync(log).size;
  const start = Math.max(from, size - REASON_BYTES);
  const bytes = Buffer.alloc(Math.max(0, size - start));
  readSync(log, bytes, 0, bytes.length, start);
  const plain = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('{'));
  const said = plain.filter((line) => line.startsWith(DAEMON_SAYS)).map((line) => line.slice(DAEMON_SAYS.length));
  // Without a word of its own, whatever kept it from having one.
  return said.at(-1) ?? plain.slice(-5).join(' ');
}
