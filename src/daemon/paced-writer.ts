import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** The reader of a streamed answer is gone; nobody is told. */
export class ReaderGone extends Error {
  constructor() {
    super('the reader of the answer has gone');
    this.name = 'ReaderGone';
  }
}

/** Writes an answer as fast as its reader takes it, so that nothing piles up here. */
export class PacedWriter {
  private readonly gone = new AbortController();

  constructor(private readonly response: ServerResponse) {
    response.once('close', () => this.gone.abort());
  }

  /** Aborted when the connection has ended. */
  get signal(): AbortSignal {
    return this.gone.signal;
  }

  /** @throws ReaderGone */
  async write(piece: string | Uint8Array): Promise<void> {
    if (this.gone.signal.aborted) throw new ReaderGone();
    if (this.response.write(piece)) return;
    try {
      await once(this.response, 'drain', { signal: this.gone.signal });
    } catch {
      throw new ReaderGone();
    }
  }
}
