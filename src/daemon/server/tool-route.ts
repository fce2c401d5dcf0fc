import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEADERS } from '../../protocol/api.js';
import { parseCallId, type CallId } from '../../protocol/ids.js';
import type { Adapter } from '../kernel/call-context.js';
import type { CallRequest } from '../kernel/call-request.js';
import type { Principal } from '../kernel/principal.js';
import { windowKey } from '../kernel/window-key.js';
import { affinityOf, oneHeader } from './affinity-headers.js';
import { ProgressStream } from './progress-stream.js';
import { readJsonBody } from './read-body.js';
import { runCall, type CallRunner } from './run-call.js';
import { TransportRefusal } from './transport-error.js';

const BODY_KEYS: ReadonlySet<string> = new Set([
  'arguments',
  'recording_session_id',
  'ack_session_message_ids',
  'ack_ref',
  '_wc',
  'environment',
  'stdin_pipe',
]);
const MCP_ANSWER_WITHIN_MS = 45_000;
const MIN_ANSWER_WITHIN_MS = 1_000;
/** Below the hard bound of calls over MCP, so that a tool answers by itself. */
const MAX_ANSWER_WITHIN_MS = 140_000;

/** `POST /api/tools/{name}`: one call through the kernel, answered whole or as a stream. */
export async function toolRoute(
  deps: CallRunner,
  name: string,
  query: URLSearchParams,
  principal: Principal,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readJsonBody(request);
  const call = parseBody(body.value);
  refuseWhatIsTheOwners(principal, call);
  const callId = callIdOf(request);
  const disconnected = new AbortController();
  response.on('close', () => {
    // A connection that ends before its answer is a caller that vanished, not a cancel.
    if (!response.writableFinished) disconnected.abort();
  });
  const stream = wantsStream(request) ? new ProgressStream(response) : null;
  const answer = await runCall(deps, {
    ...call,
    callId,
    tool: name,
    principal,
    ...surfaceOf(request, query),
    disconnected: disconnected.signal,
    wantsProgress: stream !== null,
    progress: stream?.progress ?? (() => undefined),
    requestBytes: body.bytes,
  });
  if (stream !== null) stream.end(answer.body);
  else sendJson(response, answer.body);
  answer.audit({ httpStatus: 200, streaming: stream !== null, atMs: Date.now() });
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function callIdOf(request: IncomingMessage): CallId {
  const given = request.headers[HEADERS.callId];
  if (given === undefined) return randomUUID() as CallId;
  const callId = typeof given === 'string' ? parseCallId(given) : null;
  if (callId === null) {
    throw new TransportRefusal('malformed_request', `${HEADERS.callId} is not a UUID`, 'send a UUID of your own, or none');
  }
  return callId;
}

function wantsStream(request: IncomingMessage): boolean {
  return (request.headers.accept ?? '').includes('application/x-ndjson');
}

function parseBody(
  body: Readonly<Record<string, unknown>>,
): Pick<CallRequest, 'arguments' | 'envelope' | 'recordingSessionId' | 'environment' | 'stdinPipe'> {
  const unknown = Object.keys(body).find((key) => !BODY_KEYS.has(key));
  if (unknown !== undefined) {
    throw new TransportRefusal(
      'malformed_request',
      `the body has an unknown member ${JSON.stringify(unknown.slice(0, 64))}`,
      `its members are ${[...BODY_KEYS].join(', ')}; a tool's own fields go into arguments`,
    );
  }
  const args = body['arguments'] ?? {};
  const recording = body['recording_session_id'] ?? null;
  const environment = body['environment'] ?? null;
  if (!isObject(args)) throw wrongType('arguments', 'an object');
  if (recording !== null && typeof recording !== 'string') throw wrongType('recording_session_id', 'a string');
  if (environment !== null && !isEnvironment(environment)) throw wrongType('environment', 'an object of strings');
  const stdinPipe = body['stdin_pipe'] ?? null;
  if (stdinPipe !== null && !isAbsolutePath(stdinPipe)) throw wrongType('stdin_pipe', 'an absolute path');
  return { arguments: args, envelope: envelopeOf(body), recordingSessionId: recording, environment, stdinPipe };
}

/**
 * The `_wc` of a call. Callers of the plain API may give its acknowledgements beside the
 * arguments, under the names that older clients know; one parser judges both.
 */
function envelopeOf(body: Readonly<Record<string, unknown>>): unknown {
  const { ack_session_message_ids: ack, ack_ref: ref, _wc: envelope } = body;
  if (ack === undefined && ref === undefined) return envelope;
  if (envelope !== undefined) {
    throw new TransportRefusal('malformed_request', 'the body has acknowledgements in two forms', 'give them in _wc, or beside the arguments');
  }
  return { ...(ack === undefined ? {} : { ack }), ...(ref === undefined ? {} : { ack_ref: ref }) };
}

/** A terminal's environment and a user's FIFO come over the user's own socket alone. */
function refuseWhatIsTheOwners({ credential }: Principal, { environment, stdinPipe }: Pick<CallRequest, 'environment' | 'stdinPipe'>): void {
  if (credential === 'local_owner' || (environment === null && stdinPipe === null)) return;
  const member = environment === null ? 'stdin_pipe' : 'environment';
  throw new TransportRefusal('operator_only', `only the owner of this daemon may send ${member}`, `leave ${member} out, or call without a token`);
}

function wrongType(member: string, type: string): TransportRefusal {
  return new TransportRefusal('malformed_request', `${member} is not ${type}`, `send ${member} as ${type}, or leave it out`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEnvironment(value: unknown): value is Record<string, string> {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, text]) => typeof text === 'string' && !text.includes('\0') && name !== '' && !/[=\0]/.test(name),
    )
  );
}

function isAbsolutePath(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && !value.includes('\0');
}

function surfaceOf(
  request: IncomingMessage,
  query: URLSearchParams,
): Pick<CallRequest, 'adapter' | 'window' | 'affinity' | 'endpoint' | 'answerWithinMs'> {
  const adapter = adapterOf(request);
  const overMcp = adapter === 'mcp_legacy' || adapter === 'mcp_2026';
  return {
    adapter,
    window: windowKey(overMcp ? 'openai-session' : 'cli-window', oneHeader(request, HEADERS.window) ?? undefined),
    affinity: affinityOf(request, query),
    endpoint: '/api/tools/{name}',
    answerWithinMs: answerWithin(oneHeader(request, HEADERS.answerWithin), overMcp),
  };
}

function answerWithin(header: string | null, overMcp: boolean): number | null {
  const given = header === null ? NaN : Number(header);
  if (!Number.isFinite(given)) return overMcp ? MCP_ANSWER_WITHIN_MS : null;
  return Math.min(MAX_ANSWER_WITHIN_MS, Math.max(MIN_ANSWER_WITHIN_MS, given));
}

/** The surface that the caller says it is; it narrows what the local owner holds and never widens it. */
export function adapterOf(request: IncomingMessage): Adapter {
  const given = request.headers[HEADERS.adapter];
  return given === 'cli' || given === 'mcp_legacy' || given === 'mcp_2026' ? given : 'http';
}
