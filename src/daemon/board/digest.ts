import { createHash } from 'node:crypto';

/**
 * SHA-256 over a domain tag and JSON of `value`: the tag keeps digests of different
 * purposes apart, and JSON parts the members without doubt.
 */
export function digestOf(domain: string, value: unknown): Buffer {
  return createHash('sha256').update(domain).update('\0').update(JSON.stringify(value)).digest();
}

/** SHA-256 of a text alone, lower hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
