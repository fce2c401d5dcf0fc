import type { MessageId } from '../../../protocol/ids.js';
import type { DeliveryReplay } from '../ledger-rows.js';
import type { SessionMessage } from '../message-row.js';
import type { RestoreNote } from './restore-notes.js';
import type { SessionRowShape } from './session-row.js';

const KEY = /^[0-9a-f]{64}:[0-9a-f]{64}$/;
const FINGERPRINT = /^[0-9a-f]{64}$/;

/** The keyed posts that may still be replayed: a key is forgotten with its message (spec 02 §A3). */
export function restoreDeliveries(
  raw: SessionRowShape['message_delivery_replays'],
  messages: readonly SessionMessage[],
): { readonly replays: ReadonlyMap<string, DeliveryReplay>; readonly notes: readonly RestoreNote[] } {
  const retained = new Set<string>(messages.map(({ message_id }) => message_id));
  const replays = new Map<string, DeliveryReplay>();
  let malformed = false;
  for (const [key, { payload_fingerprint: payload, message_id: id }] of Object.entries(raw)) {
    if (!KEY.test(key) || !FINGERPRINT.test(payload)) malformed = true;
    else if (retained.has(id)) replays.set(key, { payloadFingerprint: payload, messageId: id as MessageId });
  }
  return { replays, notes: malformed ? [{ reason: 'malformed_delivery_replay', at: 'message_delivery_replays' }] : [] };
}
