import { createHash } from 'node:crypto';
import type { FailureIdentity } from '../kernel/validation-evidence.js';

/**
 * What tells one failure from another in two runs, as 16 hex: a test by its name, wherever
 * in it it failed; a diagnostic by its place. It is taken of the redacted name, so that it
 * is no digest of a secret.
 */
export function failureDigest({ kind, name, file, line }: FailureIdentity): string {
  const identity = kind === 'test' ? [kind, name] : [kind, name, file, line];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
}
