import type { ConnectFailure } from '../../protocol/runner/ssh.js';

/** A key of a host, as a line of `known_hosts` has it. */
export interface KnownHostKey {
  /** `ssh-ed25519` and the like. */
  readonly type: string;
  /** The public key as it goes over the wire. */
  readonly key: Buffer;
  readonly revoked: boolean;
}

/** The host key algorithms that are offered, the strongest first; none of them signs with SHA-1. */
const ALGORITHMS = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'rsa-sha2-512', 'rsa-sha2-256'] as const;
export type HostKeyAlgorithm = (typeof ALGORITHMS)[number];

/**
 * The algorithms to offer, those of the known keys in front: a host that has further keys
 * is not to show one that nobody can check.
 */
export function hostKeyAlgorithms(known: readonly KnownHostKey[]): HostKeyAlgorithm[] {
  const types = new Set(known.filter(({ revoked }) => !revoked).map(({ type }) => type));
  const isKnown = (algorithm: string): boolean => types.has(algorithm.startsWith('rsa-sha2-') ? 'ssh-rsa' : algorithm);
  return [...ALGORITHMS.filter(isKnown), ...ALGORITHMS.filter((algorithm) => !isKnown(algorithm))];
}

/**
 * What the known hosts say of the key that a host shows; nothing but `trusted` lets a
 * connection come to be. A key of a type that is not known there says nothing of a change.
 */
export function hostKeyVerdict(known: readonly KnownHostKey[], shown: Buffer): 'trusted' | Extract<ConnectFailure, `host_key_${string}`> {
  const same = known.filter(({ key }) => key.equals(shown));
  if (same.some(({ revoked }) => revoked)) return 'host_key_revoked';
  if (same.length > 0) return 'trusted';
  const type = keyType(shown);
  return known.some((one) => one.type === type && !one.revoked) ? 'host_key_changed' : 'host_key_unknown';
}

/** The type stands in front of a public key: a length of four bytes, and its name. */
function keyType(key: Buffer): string {
  return key.length < 4 ? '' : key.toString('latin1', 4, 4 + key.readUInt32BE(0));
}
