import type { Agent } from 'node:http';
import type { Health } from '../protocol/api.js';
import { VERSION } from '../protocol/version.js';
import { ClientError } from './client-error.js';
import { compareVersions } from './compare-versions.js';
import type { HealthProbe } from './health.js';
import { probeHealth } from './health.js';
import { hasJustBegun } from './lock-holder.js';
import type { ClientState } from './state.js';

/** How long a daemon that has just begun may take for its first answers, in milliseconds. */
const BEGINNING_WITHIN_MS = 10_000;

export interface EnsureParts {
  readonly state: ClientState;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
  readonly autostart: boolean;
  readonly notice: (line: string) => void;
}

/**
 * A daemon that answers: the one that runs, else a new one. An older one is replaced
 * when it serves no call; nothing is ever started beside one that lives and is silent.
 */
export async function ensureDaemon(parts: EnsureParts): Promise<Health> {
  const exists = parts.state.check();
  const probe = await askPatiently(parts);
  if (probe.state === 'silent') throw wedged(parts.state, probe.reason);
  if (probe.state === 'absent') {
    if (!parts.autostart) throw notRunning(exists);
    return start(parts);
  }
  const { health } = probe;
  if (health.status === 'shutting_down') {
    if (!parts.autostart) throw notRunning(exists);
    const { awaitEnd } = await import('./stop-daemon.js');
    await awaitEnd(health.pid);
    return start(parts);
  }
  return parts.autostart && compareVersions(health.version, VERSION) < 0 ? replaceOlder(parts, health) : health;
}

/** The health of the daemon that runs, or null when none does; starts and replaces nothing. */
export async function findDaemon(parts: Pick<EnsureParts, 'state' | 'headers' | 'agent'>): Promise<Health | null> {
  parts.state.check();
  const probe = await ask(parts);
  if (probe.state === 'silent') throw wedged(parts.state, probe.reason);
  return probe.state === 'healthy' ? probe.health : null;
}

/** A daemon that has only just begun may be busy with beginning: it is asked once more, and waited for longer. */
async function askPatiently(parts: EnsureParts): Promise<HealthProbe> {
  const probe = await ask(parts);
  if (probe.state !== 'silent' || !hasJustBegun(parts.state.paths.lockHolder, Date.now())) return probe;
  return ask(parts, BEGINNING_WITHIN_MS);
}

function ask(parts: Pick<EnsureParts, 'state' | 'headers' | 'agent'>, within?: number): Promise<HealthProbe> {
  return probeHealth({
    socketPath: parts.state.socket(),
    headers: parts.headers,
    agent: parts.agent,
    ...(within === undefined ? {} : { within }),
  });
}

// Neither a start nor a replacement is needed in most lives of a client, so neither is loaded before.
async function start(parts: EnsureParts): Promise<Health> {
  const { startDaemon } = await import('./start-daemon.js');
  return startDaemon(parts);
}

async function replaceOlder(parts: EnsureParts, older: Health): Promise<Health> {
  if (older.calls_in_flight > 0) {
    parts.notice(
      `the daemon is older (${older.version}) than this client (${VERSION}) and serves ${older.calls_in_flight} calls; it is replaced when it is idle.`,
    );
    return older;
  }
  parts.notice(`replacing the daemon of version ${older.version} by ${VERSION}`);
  const { stopDaemon } = await import('./stop-daemon.js');
  await stopDaemon(parts, older.pid);
  return start(parts);
}

function notRunning(exists: boolean): ClientError {
  return new ClientError(
    'daemon_not_running',
    exists ? 'No daemon runs.' : 'No daemon runs, and there is no state folder yet.',
    'Start it with `wc daemon start`.',
  );
}

/** What a person is told about a daemon that is there and says nothing. */
export function wedged(state: ClientState, reason: string): ClientError {
  return new ClientError(
    'daemon_wedged',
    `The daemon at ${state.socket() ?? state.paths.folder} does not answer: ${reason}.`,
    `Continue or end it (its pid stands in ${state.paths.lockHolder}), then try again.`,
  );
}
