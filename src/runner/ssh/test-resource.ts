import { randomUUID } from 'node:crypto';
import type { ConnectFailure, ResourceTest } from '../../protocol/runner/ssh.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import type { RemoteConnection } from './connection.js';
import type { RemoteHosts } from './index.js';

/** What a short command there may take. */
const ASK_WITHIN_MS = 10_000;
const SAY_WHERE = `printf '%s\\n' "wc:$SHELL" "wc:$HOME"`;

const NOT_REACHED: ResourceTest = {
  reachable: null,
  authenticated: null,
  multiplexed: null,
  shell: null,
  home: null,
  handshake_ms: null,
  latency_ms: null,
  reason_code: null,
};

/** Failures that a host has answered with. */
const ANSWERED: ReadonlySet<ConnectFailure> = new Set(['host_key_unknown', 'host_key_changed', 'host_key_revoked', 'authentication_failed']);

/** Tries a resource alone, on a connection of its own that is given up afterwards. */
export async function testResource(hosts: RemoteHosts, name: string): Promise<ResourceTest | Refusal> {
  const found = hosts.find(name);
  if (isRefusal(found)) return found;
  const session = `test-${randomUUID()}`;
  const from = performance.now();
  const held = await hosts.connect(session, found);
  const handshakeMs = Math.round(performance.now() - from);
  if (isRefusal(held)) {
    const reason = held.refused.detail['reason_code'];
    return typeof reason === 'string' ? failed(reason as ConnectFailure) : held;
  }
  try {
    return await look(held.connection, handshakeMs);
  } finally {
    held.giveBack();
    hosts.release(session);
  }
}

function failed(reason: ConnectFailure): ResourceTest {
  const answered = ANSWERED.has(reason);
  // Nothing was sent without a key.
  if (reason === 'identity_unusable') return { ...NOT_REACHED, reason_code: reason };
  return { ...NOT_REACHED, reachable: answered, authenticated: answered ? false : null, reason_code: reason };
}

async function look(connection: RemoteConnection, handshakeMs: number): Promise<ResourceTest> {
  const connected = { ...NOT_REACHED, reachable: true, authenticated: true, handshake_ms: handshakeMs };
  const said = await connection.ask(SAY_WHERE, ASK_WITHIN_MS);
  if (said === null) return { ...connected, multiplexed: false, reason_code: 'channel_refused' };
  // What the start files print stands in front.
  const [shell = '', home = ''] = [...said.matchAll(/^wc:(.*)$/gm)].map(([, value]) => value ?? '');
  const from = performance.now();
  const again = await connection.ask('exit 0', ASK_WITHIN_MS);
  const latencyMs = Math.round(performance.now() - from);
  const multiplexed = again !== null && (await connection.isAlive());
  return { ...connected, multiplexed, shell: shell || null, home: home || null, latency_ms: latencyMs, reason_code: multiplexed ? null : 'connection_lost' };
}
