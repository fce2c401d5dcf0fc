import type { ConnectFailure } from '../../protocol/runner/ssh.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { notStarted } from '../jobs/not-started.js';

/** What `ssh` says when it gives up, the first match counts. The kind of the failure never hangs on it. */
const SAID: readonly (readonly [RegExp, ConnectFailure])[] = [
  [/REVOKED HOST KEY|host key .*(?:is|was) revoked/i, 'host_key_revoked'],
  [/REMOTE HOST IDENTIFICATION HAS CHANGED|host key .*has changed/i, 'host_key_changed'],
  [/Host key verification failed|No .*host key is known/i, 'host_key_unknown'],
  [/Could not resolve hostname/i, 'name_not_resolved'],
  [/Permission denied|Too many authentication failures|no matching .*auth/i, 'authentication_failed'],
  [/Connection timed out|Operation timed out|Timeout/i, 'handshake_timeout'],
  [/Connection refused|No route to host|unreachable|Connection (?:closed|reset)|connect to host/i, 'unreachable'],
];

/** Why `ssh` gave up, out of its own words, which name the host and go no further. */
export function connectFailure(said: string): ConnectFailure {
  return SAID.find(([pattern]) => pattern.test(said))?.[1] ?? 'unknown';
}

const ADVICE: Readonly<Record<ConnectFailure, string>> = {
  unreachable: 'its host did not take the connection',
  name_not_resolved: "its host's name is not known here",
  host_key_unknown: 'its host key is not in the known hosts; connect once by hand and check the key',
  host_key_changed: 'its host key is another one than before; find out why before you trust it',
  host_key_revoked: 'its host key is marked as revoked in the known hosts',
  identity_unusable: 'there is no key to use: its identity file can not be read, is locked by a passphrase, or can be read by others, or it names none and there is no agent',
  authentication_failed: 'no key was accepted, and nobody is asked for a password; check the agent and the keys',
  handshake_timeout: 'the handshake did not come to its end in time',
  channel_refused: 'its host takes no further channel on the connection (MaxSessions); wait for a command to end',
  connection_lost: 'the connection broke before the command was started; try again',
  unknown: 'the handshake failed; "wc ssh test" tries it alone',
};

/** No connection, or no channel on it: nothing was started. It names the resource, and never its host. */
export function connectionFailed(resource: string, reason: ConnectFailure): Refusal {
  return notStarted('ssh_connection_failed', 'runtime_error', `The resource "${resource}" could not be reached: ${ADVICE[reason]}.`, {
    resource,
    reason_code: reason,
  });
}
