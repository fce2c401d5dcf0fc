import type { ServerResponse } from 'node:http';
import type { Progress, StreamLine } from '../../protocol/api.js';

/** What a reader that stalls may leave in memory; the whole output is in the Runner's spool anyway. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** The `application/x-ndjson` form of an answer: progress lines, then one result line. */
export class ProgressStream {
  private skipped = 0;

  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.flushHeaders();
  }

  readonly progress = (event: Progress): void => {
    if (this.response.writableEnded || this.response.destroyed) return;
    if (this.response.writableLength > MAX_UNREAD_BYTES) {
      this.skipped += 'text' in event ? Buffer.byteLength(event.text) : 0;
      return;
    }
    if (this.skipped > 0) {
      const skipped = this.skipped;
      this.skipped = 0;
      this.write({ progress: { message: `${skipped} bytes of live output were skipped; read them with read_job_output` } });
    }
    this.write({ progress: event });
  };

  /** The last line, already serialized, and the end. */
  end(resultBody: string): void {
    this.response.end(`{"result":${resultBody}}\n`);
  }

  private write(line: StreamLine): void {
    this.response.write(`${JSON.stringify(line)}\n`);
  }
}
