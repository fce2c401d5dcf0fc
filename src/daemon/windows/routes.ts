import { z } from 'zod';
import type { MessageId, WindowKey } from '../../protocol/ids.js';
import { success, type Json, type ToolResult } from '../../protocol/tool-result.js';
import { keyText, messageFields } from '../board/index.js';
import type { Principal } from '../kernel/principal.js';
import { operatorError, type OperatorAnswer, type OperatorRoute } from '../operator-route.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import type { KeptMessage, WindowMessageStore } from './message-store.js';
import { peerId } from './peer-id.js';
import { invalidPeerMessage, peerRefusal } from './refusals.js';
import type { WindowStore } from './window-store.js';

export interface WindowRouteParts {
  readonly windows: WindowStore;
  readonly messages: WindowMessageStore;
  readonly commits: CommitQueue;
  readonly newMessageId: () => MessageId;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
}

const listRequest = z.strictObject({});
const messageRequest = z.strictObject({
  window: z.string(),
  message: z.string(),
  kind: z.string().optional(),
  priority: z.string().optional(),
  requires_ack: z.boolean().optional(),
});

/** A window with all its projects, as its operator sees it; the digest alone is shown, as its peers know it. */
interface ListedWindow {
  readonly window: WindowKey;
  readonly principalKey: string;
  readonly source: string;
  readonly projects: string[];
  lastMeaningfulAtMs: number;
}

/** `POST /api/windows/{list,message}`: for the operator of the daemon, whose messages `_wc.reply` answers. */
export function windowRoutes(parts: WindowRouteParts): readonly OperatorRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/windows/list',
      handle: async (body, principal) => {
        if (!listRequest.safeParse(body).success) return notUnderstood();
        return refuseOthers(principal) ?? { status: 200, body: { ...success({ windows: listedWindows(parts) }) } };
      },
    },
    {
      method: 'POST',
      path: '/api/windows/message',
      handle: async (body, principal) => {
        const asked = messageRequest.safeParse(body);
        if (!asked.success) return notUnderstood();
        return refuseOthers(principal) ?? post(parts, asked.data);
      },
    },
  ];
}

async function post(parts: WindowRouteParts, asked: z.output<typeof messageRequest>): Promise<OperatorAnswer> {
  const found = knownWindows(parts).filter(({ window }) => peerId(window) === keyText(asked.window));
  const [target] = found;
  if (target === undefined || found.length > 1) {
    return toolAnswer(peerRefusal('peer_not_found', 'no window has that id; wc window list shows them'));
  }
  const fields = messageFields({ kind: asked.kind ?? 'note', message: asked.message, priority: asked.priority }, invalidPeerMessage);
  if ('failure' in fields) return toolAnswer(fields.failure);
  const message = {
    ...fields,
    messageId: parts.newMessageId(),
    sender: null,
    recipient: target.window,
    requiresAck: asked.requires_ack === true,
    replyTo: null,
    createdAtMs: parts.nowMs(),
  };
  try {
    await parts.commits.enqueue(() => parts.messages.append(target.principalKey, message, null));
  } catch (error) {
    if (!(error instanceof CommitFailedError)) throw error;
    return toolAnswer(peerRefusal('peer_collaboration_unavailable', `${error.message}; free space or repair the state folder`));
  }
  return toolAnswer(success({ message_id: message.messageId, window: peerId(target.window) }));
}

function toolAnswer(result: ToolResult): OperatorAnswer {
  return { status: 200, body: { ...result } };
}

function listedWindows(parts: WindowRouteParts): Json[] {
  parts.commits.flush();
  const said = parts.messages.withOperator();
  return knownWindows(parts).map(({ window, principalKey, source, projects, lastMeaningfulAtMs }) => ({
    window: peerId(window),
    principal: principalKey,
    source,
    projects,
    last_meaningful_activity_at_ms: lastMeaningfulAtMs,
    messages: said.filter(({ sender, recipient }) => sender === window || recipient === window).map(messageView),
  }));
}

function knownWindows({ windows, commits }: WindowRouteParts): ListedWindow[] {
  commits.flush();
  const byWindow = new Map<string, ListedWindow>();
  for (const { window, principalKey, source, project, lastMeaningfulAtMs } of windows.all()) {
    const key = `${principalKey}\0${window}`;
    const known = byWindow.get(key) ?? { window, principalKey, source, projects: [], lastMeaningfulAtMs };
    if (project !== '') known.projects.push(project);
    byWindow.set(key, known);
  }
  return [...byWindow.values()];
}

function messageView(message: KeptMessage): Json {
  return {
    message_id: message.messageId,
    from: message.sender === null ? 'operator' : 'window',
    kind: message.kind,
    message: message.message,
    created_at_ms: message.createdAtMs,
    reply_to: message.replyTo,
    requires_ack: message.requiresAck,
    projection_count: message.projectionCount,
    first_ack_observed_at_ms: message.firstAckObservedAtMs,
  };
}

function refuseOthers(principal: Principal): OperatorAnswer | null {
  if (principal.credential === 'local_owner' && principal.scopes.has('account:manage')) return null;
  return operatorError(403, 'operator_only', 'only the owner of this daemon speaks to its windows', 'use wc window in a terminal, without a token of its own');
}

function notUnderstood(): OperatorAnswer {
  return operatorError(400, 'invalid_arguments', 'that is not what this route takes', 'see docs/message-board.md');
}
