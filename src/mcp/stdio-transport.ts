import type { Readable, Writable } from 'node:stream';
import { serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { JsonLines, type Line } from './json-lines.js';
import { checkMessage, opensLegacy, type Rejection } from './message-check.js';

/** The longest line: the daemon's largest request with room for its frame. */
export const MAX_LINE_BYTES = 9 * 1024 * 1024;

/**
 * The stdio transport of the SDK's `serveStdio`, with the answers that the SDK's own leaves
 * out: garbage, oversized lines, ids in use and foreign versions each get one.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private readonly open = new Set<string | number>();
  private legacy = false;
  private opened = false;
  private over = false;
  private readonly lines = new JsonLines(MAX_LINE_BYTES, (line) => this.receive(line));

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {}

  /** Whether the client is gone: an abort after this is no cancel of a client. */
  get ended(): boolean {
    return this.over;
  }

  async start(): Promise<void> {
    this.input.on('data', (chunk: Buffer) => this.lines.push(chunk));
    this.input.on('end', () => void this.close());
    this.input.on('error', () => void this.close());
    this.output.on('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.over) return;
    if ('id' in message && !('method' in message) && message.id !== undefined) this.open.delete(message.id);
    await this.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    if (this.over) return;
    this.over = true;
    this.input.removeAllListeners('data');
    this.onclose?.();
  }

  private receive(line: Line): void {
    if (this.over) return;
    if ('tooLong' in line) {
      this.reject({ id: null, code: -32600, message: `Invalid request: a message has at most ${MAX_LINE_BYTES} bytes` });
      return;
    }
    const checked = checkMessage(line.text, {
      legacy: this.legacy,
      isOpen: (id) => this.open.has(id),
    });
    if ('rejection' in checked) {
      this.reject(checked.rejection);
      return;
    }
    const { message, requestId } = checked;
    if (!this.opened && opensLegacy(message)) this.legacy = true;
    // A probe pins nothing: the handshake may still follow it.
    if (!('method' in message && message.method === 'server/discover')) this.opened = true;
    if (requestId !== null) this.open.add(requestId);
    this.forgetCancelled(message);
    this.onmessage?.(message);
  }

  /** A cancelled request is never answered, so its id is free again. */
  private forgetCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = (message.params as { requestId?: string | number } | undefined)?.requestId;
    if (id !== undefined) this.open.delete(id);
  }

  private reject({ id, code, message, data }: Rejection): void {
    const error = { code, message, ...(data === undefined ? {} : { data }) };
    // Only a client that is gone does not take it, and then nobody waits for it.
    this.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`).catch(() => undefined);
  }

  private write(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.output.write(text)) resolve();
      else this.output.once('drain', resolve);
    });
  }
}
