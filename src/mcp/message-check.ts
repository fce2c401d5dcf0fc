import { PROTOCOL_VERSION_META_KEY, type JSONRPCMessage } from '@modelcontextprotocol/server';

/** The stateless revisions that this server speaks. */
const STATELESS_VERSIONS: readonly string[] = ['2026-07-28'];

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const UNSUPPORTED_VERSION = -32022;

/** An error that the transport answers by itself; the id is null where none can be known. */
export interface Rejection {
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Checked =
  | { readonly message: JSONRPCMessage; readonly requestId: string | number | null }
  | { readonly rejection: Rejection };

/** What the checks must remember of a connection. */
export interface ConnectionFacts {
  /** The era that the opening chose: a handshake pins the older one for good. */
  readonly legacy: boolean;
  readonly isOpen: (id: string | number) => boolean;
}

/** Whether an opening message chooses the older era: everything without a version of its own does. */
export function opensLegacy(message: JSONRPCMessage): boolean {
  return requestedVersion(message) === null;
}

/**
 * What the SDK would let pass in silence is answered here: text that is no JSON, JSON that
 * is no request, an id that is in use, and a version that this server does not speak.
 */
export function checkMessage(text: string, connection: ConnectionFacts): Checked {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { rejection: { id: null, code: PARSE_ERROR, message: 'Parse error: the line is not JSON' } };
  }
  if (Array.isArray(value)) {
    return { rejection: { id: null, code: INVALID_REQUEST, message: 'Batches are not part of this protocol' } };
  }
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return invalid('not a JSON-RPC 2.0 message');
  const isCall = typeof value['method'] === 'string';
  const isAnswer = !isCall && ('result' in value || 'error' in value);
  if (!isCall && !isAnswer) return invalid('neither a request nor a response');
  if ('params' in value && !isObject(value['params'])) return invalid('params must be an object', value['id']);
  if (isAnswer || !('id' in value)) return { message: value as unknown as JSONRPCMessage, requestId: null };
  const id = value['id'];
  if (typeof id !== 'string' && !(typeof id === 'number' && Number.isInteger(id))) {
    return invalid('the id must be a string or an integer');
  }
  // An answer under that id would be taken for the first request's.
  if (connection.isOpen(id)) return invalid('the id belongs to a request that is still open');
  const message = value as unknown as JSONRPCMessage;
  const version = requestedVersion(message);
  if (!connection.legacy && version !== null && !STATELESS_VERSIONS.includes(version)) {
    return {
      rejection: {
        id,
        code: UNSUPPORTED_VERSION,
        message: 'Unsupported protocol version',
        data: { supported: STATELESS_VERSIONS, requested: version.slice(0, 64) },
      },
    };
  }
  return { message, requestId: id };
}

function invalid(why: string, id: unknown = null): Checked {
  return {
    rejection: {
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
      code: INVALID_REQUEST,
      message: `Invalid request: ${why}`,
    },
  };
}

function requestedVersion(message: JSONRPCMessage): string | null {
  const params = (message as { params?: unknown }).params;
  const meta = isObject(params) ? params['_meta'] : undefined;
  const version = isObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
  return typeof version === 'string' ? version : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
