import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MAX_REQUEST_BYTES } from '../../protocol/api.js';
import { hasHalfPair } from './half-pair.js';
import { TransportRefusal } from './transport-error.js';

/** Only by an escape can bytes that are UTF-8 say a surrogate. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** A request's body with its size in bytes. */
export interface Body {
  readonly value: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/**
 * Reads a JSON object; an empty body is `{}`.
 *
 * @throws TransportRefusal `request_too_large` as soon as the bound is passed, or
 * `malformed_request`
 */
export async function readJsonBody(request: IncomingMessage): Promise<Body> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_REQUEST_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A refusal must not end the connection: its answer still goes out on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return { value: bytes === 0 ? {} : parseObject(Buffer.concat(chunks)), bytes };
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  // A byte that is no UTF-8 would silently become another character, in a file as well.
  if (!isUtf8(bytes)) {
    throw new TransportRefusal('malformed_request', 'the body is not UTF-8', 'send one JSON object in UTF-8');
  }
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TransportRefusal('malformed_request', 'the body is not JSON', 'send one JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TransportRefusal('malformed_request', 'the body is not a JSON object', 'send one JSON object');
  }
  if (SURROGATE_ESCAPE.test(text) && hasHalfPair(value)) {
    throw new TransportRefusal('malformed_request', 'a text of the body has half of a surrogate pair', 'send whole characters');
  }
  return value as Readonly<Record<string, unknown>>;
}

function tooLarge(): TransportRefusal {
  return new TransportRefusal(
    'request_too_large',
    `a request has at most ${MAX_REQUEST_BYTES} bytes`,
    'split the call, or put large data into a file of the project',
  );
}
