import type { ProjectId, WindowKey } from '../../protocol/ids.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { Decoration, WindowOwner } from '../kernel/collaboration-ports.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import type { KeptMessage, WindowMessageStore } from './message-store.js';
import { OPERATOR, peerId } from './peer-id.js';
import type { ActiveWindow, WindowStore } from './window-store.js';

/** How long ago activity still counts as recent: a word about activity, and not about who is there. */
const RECENT_MS = 600_000;
const NEW_PEERS_MAX = 3;
const MESSAGES_MAX = 4;
/** What takes longer is left out of this answer, and comes with a later one. */
const DECORATION_BUDGET_MS = 40;

export interface PeerParts {
  readonly windows: WindowStore;
  readonly messages: WindowMessageStore;
  readonly commits: CommitQueue;
  readonly monotonicMs: () => number;
}

export interface PeerCall extends WindowOwner {
  /** The project of a meaningful call; peers are found in exactly this one. */
  readonly project: ProjectId | null;
  readonly ackIds: readonly string[];
  readonly atMs: number;
}

/**
 * What other windows of the same principal bring into an answer (spec 02 §C): peers that were
 * not known, messages, and what was acknowledged. Marks and acknowledgements are one commit,
 * and only what really stands in the answer is marked.
 *
 * @throws CommitFailedError, after which nothing was marked and nothing is shown
 */
export async function peersInAnswer(parts: PeerParts, call: PeerCall, room: Decoration): Promise<JsonObject> {
  const { windows, messages, commits } = parts;
  const started = parts.monotonicMs();
  const { principalKey } = call.principal;
  // What earlier calls have left to be written is read as well.
  commits.flush();
  const acknowledged = messages.ackable(principalKey, call.window, call.ackIds);
  const due = messages.due(principalKey, call.window, acknowledged, MESSAGES_MAX);
  const found =
    call.project === null ? [] : windows.newPeers(principalKey, call.window, call.project, call.atMs - RECENT_MS, NEW_PEERS_MAX);
  if (acknowledged.length === 0 && due.length === 0 && found.length === 0) return {};

  const whole = { ...awareness(call, found), ...messageBlock(due, acknowledged) };
  const shown = Buffer.byteLength(JSON.stringify(whole)) <= room.bytesLeft && parts.monotonicMs() - started <= DECORATION_BUDGET_MS;
  await commits.enqueue(() => {
    for (const id of acknowledged) messages.noteAcknowledged(id, call.atMs);
    if (!shown) return;
    for (const { messageId } of due) messages.noteProjected(messageId, call.atMs);
    if (call.project === null) return;
    for (const { window } of found) messages.noteDiscovery(principalKey, call.window, window, call.project);
  });
  return shown ? whole : messageBlock([], acknowledged);
}

function awareness({ window, project }: { readonly window: WindowKey; readonly project: ProjectId | null }, found: readonly ActiveWindow[]): JsonObject {
  if (found.length === 0) return {};
  return {
    peer_awareness: {
      self_peer_id: peerId(window),
      project,
      recent_window_secs: RECENT_MS / 1_000,
      new_peers: found.map(({ window: peer, source, lastMeaningfulAtMs }) => ({
        peer_id: peerId(peer),
        source,
        last_meaningful_activity_at_ms: lastMeaningfulAtMs,
      })),
      semantics: 'recent_same_project_activity_not_liveness',
    },
  };
}

function messageBlock(due: readonly KeptMessage[], acknowledged: readonly string[]): JsonObject {
  if (due.length === 0 && acknowledged.length === 0) return {};
  return {
    peer_messages: {
      messages: due.map((message) => ({
        message_id: message.messageId,
        from_peer_id: message.sender === null ? OPERATOR : peerId(message.sender),
        kind: message.kind,
        priority: message.priority,
        message: message.message,
        tags: message.tags,
        requires_ack: message.requiresAck,
        created_at_ms: message.createdAtMs,
        projection_count: message.projectionCount + 1,
      })),
      ack: { accepted_count: acknowledged.length, accepted_ids: acknowledged },
    },
  };
}
