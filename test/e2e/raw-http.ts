import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';

/** How a request was answered, byte by byte. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** One request over the daemon's socket. */
export function send(
  socketPath: string,
  method: 'GET' | 'POST',
  path: string,
  options: { readonly body?: string; readonly headers?: OutgoingHttpHeaders } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, agent: false, method, path, headers: { 'content-type': 'application/json', ...options.headers } });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
    });
    request.end(options.body);
  });
}

/** A call of a tool as any program makes it. */
export function postTool(socketPath: string, tool: string, body: object, headers: OutgoingHttpHeaders = {}): Promise<RawAnswer> {
  return send(socketPath, 'POST', `/api/tools/${encodeURIComponent(tool)}`, { body: JSON.stringify(body), headers });
}
