import type { JsonObject } from '../../protocol/tool-result.js';
import { printable } from './printable.js';
import type { Style } from './style.js';

interface AttentionFacts {
  readonly session_id: string;
  readonly messages: readonly { readonly message_id: string; readonly kind: string; readonly message: string; readonly message_truncated: boolean }[];
  readonly omitted_count: number;
}

interface PeerFacts {
  readonly messages: readonly { readonly message_id: string; readonly from_peer_id: string; readonly kind: string; readonly message: string }[];
}

/**
 * What an answer brings from others beside its own output: messages that ask to be
 * acknowledged, words of peers. Null when it brings nothing.
 */
export function renderAttention(output: JsonObject, style: Style): string | null {
  const attention = output['session_attention'] as unknown as AttentionFacts | undefined;
  const peers = output['peer_messages'] as unknown as PeerFacts | undefined;
  const lines = [
    ...(attention?.messages ?? []).map(({ message_id: id, kind, message, message_truncated: cut }) =>
      said(`${kind} for ${attention?.session_id ?? ''}`, `${message}${cut ? ' …' : ''}`, `--ack ${id}`, style),
    ),
    ...(attention !== undefined && attention.omitted_count > 0 ? [style.dim(`… and ${attention.omitted_count} more for ${attention.session_id}`)] : []),
    ...(peers?.messages ?? []).map(({ message_id: id, from_peer_id: from, kind, message }) => said(`${kind} from ${from}`, message, id, style)),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

function said(about: string, message: string, mark: string, style: Style): string {
  // A further line is indented, or it could pass for somebody else's message.
  return `${style.bold(about)} ${style.dim(`(${mark})`)}: ${printable(message).replaceAll('\n', '\n  ')}`;
}
