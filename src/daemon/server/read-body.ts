import type { IncomingMessage } from 'node:http';
import { MAX_REQUEST_BYTES } from '../../protocol/api.js';
import { TransportRefusal } from './transport-error.js';

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
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return { value: bytes === 0 ? {} : parseObject(Buffer.concat(chunks)), bytes };
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new TransportRefusal('malformed_request', 'the body is not JSON', 'send one JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TransportRefusal('malformed_request', 'the body is not a JSON object', 'send one JSON object');
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
