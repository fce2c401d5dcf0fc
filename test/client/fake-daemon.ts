import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Health } from '../../src/protocol/api.js';
import { VERSION } from '../../src/protocol/version.js';

/** One request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface FakeDaemon {
  /** A state folder whose socket this is. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly seen: readonly SeenRequest[];
  /** Requests of this path alone. */
  seenAt(path: string): readonly SeenRequest[];
  /** From now on it takes every request and answers none, as a stopped process does. */
  fallSilent(): void;
  close(): Promise<void>;
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** A real HTTP server on a Unix socket in a state folder of its own, answering as a test says. */
export async function fakeDaemon(answer: Answer, health: Partial<Health> = {}): Promise<FakeDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'wc-fake-'));
  const seen: SeenRequest[] = [];
  let silent = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const arrived: SeenRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
      seen.push(arrived);
      if (silent) return;
      if (arrived.path === '/api/health') sendJson(response, 200, { ...HEALTHY, ...health });
      else answer(arrived, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'daemon.sock'), resolve));
  return {
    folder,
    env: { ...process.env, WC_HOME: folder, WC_SESSION: '', WC_PROJECT: '', WC_RECORD: '', WC_TOKEN: '' },
    seen,
    seenAt: (path) => seen.filter((request) => request.path === path),
    fallSilent: () => {
      silent = true;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const HEALTHY: Health = {
  status: 'ok',
  version: VERSION,
  pid: process.pid,
  started_at: '2026-07-28T09:00:00Z',
  calls_in_flight: 0,
  runner: null,
};

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
