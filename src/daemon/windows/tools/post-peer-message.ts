import { z } from 'zod';
import type { MessageId, WindowKey } from '../../../protocol/ids.js';
import { success, type Failure, type ToolResult } from '../../../protocol/tool-result.js';
import {
  bodyInput,
  deliveryKeyInput,
  digestOf,
  keyText,
  kindInput,
  messageFields,
  priorityInput,
  requiresAckInput,
  tagsInput,
} from '../../board/index.js';
import type { CallContext } from '../../kernel/call-context.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { CommitFailedError, type CommitQueue } from '../../storage/commit-queue.js';
import type { KeyedDelivery, WindowMessageStore } from '../message-store.js';
import { isPeerId, peerId, windowOfPeer } from '../peer-id.js';
import { invalidPeerMessage, peerDeliveryConflict, peerMessageUncertain, peerRefusal } from '../refusals.js';

export interface PostPeerParts {
  readonly messages: WindowMessageStore;
  readonly commits: CommitQueue;
  readonly newMessageId: () => MessageId;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
}

const input = z.strictObject({
  peer_id: z.string().meta({ description: 'A peer that peer_awareness or peer_messages named: wc_peer_…' }),
  kind: kindInput,
  message: bodyInput,
  tags: tagsInput,
  priority: priorityInput,
  requires_ack: requiresAckInput,
  delivery_key: deliveryKeyInput,
});

/** `post_peer_message`: a message to another window of the same principal; it shows nothing else of either. */
export function postPeerMessage(parts: PostPeerParts): Tool {
  return defineTool(
    {
      name: 'post_peer_message',
      title: 'Write to a peer',
      summary: 'Send a short message to another window of yours that worked in the same project lately.',
      description: 'It stands in one of the answers that the peer gets; that is no proof that anybody read it.',
      category: 'session',
      visibility: 'model_visible',
      effect: 'mutate',
      risk: 'session_collaborate',
      approval: 'none',
      idempotency: 'non_idempotent',
      scopes: { kind: 'all', scopes: ['session:collaborate'] },
      session: 'none',
      project: 'none',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      recorded_inputs: ['kind', 'priority', 'requires_ack'],
      cli: { positionals: ['peer_id', 'message'] },
      input,
      output: z.looseObject({
        message_id: z.string(),
        sender_peer_id: z.string(),
        recipient_peer_id: z.string(),
        requires_ack: z.boolean(),
        replayed: z.boolean(),
        state_changed: z.boolean(),
      }),
    },
    async (given, call) => {
      const result = await post(parts, given, call);
      return { result, facts: { effect: { stateChanged: result.output['state_changed'] === true } } };
    },
  );
}

async function post(parts: PostPeerParts, given: z.output<typeof input>, call: CallContext): Promise<ToolResult> {
  const route = routeOf(parts, given.peer_id, call);
  if ('success' in route) return route;
  const fields = messageFields(given, invalidPeerMessage);
  if ('failure' in fields) return fields.failure;
  const key = given.delivery_key === undefined ? undefined : keyText(given.delivery_key);
  if (key === null) return peerRefusal('invalid_delivery_key', 'delivery_key has not 1 to 128 characters');
  const { sender, recipient } = route;
  const requiresAck = given.requires_ack === true;
  const keyed: KeyedDelivery | null =
    key === undefined
      ? null
      : {
          delivery: digestOf('wc.peer-delivery.v1', [sender, key]).toString('hex'),
          payloadFingerprint: digestOf('wc.peer-message.v1', [recipient, fields, requiresAck]).toString('hex'),
        };
  const message = { ...fields, messageId: parts.newMessageId(), sender, recipient, requiresAck, replyTo: null, createdAtMs: parts.nowMs() };
  const sent = (messageId: string, replayed: boolean): ToolResult =>
    success({
      message_id: messageId,
      sender_peer_id: peerId(sender),
      recipient_peer_id: peerId(recipient),
      requires_ack: requiresAck,
      replayed,
      state_changed: !replayed,
    });
  let answer: ToolResult = sent(message.messageId, false);
  try {
    await parts.commits.enqueue(() => {
      const earlier = keyed === null ? null : parts.messages.delivered(call.principal.principalKey, keyed.delivery);
      if (earlier === null) parts.messages.append(call.principal.principalKey, message, keyed);
      else answer = earlier.payloadFingerprint === keyed?.payloadFingerprint ? sent(earlier.messageId, true) : peerDeliveryConflict();
    });
    return answer;
  } catch (error) {
    if (!(error instanceof CommitFailedError)) throw error;
    if (keyed !== null) return peerMessageUncertain(error.message);
    return peerRefusal('peer_collaboration_unavailable', `${error.message}; free space or repair the state folder`);
  }
}

/** Both ends of a message, or why there is none. */
function routeOf(
  { messages }: PostPeerParts,
  peer: string,
  { window, principal }: CallContext,
): { readonly sender: WindowKey; readonly recipient: WindowKey } | Failure {
  if (window === null) return peerRefusal('peer_identity_unavailable', 'this call has no window, and only a window has peers');
  if (principal.authority === null || principal.authority.kind === 'anonymous') {
    return peerRefusal('peer_principal_unavailable', 'an anonymous caller has no peers');
  }
  if (!isPeerId(peer)) return peerRefusal('invalid_peer_id', 'peer_id is none; peer_awareness names peers');
  if (peer === peerId(window)) return peerRefusal('peer_self_target', 'that peer is this very window');
  const recipient = windowOfPeer(peer, messages.routes(principal.principalKey, window));
  if (recipient === null) return peerRefusal('peer_not_found', 'this window knows no such peer, or does not any more');
  return { sender: window, recipient };
}
