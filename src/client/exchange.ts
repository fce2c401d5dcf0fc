import { request as httpRequest } from 'node:http';
import type { Agent, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { MAX_REQUEST_BYTES } from '../protocol/api.js';
import { ClientError } from './client-error.js';

export interface ExchangeRequest {
  readonly socketPath: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A body that is too large to be held, sent as the daemon takes it; then there is no `body`. */
  readonly upload?: Readable;
  /** Idle connections come from here; absent, the exchange has a connection of its own. */
  readonly agent?: Agent;
  /** Ends the exchange by destroying its connection. */
  readonly signal?: AbortSignal;
}

/**
 * One HTTP exchange over the daemon's Unix socket, up to the answer's head.
 * Rejects with the system's own error (`ENOENT`, `ECONNREFUSED`, `ECONNRESET`, …), and
 * with `request_refused` for a body that the daemon would break off reading.
 */
export function exchange(spec: ExchangeRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const size = spec.body === undefined ? 0 : Buffer.byteLength(spec.body);
    if (size > MAX_REQUEST_BYTES) throw tooLarge(size);
    const headers: Record<string, string | number> = { host: 'localhost', ...spec.headers };
    if (spec.body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = size;
    }
    // A daemon that answers before the end of an upload would close the connection under it, and the answer be lost.
    if (spec.upload !== undefined) headers['connection'] = 'keep-alive';
    const options = {
      socketPath: spec.socketPath,
      method: spec.method,
      path: spec.path,
      headers,
      // Without one, Node derives a server name for TLS, on a socket that has none (measured: 4 ms of a first call).
      servername: '',
      ...(spec.agent ? { agent: spec.agent } : { agent: false }),
      ...(spec.signal ? { signal: spec.signal } : {}),
    };
    const request = httpRequest(options);
    request.once('response', resolve);
    // Later errors (the connection breaks while the answer comes) reach the reader of the answer.
    request.on('error', reject);
    if (spec.upload === undefined) request.end(spec.body);
    else pipeline(spec.upload, request, (error) => error && reject(error));
  });
}

function tooLarge(size: number): ClientError {
  return new ClientError(
    'request_refused',
    `The call is ${size} bytes long, and a request holds at most ${MAX_REQUEST_BYTES}.`,
    'Send it in parts.',
  );
}
