import { StringDecoder } from 'node:string_decoder';
import type { OutputStream } from '../../../protocol/runner/jobs.js';

/** How many bytes may be on their way to a listener before the streams wait for it. */
const WINDOW_BYTES = 256 * 1_024;

export interface LiveSink {
  readonly send: (stream: OutputStream, text: string, bytes: number) => void;
  /** The listener is behind, or has caught up. */
  readonly hold: (on: boolean) => void;
}

interface Pending {
  readonly decoder: StringDecoder;
  text: string;
  bytes: number;
}

/**
 * Sends output as text to one listener, as it comes: whole characters only, what came
 * in one turn of the event loop as one message. A listener that is behind slows the
 * command down, as the reader of a pipe does; nothing is left out.
 */
export class LiveOutput {
  private readonly pending: Readonly<Record<OutputStream, Pending>> = {
    stdout: { decoder: new StringDecoder('utf8'), text: '', bytes: 0 },
    stderr: { decoder: new StringDecoder('utf8'), text: '', bytes: 0 },
  };
  private onTheirWay = 0;
  private held = false;
  private scheduled = false;

  constructor(private readonly sink: LiveSink) {}

  add(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    const pending = this.pending[stream];
    pending.text += pending.decoder.write(bytes);
    pending.bytes += bytes.length;
    this.onTheirWay += bytes.length;
    this.holdBack();
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** The listener has taken some bytes. */
  taken(bytes: number): void {
    this.onTheirWay -= bytes;
    this.holdBack();
  }

  /** Sends what is left, a last character that is not whole included. */
  end(): void {
    for (const pending of Object.values(this.pending)) pending.text += pending.decoder.end();
    this.flush();
  }

  private flush(): void {
    this.scheduled = false;
    for (const stream of ['stdout', 'stderr'] as const) {
      const pending = this.pending[stream];
      if (pending.bytes === 0) continue;
      this.sink.send(stream, pending.text, pending.bytes);
      pending.text = '';
      pending.bytes = 0;
    }
  }

  private holdBack(): void {
    const hold = this.held ? this.onTheirWay > WINDOW_BYTES / 2 : this.onTheirWay > WINDOW_BYTES;
    if (hold === this.held) return;
    this.held = hold;
    this.sink.hold(hold);
  }
}
