import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { OutputStream } from '../../protocol/runner/jobs.js';
import { FifoReader, openOutputFifos } from '../output/worker/fifo.js';
import type { OutputPipe } from '../output/messages.js';
import { ProcessTree, type TreeEnd } from '../process/process-tree.js';
import type { ProcessExit, SpawnFailure } from '../process/spawn-child.js';
import { CommandFifo } from './command-fifo.js';
import type { CommandChannel } from './command-channel.js';
import { CommandFraming, type OutputSink } from './command-framing.js';
import type { ControlFrame } from './control-reader.js';
import { LOCAL_FRAMES } from './frame-text.js';
import { ReadPace } from './read-pace.js';
import type { ShellProgram } from './shell-program.js';

const STREAMS = ['stdout', 'stderr'] as const;
/** What the boundaries may come behind the control frame, which is written after them. */
const BOUNDARIES_WITHIN_MS = 750;

export interface ShellChannelOptions extends ShellProgram {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A private folder for FIFOs on their way. */
  readonly folder: string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * A shell's process and its descriptors, FIFOs all: one that commands are written to, one
 * for each output stream and one for control. There is no terminal.
 */
export class ShellChannel implements CommandChannel {
  readonly exited: Promise<ProcessExit>;
  /** Settles when nobody holds the control descriptor any more. */
  readonly controlEnded: Promise<void>;
  readonly interruptWayMs = 0;
  private readonly tree: ProcessTree;
  private readonly framing: CommandFraming;
  private readonly readers: Readonly<Record<OutputStream, FifoReader>>;
  private readonly controlFifo: FifoReader;
  private readonly pace: ReadPace;
  private readonly streamsEnded: Promise<void>;
  private held = false;
  private resting = false;

  private constructor(
    private readonly child: StartedProcess,
    private readonly commands: CommandFifo,
    fifos: readonly [OutputPipe, OutputPipe, OutputPipe],
    { shell, now }: ShellChannelOptions,
  ) {
    const [stdout, stderr, control] = fifos;
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    child.on('error', () => undefined);
    this.tree = new ProcessTree(child.pid);
    this.pace = new ReadPace((on) => {
      this.resting = on;
      this.applyPause();
    }, now);
    this.framing = new CommandFraming({
      text: LOCAL_FRAMES[shell],
      write: (text) => commands.write(text),
      marksWithinMs: BOUNDARIES_WITHIN_MS,
      isPaused: () => this.held || this.resting,
    });
    let open = STREAMS.length;
    let endStreams: () => void = () => undefined;
    this.streamsEnded = new Promise((resolve) => (endStreams = resolve));
    const reader = (stream: OutputStream, { readEnd }: OutputPipe): FifoReader =>
      new FifoReader(readEnd, (bytes) => this.take(stream, bytes), () => {
        open -= 1;
        if (open === 0) endStreams();
      });
    this.readers = { stdout: reader('stdout', stdout), stderr: reader('stderr', stderr) };
    let endControl: () => void = () => undefined;
    this.controlEnded = new Promise((resolve) => (endControl = resolve));
    this.controlFifo = new FifoReader(control.readEnd, (bytes) => this.framing.feedControl(bytes), endControl);
    commands.write(LOCAL_FRAMES[shell].bootstrap);
  }

  /**
   * Starts the shell as leader of a session and a process group of its own.
   *
   * @throws Error when no FIFOs could be made
   */
  static async open(options: ShellChannelOptions): Promise<ShellChannel | SpawnFailure> {
    const { file, args, cwd, env, folder } = options;
    const commands = await CommandFifo.open(folder);
    const [stdout, stderr, control] = await openOutputFifos(folder, 3).catch((error: unknown) => {
      closeSync(commands.shellEnd);
      commands.close();
      throw error;
    });
    if (stdout === undefined || stderr === undefined || control === undefined) throw new Error('FIFOs are missing');
    const fifos = [stdout, stderr, control] as const;
    const stdio = [commands.shellEnd, stdout.writeEnd, stderr.writeEnd, control.writeEnd];
    const started = await start(() => spawn(file, args, { cwd, env, detached: true, stdio }));
    for (const end of stdio) closeSync(end);
    if ('pid' in started) return new ShellChannel(started, commands, fifos, options);
    for (const { readEnd } of fifos) closeSync(readEnd);
    commands.close();
    return started;
  }

  get pid(): number {
    return this.tree.leader;
  }

  run(command: string, sink: OutputSink): Promise<ControlFrame | null> {
    return this.framing.run(command, sink);
  }

  interrupt(): void {
    this.signalGroup('SIGINT');
  }

  kill(): void {
    this.signalGroup('SIGKILL');
  }

  hold(on: boolean): void {
    this.held = on;
    this.applyPause();
  }

  end(graceMs: number): Promise<TreeEnd> {
    return this.tree.end(graceMs);
  }

  async drained(withinMs: number): Promise<void> {
    this.hold(false);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.streamsEnded, new Promise((resolve) => (timer = setTimeout(resolve, withinMs)))]);
    clearTimeout(timer);
    this.framing.end();
  }

  neverBegan(): boolean {
    return this.commands.hasUnread();
  }

  close(): void {
    this.pace.stop();
    this.framing.stop();
    this.commands.close();
    for (const stream of STREAMS) this.readers[stream].close();
    this.controlFifo.close();
  }

  private signalGroup(signal: NodeJS.Signals): void {
    // A group whose leader has ended may be another one by now.
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    try {
      process.kill(-this.tree.leader, signal);
    } catch {
      // It has ended meanwhile, which `exited` tells.
    }
  }

  private take(stream: OutputStream, bytes: Buffer): void {
    this.framing.feed(stream, bytes);
    this.pace.took(bytes.length);
  }

  private applyPause(): void {
    for (const stream of STREAMS) {
      if (this.held || this.resting) this.readers[stream].pause();
      else this.readers[stream].resume();
    }
  }
}

type StartedProcess = ChildProcess & { readonly pid: number };

/** The process, or why there is none; Node tells some failures by throwing and some by an event. */
async function start(spawnShell: () => ChildProcess): Promise<StartedProcess | SpawnFailure> {
  try {
    const child = spawnShell();
    if (child.pid !== undefined) return child as StartedProcess;
    return await new Promise<SpawnFailure>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? 'UNKNOWN' }));
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code };
  }
}
