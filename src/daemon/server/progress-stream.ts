import type { ServerResponse } from 'node:http';
import type { Progress } from '../../protocol/api.js';

/**
 * The `application/x-ndjson` form of an answer: progress lines, then one result line.
 * Nothing is left out: a reader that is behind holds back what sends to it.
 */
export class ProgressStream {
  private drained: Promise<void> | null = null;

  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.flushHeaders();
  }

  /** Settles when the reader can take more, or is gone. */
  readonly progress = (event: Progress): Promise<void> => {
    const { response } = this;
    if (response.writableEnded || response.destroyed) return Promise.resolve();
    if (response.write(`${JSON.stringify({ progress: event })}\n`)) return Promise.resolve();
    this.drained ??= new Promise((resolve) => {
      const settle = (): void => {
        response.off('drain', settle);
        response.off('close', settle);
        this.drained = null;
        resolve();
      };
      response.on('drain', settle);
      response.on('close', settle);
    });
    return this.drained;
  };

  /** The last line, already serialized, and the end. */
  end(resultBody: string): void {
    this.response.end(`{"result":${resultBody}}\n`);
  }
}
