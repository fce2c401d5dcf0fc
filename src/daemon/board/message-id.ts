import type { MessageId } from '../../protocol/ids.js';

const RANDOM_BYTES = 12;

/** `wc_msg_` and 12 random bytes in base64url, which are 16 characters. */
export function newMessageId(randomBytes: (size: number) => Buffer): MessageId {
  return `wc_msg_${randomBytes(RANDOM_BYTES).toString('base64url')}` as MessageId;
}
