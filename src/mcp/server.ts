import { ProtocolError, ProtocolErrorCode, Server, type ServerContext, type Transport } from '@modelcontextprotocol/server';
import type { Catalog } from '../protocol/catalog.js';
import { failure, errorKindOf, type ToolResult } from '../protocol/tool-result.js';
import { VERSION } from '../protocol/version.js';
import { callResult, type TextCopy } from './call-result.js';
import { toolDescriptors } from './descriptors.js';
import type { Era, Forward } from './forward.js';
import { instructions } from './instructions.js';
import { ListMeter, type ListedTools } from './listed-tools.js';
import { ProgressReports } from './progress-reports.js';

/** How long a client may keep a list: it changes with the version alone. */
const LIST_TTL_MS = 300_000;
/** Clients give up at 60 s: without progress every answer comes within this. */
const ANSWER_WITHIN_MS = 45_000;
/** With progress the client waits on: the full bound of the longest wait, below the daemon's hard limit. */
const ANSWER_WITH_PROGRESS_WITHIN_MS = 120_000;

export interface McpServerParts {
  readonly catalog: Catalog;
  readonly textCopy: TextCopy;
  /** Faults of ours, for the log; their text never reaches the client. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Makes the servers of both eras over one catalog. Lists are made once; a server is
 * cheap and has no state, since the 2026 era makes one for every probe and request.
 */
export function mcpServers(parts: McpServerParts): (era: Era, forward: Forward, onListed: (list: ListedTools) => void) => Server {
  const lists = {
    legacy: toolDescriptors(parts.catalog, 'legacy'),
    stateless: toolDescriptors(parts.catalog, 'stateless'),
  };
  return (era, forward, onListed) => {
    const meter = new ListMeter(era, onListed);
    const server = new MeteredServer(
      meter,
      { name: 'wc', title: 'wc', version: VERSION },
      {
        instructions: instructions(era),
        capabilities: { tools: { listChanged: false } },
        cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
      },
    );
    server.setRequestHandler('tools/list', (request, context) => {
      meter.begin(context.mcpReq.id, windowOf(context));
      if (request.params?.cursor !== undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is one page, and no cursor leads to another');
      }
      return { tools: lists[era] };
    });
    server.setRequestHandler('tools/call', async (request, context) => {
      const result = await call({ ...parts, forward }, era, request.params.name, request.params.arguments ?? {}, context);
      return callResult(result, parts.textCopy);
    });
    return server;
  };
}

/** A server whose answers to `tools/list` are measured as they go out. */
class MeteredServer extends Server {
  constructor(
    private readonly meter: ListMeter,
    ...given: ConstructorParameters<typeof Server>
  ) {
    super(...given);
  }

  override connect(transport: Transport): Promise<void> {
    return super.connect(this.meter.over(transport));
  }
}

async function call(
  parts: McpServerParts & { readonly forward: Forward },
  era: Era,
  tool: string,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<ToolResult> {
  const { _wc: envelope, recording_session_id: recorder, ...own } = args;
  const reports = progressReports(context);
  try {
    const result = await parts.forward({
      era,
      tool,
      arguments: { ...own, ...misplaced(era, envelope, recorder) },
      envelope: era === 'stateless' ? envelope : undefined,
      recordingSessionId: era === 'legacy' && typeof recorder === 'string' ? recorder : null,
      window: windowOf(context),
      answerWithinMs: reports === null ? ANSWER_WITHIN_MS : ANSWER_WITH_PROGRESS_WITHIN_MS,
      signal: context.mcpReq.signal,
      onProgress: reports?.note ?? null,
    });
    if (errorKindOf(result) === 'unknown_tool' && tool !== 'call_runtime_tool') {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown tool');
    }
    return result;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    parts.onFault(error);
    return failure('internal_error', 'wc failed inside this call; wc daemon logs say how', { state_changed: null });
  } finally {
    reports?.end();
  }
}

/**
 * What an era does not know stays among the arguments, where the kernel refuses it by
 * name; nothing that a caller sent is dropped silently.
 */
function misplaced(era: Era, envelope: unknown, recorder: unknown): Record<string, unknown> {
  if (era === 'stateless') return recorder === undefined ? {} : { recording_session_id: recorder };
  return {
    ...(envelope === undefined ? {} : { _wc: envelope }),
    ...(recorder === undefined || typeof recorder === 'string' ? {} : { recording_session_id: recorder }),
  };
}

function windowOf(context: ServerContext): string | null {
  const raw = (context.mcpReq._meta as Record<string, unknown> | undefined)?.['openai/session'];
  return typeof raw === 'string' ? raw : null;
}

function progressReports(context: ServerContext): ProgressReports | null {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return null;
  const { signal } = context.mcpReq;
  const reports = new ProgressReports(({ progress, message }) => {
    if (signal.aborted) return;
    // A client that is gone gets no report, and its end is seen elsewhere.
    context.mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => undefined);
  });
  signal.addEventListener('abort', () => reports.end(), { once: true });
  return reports;
}
