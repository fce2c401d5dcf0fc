import type { MessageId } from '../../protocol/ids.js';
import type { SessionView } from '../kernel/ports.js';
import { digestOf } from './digest.js';

const PREFIX = 'wcar1_';
const TAG_BYTES = 16;
const MAX_CHARACTERS = 64;
const FORM = /^wcar1_[A-Za-z0-9_-]{1,58}$/;

type Bound = Pick<SessionView, 'sessionId' | 'ownerFingerprint'>;

/**
 * One value for an exact set of open messages (spec 02 §B7): a bit a message over the whole
 * sorted open set, and a tag that binds them to this very set, so that a set that grew or
 * shrank since makes the value say nothing instead of something else.
 *
 * @param open all open messages that ask for an acknowledgement, in their order
 * @returns null for an empty set, and for one that does not fit
 */
export function ackRef(session: Bound, open: readonly MessageId[], covered: ReadonlySet<MessageId>): string | null {
  const bits = Buffer.alloc(Math.ceil(open.length / 8));
  let last = -1;
  open.forEach((id, index) => {
    if (!covered.has(id)) return;
    last = index;
    bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  });
  if (last === -1) return null;
  const bitmap = bits.subarray(0, (last >> 3) + 1);
  const ref = PREFIX + Buffer.concat([tag(session, open, bitmap), bitmap]).toString('base64url');
  return ref.length <= MAX_CHARACTERS ? ref : null;
}

/** The messages that a ref stands for while the open set is what it was; none for any other text. */
export function messagesOfAckRef(session: Bound, open: readonly MessageId[], ref: string): readonly MessageId[] {
  if (!FORM.test(ref)) return [];
  const bitmap = Buffer.from(ref.slice(PREFIX.length), 'base64url').subarray(TAG_BYTES);
  const covered = open.filter((_id, index) => ((bitmap[index >> 3] ?? 0) & (1 << (index & 7))) !== 0);
  // Made anew it is the same, or it was not made for this.
  return ackRef(session, open, new Set(covered)) === ref ? covered : [];
}

function tag({ sessionId, ownerFingerprint }: Bound, open: readonly MessageId[], bitmap: Buffer): Buffer {
  return digestOf('wc.ack-ref.v1', [sessionId, ownerFingerprint, open, bitmap.toString('base64url')]).subarray(0, TAG_BYTES);
}
