import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HEADERS, type Health } from '../../protocol/api.js';
import { parseCallId } from '../../protocol/ids.js';
import type { Adapter } from '../kernel/call-context.js';
import type { Kernel } from '../kernel/handle-call.js';
import type { Principal } from '../kernel/principal.js';
import type { McpEndpoint } from '../mcp-endpoint/index.js';
import type { OperatorAnswer, OperatorRoute, StreamRoute } from '../operator-route.js';
import type { Admission, Caller } from '../principals/index.js';
import { CallsInFlight } from './calls-in-flight.js';
import { readJsonBody, type Body } from './read-body.js';
import type { CallRunner } from './run-call.js';
import { adapterOf, toolRoute } from './tool-route.js';
import { TransportRefusal } from './transport-error.js';

export interface ServerDeps {
  readonly kernel: Kernel;
  readonly routes: readonly (OperatorRoute | StreamRoute)[];
  readonly admit: (caller: Caller) => Admission;
  readonly health: (callsInFlight: number, shuttingDown: boolean) => Health;
  /** `POST /mcp`; it answers by itself. */
  readonly mcp: McpEndpoint;
  readonly onFault: (error: unknown) => void;
}

/** The socket API, as DESIGN describes it: every route is one line of `route`. */
export class ApiServer {
  readonly calls = new CallsInFlight();
  readonly http: Server;
  private readonly routes: ReadonlyMap<string, OperatorRoute | StreamRoute>;
  private shuttingDown = false;

  constructor(private readonly deps: ServerDeps) {
    this.routes = new Map(deps.routes.map((route) => [route.path, route]));
    this.http = createServer({ keepAliveTimeout: 5_000, requestTimeout: 60_000 }, (request, response) => {
      void this.answer(request, response);
    });
    // A call may take an hour; only its request must arrive in time.
    this.http.timeout = 0;
  }

  /** From now on only health is answered; calls under way go on. */
  refuseNewCalls(): void {
    this.shuttingDown = true;
  }

  /** Stops listening and ends idle connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.http.close(() => resolve());
      this.http.closeIdleConnections();
      // Whoever holds a connection open without a call does not hold up the end.
      setTimeout(() => this.http.closeAllConnections(), 500).unref();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.route(request, response);
    } catch (error) {
      if (!(error instanceof TransportRefusal)) this.deps.onFault(error);
      this.refuse(
        request,
        response,
        error instanceof TransportRefusal
          ? error
          : new TransportRefusal('internal_error', 'wc failed inside this request', 'look at wc daemon logs'),
      );
    }
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = target(request);
    const path = url.pathname;
    if (path === '/api/health') {
      this.expect(request, 'GET');
      sendJson(response, 200, this.deps.health(this.calls.count, this.shuttingDown));
      return;
    }
    if (this.shuttingDown) {
      throw new TransportRefusal('shutting_down', 'the daemon is stopping', 'try again in a moment');
    }
    // The MCP route narrows what the owner holds, as the shim does.
    const principal = this.admit(request, path === '/mcp' ? 'mcp_2026' : adapterOf(request));
    const [, api, group, name, action] = path.split('/');
    if (api === 'api' && group === 'tools' && name !== undefined && action === undefined) {
      this.expect(request, 'POST');
      return toolRoute(this.callRunner, decode(name), url.searchParams, principal, request, response);
    }
    if (api === 'api' && group === 'calls' && name !== undefined && action === 'cancel') {
      this.expect(request, 'POST');
      const callId = parseCallId(name);
      if (callId === null || !this.calls.cancel(callId, principal.principalKey)) {
        throw new TransportRefusal('no_such_call', 'no call of that id is under way', 'it may have ended by itself');
      }
      sendJson(response, 200, { cancelled: true });
      return;
    }
    if (path === '/mcp') return this.deps.mcp(this.callRunner, request, response, principal);
    const route = this.routes.get(path);
    if (route === undefined) {
      throw new TransportRefusal('no_such_route', 'there is no such route', 'see the socket API in docs/architecture.md');
    }
    this.expect(request, route.method);
    if ('serve' in route) return serveStream(route, request, response, principal);
    const answer = await this.operate(route, request, principal);
    sendJson(response, answer.status, answer.body);
  }

  private async operate(route: OperatorRoute, request: IncomingMessage, principal: Principal): Promise<OperatorAnswer> {
    if (route.method === 'GET') return route.handle({}, principal);
    const body = await bodyFor(route, request);
    return 'malformed' in body ? body.malformed : route.handle(body.value, principal);
  }

  private get callRunner(): CallRunner {
    return { kernel: this.deps.kernel, calls: this.calls };
  }

  private admit(request: IncomingMessage, adapter: Adapter): Principal {
    const admitted = this.deps.admit({
      authorizationHeader: request.headers[HEADERS.authorization] ?? null,
      adapter,
      listener: 'socket',
    });
    if ('principal' in admitted) return admitted.principal;
    throw new TransportRefusal('invalid_token', 'that token is not valid', 'make one with wc token create, or send none');
  }

  private expect(request: IncomingMessage, method: 'GET' | 'POST'): void {
    if (request.method === method) return;
    throw new TransportRefusal('method_not_allowed', `this route takes ${method}`, `send ${method}`);
  }

  private refuse(request: IncomingMessage, response: ServerResponse, refusal: TransportRefusal): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Whoever reads that its body is too large may stop within it and take the connection for its next request.
    if (refusal.kind === 'request_too_large') response.setHeader('connection', 'close');
    sendJson(response, refusal.status, refusal.body());
    // The rest of any other body is taken and dropped: a connection that ended under it would
    // fail the caller's write before it read why. The time bound of a request ends one that
    // never comes to its end.
    request.resume();
  }
}

/** A route's JSON body, or what the route itself answers to one that is no JSON. */
async function bodyFor(
  { malformedBody }: OperatorRoute | StreamRoute,
  request: IncomingMessage,
): Promise<Pick<Body, 'value'> | { readonly malformed: OperatorAnswer }> {
  try {
    return await readJsonBody(request);
  } catch (error) {
    const malformed = error instanceof TransportRefusal && error.kind === 'malformed_request';
    if (malformed && malformedBody !== undefined) return { malformed: malformedBody };
    throw error;
  }
}

async function serveStream(
  route: StreamRoute,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
): Promise<void> {
  const body = route.takes === 'json' ? await bodyFor(route, request) : { value: null };
  if ('malformed' in body) {
    sendJson(response, body.malformed.status, body.malformed.body);
    return;
  }
  const bytes = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  const answer = await route.serve({ body: body.value, bytes, principal, response });
  if (answer !== null) sendJson(response, answer.status, answer.body);
  // Whatever the route did not read is taken and dropped, as the body of a refused request is.
  request.resume();
}

function target(request: IncomingMessage): URL {
  const given = request.url ?? '/';
  if (URL.canParse(given, 'http://wc')) return new URL(given, 'http://wc');
  throw new TransportRefusal('malformed_request', 'the request target is no path', 'send a path such as /api/health');
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new TransportRefusal('malformed_request', 'the tool name is not well encoded', 'send it as it is in list_tools');
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
