import type { FileHandle } from 'node:fs/promises';
import type { ExecutionReport } from '../../protocol/runner/execution.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { RemoteErrorCode } from '../../protocol/runner/ssh.js';
import type { ExecutionOutput, SealedOutput } from '../output/index.js';
import { classifyEnd, type ClassifiedEnd, type EndCause } from '../process/classify-end.js';
import { openStandardInput } from '../process/standard-input.js';
import { isRefusal } from '../request.js';
import { firstOf } from '../shell/first-of.js';
import { terminateRemote, type ChannelEnd, type HeldConnection, type RemoteEnd, type RemoteFrame, type RemoteHosts } from '../ssh/index.js';
import { reportExecution } from './execution-report.js';
import type { Execution } from './execution.js';
import type { Job } from './job.js';
import { cancelledBeforeStart, streamUnavailable } from './not-started.js';
import type { PreparedRemote } from './prepare-remote.js';
import { firstWord, neverStarted, refusedChannel, type StartedChannel } from './remote-start.js';
import type { ExecutionParts } from './running-execution.js';

const LOOK_WHETHER_WANTED_MS = 50;
/** From SIGTERM to SIGKILL on the other side, for what somebody waits for, and for Jobs. */
const FOREGROUND_GRACE_MS = 50;
const JOB_GRACE_MS = 500;
/** What a channel may stay open behind the end of its command, and behind its own end on this side. */
const CHANNEL_HELD_MS = 100;
const CHANNEL_GONE_MS = 500;
/** What an ended command's output may take to be read, and what a connection may hold it of a channel that was killed. */
const STREAMS_DRAIN_MS = 5_000;
const STREAMS_HELD_MS = 300;

export interface RemoteParts extends ExecutionParts {
  readonly hosts: RemoteHosts;
}

/**
 * One command on a resource, from its connection to its end (spec 03 §11). Its output
 * goes the same way as a local one's. What the other side does is known from the frames
 * of the wrapper, else from what the transport proves of it: without either, the outcome
 * is unknown, and nothing is ever run again.
 */
export class RemoteExecution implements Execution {
  readonly ended: Promise<ExecutionReport>;
  readonly noted: Promise<void>;
  private readonly startedAt: number;
  private readonly startedAtMs: number;
  private readonly timer: NodeJS.Timeout;
  private cause: EndCause | null = null;
  private ending: Promise<RemoteEnd> | null = null;
  private status: number | null = null;
  private readonly statusCame: Promise<void>;
  private tellStatus: () => void = () => undefined;

  constructor(
    private readonly parts: RemoteParts,
    private readonly job: Job,
    private readonly prepared: PreparedRemote,
    private readonly output: ExecutionOutput,
    private readonly channel: StartedChannel,
    private readonly held: HeldConnection,
  ) {
    const { start, remote } = channel;
    this.startedAt = parts.now();
    this.startedAtMs = parts.wallClock();
    this.statusCame = new Promise((resolve) => (this.tellStatus = resolve));
    channel.listen((frame) => this.heard(frame));
    job.output = output.pair;
    output.started(['stderr']);
    job.started({ wallMs: this.startedAtMs, monotonicMs: this.startedAt }, { cwd: start.cwd, shell: start.shell });
    this.noted = remote.pid === null ? Promise.resolve() : parts.journal.started(job.identity, remote.pid, job.isPublished ? 'at_once' : 'soon');
    this.timer = setTimeout(() => this.end('timeout'), prepared.timeoutMs);
    this.ended = this.live();
  }

  /**
   * Connects, opens a channel, and waits for the word that the command starts.
   *
   * @param isUnwanted looked at until the channel is opened: somebody cancelled meanwhile
   */
  static async start(parts: RemoteParts, job: Job, prepared: PreparedRemote, isUnwanted: () => boolean): Promise<RemoteExecution | Refusal> {
    const connecting = parts.hosts.connect(prepared.session, prepared.found);
    const held = await unlessUnwanted(connecting, isUnwanted);
    if (held === null) {
      void connecting.then((late) => isRefusal(late) || late.giveBack(), () => undefined);
      return cancelledBeforeStart();
    }
    if (isRefusal(held)) return held;
    let running: RemoteExecution | Refusal | null = null;
    try {
      running = await startOn(held, parts, job, prepared);
      return running;
    } finally {
      if (!(running instanceof RemoteExecution)) held.giveBack();
    }
  }

  /** Its processes are another machine's. */
  members(): Promise<readonly number[]> {
    return Promise.resolve([]);
  }

  end(cause: EndCause): void {
    if (this.ending !== null || this.status !== null) return;
    this.cause = cause;
    this.ending = this.terminate();
  }

  private heard(frame: RemoteFrame): void {
    if (frame.kind !== 'exit' || this.status !== null) return;
    // A command that is being ended has not ended by itself.
    if (this.cause === null) this.status = frame.status;
    this.tellStatus();
  }

  /** This side first: on a host that takes one channel it makes room for the one that ends the processes. */
  private async terminate(): Promise<RemoteEnd> {
    this.channel.remote.kill();
    await firstOf({ gone: this.channel.remote.ended }, CHANNEL_GONE_MS);
    return this.endProcesses();
  }

  private endProcesses(): Promise<RemoteEnd> {
    const isJob = this.job.isPublished || this.cause === 'shutdown';
    return terminateRemote(this.held.connection, { pid: this.channel.start.pid, token: this.prepared.token }, isJob ? JOB_GRACE_MS : FOREGROUND_GRACE_MS);
  }

  private async live(): Promise<ExecutionReport> {
    const { remote } = this.channel;
    try {
      const first = await Promise.race([remote.ended.then((): 'channel' => 'channel'), this.statusCame.then((): 'status' => 'status')]);
      let left: RemoteEnd | null = null;
      if (first === 'status' && this.ending === null && (await firstOf({ gone: remote.ended }, CHANNEL_HELD_MS)) === null) {
        // What the command left behind holds its output.
        left = await this.endProcesses();
        if ((await firstOf({ gone: remote.ended }, CHANNEL_GONE_MS)) === null) remote.kill();
      }
      const end = await remote.ended;
      // Without the wrapper's word, what the protocol itself proves of the wrapper counts.
      if (this.cause === null && end.exact) this.status ??= end.code;
      // It was killed itself: what it led may live on.
      if (this.status === null && this.cause === null && end.signal !== null) left = await this.endProcesses();
      const exitedAt = this.parts.now();
      clearTimeout(this.timer);
      const ended = this.ending === null ? null : await this.ending;
      await this.channel.written;
      const sealed = await this.seal();
      return this.report(exitedAt, end, sealed, left, ended);
    } finally {
      clearTimeout(this.timer);
      this.held.giveBack();
    }
  }

  private async seal(): Promise<SealedOutput | null> {
    this.output.exited();
    this.parts.output.drain(this.output.pair);
    try {
      const { sealed } = this.output;
      const inTime = await firstOf({ sealed }, this.cause === null ? STREAMS_DRAIN_MS : STREAMS_HELD_MS);
      if (inTime === null) this.parts.output.close(this.output.pair);
      return await sealed;
    } catch {
      // The output thread failed: what the command printed is not known any more.
      return null;
    }
  }

  private report(exitedAt: number, end: ChannelEnd, sealed: SealedOutput | null, left: RemoteEnd | null, ended: RemoteEnd | null): ExecutionReport {
    const lost = this.status === null && this.cause === null && end.signal === null;
    if (lost) this.held.forget();
    const errorCode: RemoteErrorCode | null = lost ? 'ssh_transport_failed' : sealed === null ? 'ssh_command_wait_failed' : null;
    return reportExecution(this.job, {
      end: this.classify(end, sealed !== null),
      startedAtMs: this.startedAtMs,
      finishedAtMs: this.parts.wallClock(),
      durationMs: Math.round(exitedAt - this.startedAt),
      cwd: this.channel.start.cwd,
      shell: this.channel.start.shell,
      sealed,
      descendantsEnded: left?.members ?? 0,
      survivors: [],
      remote: { termination: lost ? 'unverified' : (ended?.termination ?? (left?.termination === 'unverified' ? 'unverified' : null)), errorCode },
    });
  }

  private classify(end: ChannelEnd, accounted: boolean): ClassifiedEnd {
    const { status, cause } = this;
    if (status !== null) return classifyEnd({ exit: { code: status, signal: null }, cause: null, accounted });
    if (cause === null && end.signal !== null) return classifyEnd({ exit: { code: null, signal: end.signal }, cause, accounted });
    // It was ended: what its own end was is not known, and does not matter.
    const classified = classifyEnd({ exit: cause === null ? null : { code: null, signal: null }, cause, accounted });
    return { ...classified, exitCode: null, signal: end.signal };
  }
}

async function startOn(held: HeldConnection, parts: RemoteParts, job: Job, prepared: PreparedRemote): Promise<RemoteExecution | Refusal> {
  let stdin: FileHandle | null = null;
  let output: ExecutionOutput | null = null;
  let running: RemoteExecution | null = null;
  try {
    if (prepared.stdin !== null) stdin = await openStandardInput(parts.folder, prepared.stdin);
    output = await parts.output.take(job.identity.outputId);
    const { stdout, stderr } = output.writeEnds;
    const opened = await held.connection.open(prepared.line, { stdin: stdin?.fd ?? null, stdout });
    if ('failed' in opened) return refusedChannel(prepared.found.name, opened.failed);
    const channel = await firstWord(opened, prepared.token, stderr);
    if (!('start' in channel)) return await neverStarted(channel, held, prepared.found.name);
    running = new RemoteExecution(parts, job, prepared, output, channel, held);
    return running;
  } catch (error) {
    return streamUnavailable(output === null ? 'standard input' : 'output', error);
  } finally {
    if (running === null && output !== null) {
      output.unused();
      parts.output.release(output.pair);
    }
    await stdin?.close();
  }
}

/** The value, or null as soon as nobody wants it any more. */
function unlessUnwanted<Value>(value: Promise<Value>, isUnwanted: () => boolean): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const look = setInterval(() => {
      if (isUnwanted()) resolve(null);
    }, LOOK_WHETHER_WANTED_MS);
    value.then(resolve, reject).finally(() => clearInterval(look));
    if (isUnwanted()) resolve(null);
  });
}
