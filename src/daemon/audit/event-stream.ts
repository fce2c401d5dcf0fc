import type { ServerResponse } from 'node:http';
import { failedAnswer } from './audit-error.js';
import { PacedWriter, ReaderGone } from '../paced-writer.js';
import type { OperatorAnswer } from '../operator-route.js';

/**
 * Answers with lines of NDJSON, a page at a time and as fast as they are taken. `write` makes
 * its first read before it begins, so that a read that fails at once has an answer of its own;
 * one that fails later breaks the stream off, which has no trailer then.
 *
 * @returns the answer of a read that failed before anything was written, else null
 */
export async function streamEvents(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  write: (stream: EventStream) => Promise<void>,
): Promise<OperatorAnswer | null> {
  const stream = new EventStream(response, headers);
  try {
    await write(stream);
    return null;
  } catch (error) {
    if (error instanceof ReaderGone) return null;
    if (!response.headersSent) return failedAnswer(error);
    response.destroy();
    return null;
  }
}

/** An answer that is written in pages of lines. */
export class EventStream {
  private readonly writer: PacedWriter;

  constructor(
    private readonly response: ServerResponse,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    this.writer = new PacedWriter(response);
  }

  /** Aborted when the reader has gone. */
  get signal(): AbortSignal {
    return this.writer.signal;
  }

  /** @throws ReaderGone */
  async write(lines: readonly string[]): Promise<void> {
    this.begin();
    if (lines.length > 0) await this.writer.write(`${lines.join('\n')}\n`);
  }

  end(trailers: Readonly<Record<string, string>>): void {
    this.begin();
    this.response.addTrailers(trailers);
    this.response.end();
  }

  private begin(): void {
    if (this.response.headersSent) return;
    this.response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store', ...this.headers });
    // Whoever follows learns at once that it is heard.
    this.response.flushHeaders();
  }
}
