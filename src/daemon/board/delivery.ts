import type { MessageFields } from './message-fields.js';
import { digestOf, sha256Hex } from './digest.js';

/** The scope of a delivery key: one Session and one key, as the ledger writes it. Neither is readable. */
export function deliveryScope(sessionId: string, key: string): string {
  return `${sha256Hex(sessionId)}:${sha256Hex(key)}`;
}

/**
 * What a delivery key stands for (spec 02 §A3): all that a poster chose. It is taken from
 * the text as it is stored, so that no digest of a credential is kept.
 */
export function payloadFingerprint(
  { kind, priority, message, tags }: MessageFields,
  { replyTo, requiresAck }: { readonly replyTo: string | null; readonly requiresAck: boolean },
): string {
  return digestOf('wc.session-message-delivery.v1', [kind, priority, message, tags, replyTo, requiresAck]).toString('hex');
}
