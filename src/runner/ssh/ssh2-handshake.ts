import { connect, type Socket } from 'node:net';
import type { AnyAuthMethod, Client, utils } from 'ssh2';
import type { ConnectFailure, Ssh2Resource } from '../../protocol/runner/ssh.js';
import { hostKeyAlgorithms, hostKeyVerdict, type KnownHostKey } from './host-key-verdict.js';
import { readIdentity } from './identity.js';
import { knownHostKeys } from './known-hosts.js';
import { Ssh2Connection, type Ssh2Bounds } from './ssh2-connection.js';

/** From the first packet to a connection that carries channels, in all. */
const HANDSHAKE_WITHIN_MS = 15_000;
/** A host that is gone is noticed within a minute. */
const KEEPALIVE_EVERY_MS = 15_000;
const KEEPALIVES_MISSED = 3;

export interface HandshakeOptions {
  readonly resource: Ssh2Resource;
  /** `ssh-keygen`, absolute, which reads the known hosts. */
  readonly sshKeygen: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whose known hosts and keys are meant. */
  readonly home: string;
  readonly bounds?: Ssh2Bounds & { readonly handshakeMs?: number };
}

/**
 * Connects, checks the host's key against the known hosts, and authenticates with the one
 * key or the agent that is meant; nobody is asked for anything (decision 18).
 */
export async function connectSsh2(options: HandshakeOptions): Promise<Ssh2Connection | { readonly failed: ConnectFailure }> {
  const { resource, sshKeygen, env, home, bounds = {} } = options;
  const { default: ssh2 } = await import('ssh2');
  const auth = await authentication(options, ssh2.utils);
  if ('failed' in auth) return auth;
  const known = await knownHostKeys({ program: sshKeygen, env, home, host: resource.host, port: resource.port });
  if (known === null) return { failed: 'host_key_unknown' };
  const socket = connect({ host: resource.host, port: resource.port, noDelay: true });
  const client = new ssh2.Client();
  const failed = await handshake(client, socket, { known, auth, user: resource.user, withinMs: bounds.handshakeMs ?? HANDSHAKE_WITHIN_MS });
  if (failed === null) return new Ssh2Connection(client, socket, bounds);
  socket.destroy();
  return { failed };
}

interface Terms {
  readonly known: readonly KnownHostKey[];
  readonly auth: AnyAuthMethod;
  readonly user: string;
  readonly withinMs: number;
}

/** Null when it came to its end. */
function handshake(client: Client, socket: Socket, { known, auth, user, withinMs }: Terms): Promise<ConnectFailure | null> {
  return new Promise((resolve) => {
    let refusedKey: ConnectFailure | null = null;
    const timer = setTimeout(() => settle('handshake_timeout'), withinMs);
    const settle = (failed: ConnectFailure | null): void => {
      clearTimeout(timer);
      resolve(failed);
    };
    // It stays when the handshake is over: a broken connection is seen by its close.
    client.on('error', (error) => settle(refusedKey ?? failureOf(error)));
    client.once('close', () => settle(refusedKey ?? 'unreachable'));
    client.once('ready', () => settle(null));
    client.connect({
      sock: socket,
      username: user,
      authHandler: [auth],
      readyTimeout: 0,
      keepaliveInterval: KEEPALIVE_EVERY_MS,
      keepaliveCountMax: KEEPALIVES_MISSED,
      algorithms: { serverHostKey: hostKeyAlgorithms(known) },
      // Asked at every exchange of keys, the later ones of a connection too.
      hostVerifier: (shown: Buffer) => {
        const verdict = hostKeyVerdict(known, shown);
        if (verdict !== 'trusted') refusedKey = verdict;
        return verdict === 'trusted';
      },
    });
  });
}

/** The one way in: a key that can be used, else the agent. */
async function authentication(
  { resource, env, home }: HandshakeOptions,
  { parseKey }: typeof utils,
): Promise<AnyAuthMethod | { readonly failed: ConnectFailure }> {
  const username = resource.user;
  if (resource.identity_file === undefined) {
    const agent = env['SSH_AUTH_SOCK'];
    return agent === undefined || agent === '' ? { failed: 'identity_unusable' } : { type: 'agent', username, agent };
  }
  const text = await readIdentity(resource.identity_file, home);
  const key = text === null ? null : parseKey(text);
  return key === null || key instanceof Error || !key.isPrivateKey() ? { failed: 'identity_unusable' } : { type: 'publickey', username, key };
}

const BY_CODE: Readonly<Record<string, ConnectFailure>> = {
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  ETIMEDOUT: 'handshake_timeout',
};
const BY_LEVEL: Readonly<Record<string, ConnectFailure>> = {
  'client-socket': 'unreachable',
  'client-timeout': 'handshake_timeout',
  'client-authentication': 'authentication_failed',
  // There is none where it is said to be.
  agent: 'authentication_failed',
};

function failureOf(error: Error & { readonly code?: unknown; readonly level?: unknown }): ConnectFailure {
  return BY_CODE[String(error.code)] ?? BY_LEVEL[String(error.level)] ?? 'unknown';
}
