import { isUtf8 } from 'node:buffer';
import type { OutputStream } from '../../../protocol/runner/jobs.js';
import type { LiveText } from '../messages.js';
import { characterEnd } from '../utf8-boundary.js';

/** How many bytes may be on their way to a listener before the streams wait for it. */
const WINDOW_BYTES = 256 * 1_024;

export interface LiveSink {
  readonly send: (stream: OutputStream, live: LiveText, bytes: number) => void;
  /** The listener is behind, or has caught up. */
  readonly hold: (on: boolean) => void;
}

/**
 * Sends output to one listener as it comes: whole characters only, what came in one turn
 * of the event loop as one message. A listener that is behind slows the command down, as
 * the reader of a pipe does; nothing is left out, and what is no UTF-8 goes as bytes too.
 */
export class LiveOutput {
  private readonly pending: Readonly<Record<OutputStream, Buffer[]>> = { stdout: [], stderr: [] };
  private onTheirWay = 0;
  private held = false;
  private scheduled = false;

  constructor(private readonly sink: LiveSink) {}

  /** @param bytes a view that may be written over afterwards */
  add(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.pending[stream].push(Buffer.from(bytes));
    this.onTheirWay += bytes.length;
    this.holdBack();
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush(characterEnd));
  }

  /** The listener has taken some bytes. */
  taken(bytes: number): void {
    this.onTheirWay -= bytes;
    this.holdBack();
  }

  /** Sends what is left, a last character that is not whole included. */
  end(): void {
    this.flush((bytes) => bytes.length);
  }

  private flush(endOf: (bytes: Buffer, end: number) => number): void {
    this.scheduled = false;
    for (const stream of ['stdout', 'stderr'] as const) {
      const bytes = Buffer.concat(this.pending[stream].splice(0));
      const end = endOf(bytes, bytes.length);
      if (end < bytes.length) this.pending[stream].push(bytes.subarray(end));
      if (end > 0) this.sink.send(stream, liveText(bytes.subarray(0, end)), end);
    }
  }

  private holdBack(): void {
    const hold = this.held ? this.onTheirWay > WINDOW_BYTES / 2 : this.onTheirWay > WINDOW_BYTES;
    if (hold === this.held) return;
    this.held = hold;
    this.sink.hold(hold);
  }
}

function liveText(bytes: Buffer): LiveText {
  const text = bytes.toString('utf8');
  return isUtf8(bytes) ? { text } : { text, base64: bytes.toString('base64') };
}
