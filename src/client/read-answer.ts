import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { Progress, StreamLine, TransportError } from '../protocol/api.js';
import type { ToolResult } from '../protocol/tool-result.js';
import { ClientError } from './client-error.js';

/** An answer of a route that is no tool. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Reads a JSON answer whole. Rejects with the connection's error when it breaks off. */
export async function readPlainAnswer(response: IncomingMessage): Promise<PlainAnswer> {
  const text = await readText(response);
  return { status: response.statusCode ?? 0, body: text === '' ? null : parse(text) };
}

/**
 * Reads the answer of a tool call, whole or as a stream of lines.
 *
 * @throws ClientError for an answer of the transport's own, or one that is no ToolResult
 */
export async function readToolAnswer(
  response: IncomingMessage,
  onProgress: (progress: Progress) => void | Promise<void>,
): Promise<ToolResult> {
  const status = response.statusCode ?? 0;
  if (status !== 200) throw transportRefusal(status, (await readPlainAnswer(response)).body);
  if (!response.headers['content-type']?.startsWith('application/x-ndjson')) {
    return asToolResult(parse(await readText(response)));
  }
  for await (const line of lines(response)) {
    const parsed = parse(line) as StreamLine;
    if ('result' in parsed) return asToolResult(parsed.result);
    // A slow reader slows the daemon's stream, and nothing piles up here.
    await onProgress(parsed.progress);
  }
  throw Object.assign(new Error('the stream ended without a result'), { code: 'ECONNRESET' });
}

/** The ClientError of a refusal by the transport itself. */
export function transportRefusal(status: number, body: unknown): ClientError {
  const said = (body as Partial<TransportError> | null)?.error;
  const message = said?.message ?? `The daemon answered with status ${status}.`;
  const hint = said?.hint ?? 'Look at `wc daemon logs`.';
  if (said?.kind === 'shutting_down') return new ClientError('call_not_taken', message, hint);
  if (status === 401) return new ClientError('invalid_token', message, hint);
  if (status === 429 || status >= 500) return new ClientError('daemon_unavailable', message, hint);
  return new ClientError('request_refused', message, hint);
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function* lines(response: IncomingMessage): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  // Pieces of a long line are joined once, when its end has come.
  let pieces: string[] = [];
  for await (const chunk of response) {
    const parts = decoder.write(chunk as Buffer).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      const line = pieces.length === 0 ? part : pieces.join('') + part;
      pieces = [];
      if (line !== '') yield line;
    }
    if (last !== '') pieces.push(last);
  }
  const rest = pieces.join('');
  if (rest !== '') yield rest;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unexpected('The daemon answered with something that is no JSON.', error);
  }
}

function asToolResult(value: unknown): ToolResult {
  const { success, output } = (value ?? {}) as { readonly success?: unknown; readonly output?: unknown };
  if (typeof success === 'boolean' && typeof output === 'object' && output !== null) return value as ToolResult;
  throw unexpected('The daemon answered with something that is no ToolResult.');
}

function unexpected(message: string, cause?: unknown): ClientError {
  return new ClientError('unexpected_answer', message, 'Look at `wc daemon logs`; `wc daemon stop` makes room for a new daemon.', {
    cause,
  });
}
