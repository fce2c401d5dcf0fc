import type { OutputStream } from '../../protocol/runner/jobs.js';
import type { TreeEnd } from '../process/process-tree.js';
import type { ProcessExit } from '../process/spawn-child.js';
import { FrameFilter, interruptRemote, terminateRemote, type HeldConnection, type RemoteChannel, type RemoteFrame } from '../ssh/index.js';
import type { CommandChannel } from './command-channel.js';
import { CommandFraming, type OutputSink } from './command-framing.js';
import type { ControlFrame } from './control-reader.js';
import { firstOf } from './first-of.js';
import { REMOTE_FRAMES } from './frame-text.js';
import { ReadPace } from './read-pace.js';

/** What a command's other marks may come behind the first, on a connection that is slow. */
const MARKS_WITHIN_MS = 3_000;
/** What an interrupt may take over a channel of its own. */
const INTERRUPT_WAY_MS = 1_500;
/** What the channel may stay open behind the shell's end, and behind its own end on this side. */
const CHANNEL_GONE_MS = 500;

export interface RemoteShellOptions {
  readonly held: HeldConnection;
  readonly channel: RemoteChannel;
  readonly token: string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

type StartFrame = Extract<RemoteFrame, { kind: 'start' }>;

/**
 * A shell on a resource: a channel that carries its commands, its two streams, and, on
 * standard error, its control frames (spec 03 §11). How the shell itself ends is what the
 * wrapper around it says; a channel that ends without that word is a lost one.
 */
export class RemoteShellChannel implements CommandChannel {
  readonly exited: Promise<ProcessExit>;
  readonly controlEnded: Promise<void>;
  readonly interruptWayMs = INTERRUPT_WAY_MS;
  /** What the wrapper says before the shell takes commands; null when the channel ends without a word. */
  readonly begun: Promise<RemoteFrame | null>;
  private readonly framing: CommandFraming;
  private readonly filter: FrameFilter;
  private readonly pace: ReadPace;
  private start: StartFrame | null = null;
  private hasExited = false;
  private held = false;
  private resting = false;

  constructor(private readonly options: RemoteShellOptions) {
    const { channel, token, now } = options;
    let tellBegun: (frame: RemoteFrame | null) => void = () => undefined;
    let tellExit: (exit: ProcessExit) => void = () => undefined;
    this.begun = new Promise((resolve) => (tellBegun = resolve));
    this.exited = new Promise((resolve) => (tellExit = resolve));
    this.pace = new ReadPace((on) => {
      this.resting = on;
      this.applyPause();
    }, now);
    this.framing = new CommandFraming({
      text: REMOTE_FRAMES,
      write: (text) => void channel.stdin?.write(text),
      marksWithinMs: MARKS_WITHIN_MS,
      isPaused: () => this.held || this.resting,
    });
    this.filter = new FrameFilter(
      token,
      (frame) => {
        if (frame.kind === 'start') this.start ??= frame;
        if (frame.kind === 'exit') {
          this.hasExited = true;
          tellExit({ code: frame.status, signal: null });
        }
        tellBegun(frame);
      },
      (bytes) => {
        this.framing.feed('stderr', bytes);
        this.framing.feedControl(bytes);
      },
    );
    this.read('stdout', (bytes) => this.framing.feed('stdout', bytes));
    this.read('stderr', (bytes) => this.filter.feed(bytes));
    this.controlEnded = channel.ended.then(({ code }) => {
      if (code !== null) tellExit({ code, signal: null });
      tellBegun(null);
    });
    channel.stdin?.write(REMOTE_FRAMES.bootstrap);
  }

  get pid(): number | null {
    return this.options.channel.pid;
  }

  run(command: string, sink: OutputSink): Promise<ControlFrame | null> {
    return this.framing.run(command, sink);
  }

  interrupt(): void {
    if (this.start !== null && !this.hasExited) void interruptRemote(this.options.held.connection, this.processes(this.start), INTERRUPT_WAY_MS);
  }

  kill(): void {
    this.options.channel.kill();
  }

  hold(on: boolean): void {
    this.held = on;
    this.applyPause();
  }

  /** This side first, as for every remote command; a shell that has ended took its processes along. */
  async end(graceMs: number): Promise<TreeEnd> {
    const { channel, held } = this.options;
    if (this.hasExited && (await firstOf({ gone: channel.ended }, CHANNEL_GONE_MS)) !== null) return { members: [], survivors: [] };
    channel.kill();
    await firstOf({ gone: channel.ended }, CHANNEL_GONE_MS);
    if (this.start !== null) await terminateRemote(held.connection, this.processes(this.start), graceMs);
    return { members: [], survivors: [] };
  }

  async drained(withinMs: number): Promise<void> {
    this.hold(false);
    await firstOf({ gone: this.options.channel.ended }, withinMs);
    this.filter.end();
    this.framing.end();
  }

  /** What was sent to another machine may have been read there. */
  neverBegan(): boolean {
    return false;
  }

  close(): void {
    const { channel, held } = this.options;
    this.pace.stop();
    this.framing.stop();
    channel.kill();
    held.giveBack();
  }

  private processes(start: StartFrame): { readonly pid: number; readonly token: string } {
    return { pid: start.pid, token: this.options.token };
  }

  private read(stream: OutputStream, take: (bytes: Buffer) => void): void {
    const readable = this.options.channel[stream];
    readable?.on('error', () => undefined);
    readable?.on('data', (bytes: Buffer) => {
      take(bytes);
      this.pace.took(bytes.length);
    });
  }

  private applyPause(): void {
    const { stdout, stderr } = this.options.channel;
    for (const readable of [stdout, stderr]) {
      if (this.held || this.resting) readable?.pause();
      else readable?.resume();
    }
  }
}
