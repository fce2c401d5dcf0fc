import type { OutputStream } from '../../protocol/runner/jobs.js';
import { BoundaryFilter } from './boundary-filter.js';
import { ControlReader, type ControlFrame } from './control-reader.js';
import { newToken, type FrameText } from './frame-text.js';

const STREAMS = ['stdout', 'stderr'] as const;

/** Gets a view that is only good until it returns. */
export type OutputSink = (stream: OutputStream, bytes: Buffer) => void;

export interface FramingOptions {
  /** How a command is written down with its marks. */
  readonly text: FrameText;
  readonly write: (text: string) => void;
  /** What the marks that are missing may come behind the one that came. */
  readonly marksWithinMs: number;
  /** Whether the streams are not read for a while, so that nothing can come. */
  readonly isPaused: () => boolean;
}

/**
 * Tells where each command of a shell ends: at the boundaries of both streams and at its
 * control frame, all three with the command's own token (spec 03 §10).
 */
export class CommandFraming {
  private readonly filters: Readonly<Record<OutputStream, BoundaryFilter>>;
  private readonly control = new ControlReader((frame) => this.controlled(frame));
  private sink: OutputSink = () => undefined;
  private missing = 0;
  private frame: ControlFrame | null = null;
  private settle: (frame: ControlFrame | null) => void = () => undefined;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: FramingOptions) {
    const filter = (stream: OutputStream): BoundaryFilter =>
      new BoundaryFilter(
        (bytes) => this.sink(stream, bytes),
        () => this.matched(),
      );
    this.filters = { stdout: filter('stdout'), stderr: filter('stderr') };
  }

  /**
   * Writes a command to the shell; the one before must have been framed.
   *
   * @returns settles when both streams have reached the command's boundary and its control
   * frame has come; with null when the frame makes no sense, or a mark stays away
   */
  run(command: string, sink: OutputSink): Promise<ControlFrame | null> {
    const token = newToken();
    const { text, write } = this.options;
    this.sink = sink;
    this.missing = STREAMS.length + 1;
    this.frame = null;
    const framed = new Promise<ControlFrame | null>((resolve) => (this.settle = resolve));
    for (const stream of STREAMS) this.filters[stream].begin(token);
    this.control.begin(text.controlToken(token));
    write(text.commandText(command, token));
    return framed;
  }

  feed(stream: OutputStream, bytes: Buffer): void {
    this.filters[stream].feed(bytes);
  }

  feedControl(bytes: Buffer): void {
    this.control.feed(bytes);
  }

  /** Nothing more comes on either stream: what was held back is output. */
  end(): void {
    for (const stream of STREAMS) this.filters[stream].end();
  }

  /** Nobody waits any more. */
  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private controlled(frame: ControlFrame | null): void {
    if (frame === null) {
      this.settle(null);
      return;
    }
    this.frame = frame;
    this.matched();
  }

  private matched(): void {
    this.missing -= 1;
    if (this.missing > 0) {
      // A shell's boundaries come before its frame; one whose frame shares a stream may lose it with that.
      if (this.frame !== null || this.options.text.marksShareStream) this.awaitOthers();
      return;
    }
    this.stop();
    this.sink = () => undefined;
    this.settle(this.frame);
  }

  /** A command may have closed or turned away what its marks are written to. */
  private awaitOthers(): void {
    this.stop();
    this.timer = setTimeout(() => {
      if (this.options.isPaused()) this.awaitOthers();
      else this.settle(null);
    }, this.options.marksWithinMs);
  }
}
