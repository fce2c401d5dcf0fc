import type { ShellCloseReason, ShellCommandReport, ShellState, ShellView } from '../../protocol/runner/shells.js';
import type { ProcessExit, SpawnFailure } from '../process/spawn-child.js';
import { CommandOutput } from './command-output.js';
import { commandReport, type CommandEnd, type Interruption } from './command-report.js';
import type { ControlFrame } from './control-reader.js';
import { firstOf } from './first-of.js';
import type { ShellIdentity } from './shell-identity.js';
import type { CommandChannel } from './command-channel.js';
import type { OutputSink } from './command-framing.js';
import { ShellChannel, type ShellChannelOptions } from './shell-channel.js';

/** How long a new shell may take to answer. */
const INITIALIZE_WITHIN_MS = 30_000;
/** From an interrupt to the last moment that the shell may answer (spec 03 §10). */
const SYNC_AFTER_INTERRUPT_MS = 750;
/** What an exit may come behind the end of the control stream that it causes. */
const EXIT_AFTER_CONTROL_MS = 100;
/** From SIGTERM to SIGKILL. */
const GRACE_MS = 50;
/** What an ended shell's output may take to be read, and what an escaped process may hold it for. */
const DRAIN_MS = 500;

export interface ShellParts {
  /** Milliseconds without a command after which a shell is closed. */
  readonly idleMs: number;
  /** Where a folder without links lies in the project, `.` for its root; null when outside. */
  readonly insideRoot: (path: string) => string | null;
  /** Wall clock, Unix milliseconds. */
  readonly wallClock: () => number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Called once, when the shell is not open any more. */
  readonly onEnded: (shell: PersistentShell) => void;
  /** Called once, after `onEnded`, when its processes have been ended. */
  readonly onGone: (shell: PersistentShell) => void;
  readonly onFault: (error: unknown) => void;
}

/** A command that was written to a shell. */
export interface RunningCommand {
  /** Null when the shell came to its end before it had read the command: nothing of it ran. */
  readonly ended: Promise<ShellCommandReport | null>;
  /** Interrupts it as its time-out would. */
  readonly cancel: () => void;
}

interface CurrentCommand {
  readonly output: CommandOutput;
  readonly startedAtMs: number;
  /** Monotonic. */
  readonly startedAt: number;
}

type FinalState = Exclude<ShellState, 'opening' | 'running'>;

/**
 * One live shell, and the rules of its life: one command at a time, each proven to have
 * ended before the next one is written. When that cannot be proven, the whole tree is
 * ended and nothing is written to it any more. A state behind `running` is final.
 */
export class PersistentShell {
  private state: ShellState = 'opening';
  private reason: ShellCloseReason | null = null;
  private cwd: string;
  private commands = 0;
  private endedAtMs: number | null = null;
  private exit: ProcessExit | null = null;
  private descendantsEnded = 0;
  /** Of the last command, when the shell has ended. */
  private neverBegan = false;
  private current: CurrentCommand | null = null;
  private currentEnded: Promise<unknown> = Promise.resolve();
  private last: ShellCommandReport | null = null;
  private interruption: Interruption | null = null;
  private ending: Promise<void> | null = null;
  /** Tells whoever waits for a frame that the shell has ended and was read to its end. */
  private tellEnded: () => void = () => undefined;
  private idleTimer: NodeJS.Timeout | null = null;

  /** @param channel to a shell that no command was given to yet; `initialize` gives it the first */
  constructor(
    readonly identity: ShellIdentity,
    private readonly channel: CommandChannel,
    private readonly parts: ShellParts,
  ) {
    this.cwd = identity.initialCwd;
    void channel.exited.then((exit) => this.processExited(exit));
    void channel.controlEnded.then(() => this.controlLost());
  }

  /**
   * Starts the process; no command may be given to it before `initialize` is over.
   *
   * @throws Error when no FIFOs could be made
   */
  static async start(identity: ShellIdentity, program: ShellChannelOptions, parts: ShellParts): Promise<PersistentShell | SpawnFailure> {
    const channel = await ShellChannel.open(program);
    return channel instanceof ShellChannel ? new PersistentShell(identity, channel, parts) : channel;
  }

  get pid(): number | null {
    return this.channel.pid;
  }

  get isOpen(): boolean {
    return this.state === 'opening' || this.state === 'running';
  }

  /** Whether no command may be written now, although it is open. */
  get isBusy(): boolean {
    return this.state === 'opening' || this.current !== null;
  }

  /** The last command as it ended, or as it stands. */
  get lastCommand(): ShellCommandReport | null {
    return this.current === null ? this.last : this.reportOn(this.current, null);
  }

  view(): ShellView {
    const { shellId, project, sessionId, shell, initialCwd, openedAtMs, remote } = this.identity;
    return {
      shell_id: shellId,
      state: this.state,
      close_reason: this.reason,
      busy: this.current !== null,
      project,
      session_id: sessionId,
      shell,
      cwd: this.cwd,
      initial_cwd: initialCwd,
      opened_at_ms: openedAtMs,
      ended_at_ms: this.endedAtMs,
      commands: this.commands,
      ...(remote === null ? {} : { resource: remote.name }),
    };
  }

  /** Waits until the new shell answers, to a first command whose status must be 0. */
  async initialize(command = ':', withinMs = INITIALIZE_WITHIN_MS): Promise<void> {
    const framed = this.channel.run(command, () => undefined);
    const answer = await firstOf({ framed, ended: this.nextEnd() }, withinMs);
    const frame = answer?.by === 'framed' ? answer.value : null;
    if (frame === null) {
      await this.end('poisoned', 'initialization_sync_lost');
      return;
    }
    const inside = this.parts.insideRoot(frame.cwd);
    if (frame.status !== 0 || inside === null) {
      await this.end('poisoned', 'initialization_failed');
      return;
    }
    if (!this.isOpen) return;
    this.cwd = inside;
    this.state = 'running';
    this.waitIdly();
  }

  /**
   * Writes one command to the shell, which must be open and not busy.
   *
   * @param onOutput sees every byte as it comes
   */
  execute(command: string, timeoutMs: number, onOutput: OutputSink): RunningCommand {
    if (this.idleTimer !== null) clearTimeout(this.idleTimer);
    this.commands += 1;
    const current = { output: new CommandOutput(), startedAtMs: this.parts.wallClock(), startedAt: this.parts.now() };
    this.current = current;
    const framed = this.channel.run(command, (stream, bytes) => {
      current.output.append(stream, bytes);
      onOutput(stream, bytes);
    });
    let cancel: () => void = () => undefined;
    const cancelled = new Promise<void>((resolve) => (cancel = resolve));
    const ended = this.follow(framed, timeoutMs, cancelled).then((end) => {
      this.current = null;
      if (end.by === 'shell_end' && this.neverBegan) {
        this.commands -= 1;
        return null;
      }
      const report = this.reportOn(current, end);
      this.last = report;
      this.waitIdly();
      return report;
    });
    this.currentEnded = ended;
    return { ended, cancel };
  }

  /** Waits until no command runs, `withinMs` at most, or until `signal` ends the wait. */
  async quiet(withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.current === null || withinMs === 0 || signal.aborted) return;
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await firstOf({ ended: this.currentEnded, aborted }, withinMs);
  }

  /** The listener of the running command is behind, or has caught up. */
  hold(on: boolean): void {
    // A command that is being interrupted must get rid of what it prints to be seen to end.
    this.channel.hold(on && this.interruption === null);
  }

  /** Closes the shell for good; whatever runs in it is interrupted. */
  async close(reason: ShellCloseReason): Promise<void> {
    await this.end('closed', reason);
    await this.currentEnded;
  }

  /** Follows a command to its frame, to the end of its shell, or through an interrupt to either. */
  private async follow(framed: Promise<ControlFrame | null>, timeoutMs: number, cancelled: Promise<void>): Promise<CommandEnd> {
    const ended = this.nextEnd();
    const first = await firstOf({ framed, ended, cancelled }, timeoutMs);
    if (first?.by === 'framed' && first.value !== null) return this.inStep(first.value);
    if (first?.by === 'framed') await this.end('poisoned', 'output_channel_lost');
    else if (first?.by !== 'ended') {
      this.interruption = first === null ? 'timeout' : 'cancel';
      this.channel.hold(false);
      this.channel.interrupt();
      const second = await firstOf({ framed, ended }, SYNC_AFTER_INTERRUPT_MS + this.channel.interruptWayMs);
      if (second?.by === 'framed' && second.value !== null) return this.inStep(second.value);
      if (second?.by !== 'ended') await this.end('poisoned', `command_${this.interruption}_sync_lost`);
    }
    await this.ending;
    const { interruption, exit } = this;
    this.interruption = null;
    return { by: 'shell_end', state: this.state as FinalState, exit, interruption };
  }

  /** The shell has answered; it goes on, unless the command has left the project. */
  private async inStep({ status, cwd }: ControlFrame): Promise<CommandEnd> {
    const { interruption } = this;
    this.interruption = null;
    const inside = this.parts.insideRoot(cwd);
    if (inside === null) await this.end('closed', 'cwd_outside_project');
    else this.cwd = inside;
    return { by: 'frame', status, interruption, shellIsOpen: this.isOpen };
  }

  private reportOn({ output, startedAt, startedAtMs }: CurrentCommand, end: CommandEnd | null): ShellCommandReport {
    return commandReport(end, {
      ...output.report(end === null),
      startedAtMs,
      finishedAtMs: end === null ? null : this.parts.wallClock(),
      durationMs: Math.round(this.parts.now() - startedAt),
      descendantsEnded: this.descendantsEnded,
    });
  }

  private nextEnd(): Promise<void> {
    return new Promise((resolve) => (this.tellEnded = resolve));
  }

  private processExited(exit: ProcessExit): void {
    this.exit = exit;
    if (this.state === 'opening') void this.end('poisoned', 'initialization_failed');
    else void this.end('exited', this.interruption === null ? 'shell_process_exited' : `shell_exited_after_${this.interruption}`);
  }

  private async controlLost(): Promise<void> {
    await firstOf({ exited: this.channel.exited }, EXIT_AFTER_CONTROL_MS);
    if (this.exit !== null) return;
    await this.end('poisoned', this.state === 'opening' ? 'initialization_sync_lost' : 'control_channel_lost');
  }

  /** The first end counts; the promise settles when the processes are gone and what they printed was read. */
  private end(state: FinalState, reason: ShellCloseReason): Promise<void> {
    if (this.ending === null) {
      this.state = state;
      this.reason = reason;
      this.endedAtMs = this.parts.wallClock();
      if (this.idleTimer !== null) clearTimeout(this.idleTimer);
      this.ending = this.endProcesses();
      this.parts.onEnded(this);
    }
    return this.ending;
  }

  private async endProcesses(): Promise<void> {
    try {
      const { members } = await this.channel.end(GRACE_MS);
      this.descendantsEnded = members.filter((pid) => pid !== this.pid).length;
    } catch (error) {
      // The processes could not be listed; the group can be ended all the same.
      this.channel.kill();
      this.parts.onFault(error);
    }
    await this.channel.drained(DRAIN_MS);
    this.neverBegan = this.channel.neverBegan();
    this.channel.close();
    this.parts.onGone(this);
    this.tellEnded();
  }

  private waitIdly(): void {
    if (this.state !== 'running') return;
    this.idleTimer = setTimeout(() => void this.end('closed', 'idle_timeout'), this.parts.idleMs);
  }
}
