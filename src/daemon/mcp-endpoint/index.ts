import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import type { Catalog } from '../../protocol/catalog.js';
import type { CallId } from '../../protocol/ids.js';
import { failure } from '../../protocol/tool-result.js';
import type { Forward, ListedTools, TextCopy } from '../../mcp/index.js';
import type { ToolsListRecord } from '../audit/index.js';
import type { CallRequest } from '../kernel/call-request.js';
import type { Principal } from '../kernel/principal.js';
import { affinityOf, hasHalfPair, runCall, type CallRunner } from '../server/index.js';
import { windowKey } from '../kernel/window-key.js';

/** `POST /mcp`: the same server as the shim's, straight on the kernel. */
export type McpEndpoint = (
  runner: CallRunner,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
) => Promise<void>;

export interface McpEndpointDeps {
  readonly readCatalog: () => Catalog;
  readonly textCopy: TextCopy;
  /** One `tools/list` that was answered here. */
  readonly onListed: (list: ToolsListRecord) => void;
  readonly onFault: (error: unknown) => void;
}

/** Makes the endpoint; the MCP SDK is loaded with the first request, since most daemons never see one. */
export function createMcpEndpoint({ readCatalog, textCopy, onListed, onFault }: McpEndpointDeps): McpEndpoint {
  let loading: ReturnType<typeof load> | null = null;
  const load = async () => {
    const [{ mcpServers }, { createMcpHandler }, { toNodeHandler }] = await Promise.all([
      import('../../mcp/index.js'),
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/node'),
    ]);
    return { createMcpHandler, toNodeHandler, serverFor: mcpServers({ catalog: readCatalog(), textCopy, onFault }) };
  };
  return async (runner, request, response, principal) => {
    const { createMcpHandler, toNodeHandler, serverFor } = await (loading ??= load());
    const facts = requestFacts(request);
    const forward = kernelForward(runner, principal, facts);
    const listed = (list: ListedTools): void => onListed(listRecord(list, principal, facts));
    // One request, one handler: it is stateless, and its calls belong to this very caller.
    const handler = createMcpHandler(
      ({ era }) => serverFor(era === 'modern' ? 'stateless' : 'legacy', forward, listed),
      { onerror: onFault },
    );
    await toNodeHandler(handler, { onerror: onFault })(request as NodeIncomingMessageLike, response);
  };
}

/** What the audit is told of the HTTP request itself. */
type RequestFacts = Pick<CallRequest, 'affinity' | 'requestBytes'>;

function requestFacts(request: IncomingMessage): RequestFacts {
  const length = Number(request.headers['content-length'] ?? NaN);
  return {
    affinity: affinityOf(request, new URL(request.url ?? '/', 'http://wc').searchParams),
    requestBytes: Number.isSafeInteger(length) ? length : null,
  };
}

function listRecord(list: ListedTools, principal: Principal, facts: RequestFacts): ToolsListRecord {
  const { era, window, ...measured } = list;
  return {
    ...measured,
    ...facts,
    principal,
    adapter: era === 'stateless' ? 'mcp_2026' : 'mcp_legacy',
    window: windowKey('openai-session', window ?? undefined),
    httpStatus: 200,
  };
}

function kernelForward(runner: CallRunner, principal: Principal, facts: RequestFacts): Forward {
  return async (call) => {
    // The SDK has read this body; every other route reads its own and refuses the same.
    if (hasHalfPair(call.arguments)) {
      return failure('invalid_arguments', 'a text of the arguments has half of a surrogate pair; send whole characters', {
        state_changed: false,
      });
    }
    const stateless = call.era === 'stateless';
    // In the stateless era the client cancels by closing its stream; before, a lost stream proves nothing.
    const cancelled = new AbortController();
    const disconnected = new AbortController();
    call.signal.addEventListener('abort', () => (stateless ? cancelled : disconnected).abort());
    const answer = await runCall(
      runner,
      {
        callId: randomUUID() as CallId,
        tool: call.tool,
        arguments: call.arguments,
        envelope: call.envelope,
        recordingSessionId: call.recordingSessionId,
        principal,
        adapter: stateless ? 'mcp_2026' : 'mcp_legacy',
        window: windowKey('openai-session', call.window ?? undefined),
        affinity: facts.affinity,
        endpoint: '/mcp',
        environment: null,
        stdinPipe: null,
        disconnected: disconnected.signal,
        wantsProgress: call.onProgress !== null,
        progress: call.onProgress ?? (() => undefined),
        answerWithinMs: call.answerWithinMs,
        requestBytes: facts.requestBytes,
      },
      cancelled,
    );
    answer.audit({ httpStatus: 200, streaming: call.onProgress !== null, atMs: Date.now() });
    return answer.result;
  };
}
