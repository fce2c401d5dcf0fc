import type { FileHandle } from 'node:fs/promises';
import type { ExecutionReport, StandardInput } from '../../protocol/runner/execution.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { ExecutionOutput, OutputThread, SealedOutput } from '../output/index.js';
import { classifyEnd, type EndCause } from '../process/classify-end.js';
import { processesHolding } from '../process/output-holders.js';
import { ProcessTree, type TreeEnd } from '../process/process-tree.js';
import { spawnChild, type ProcessExit, type SpawnedChild } from '../process/spawn-child.js';
import { spawnRefusal } from '../process/spawn-failure.js';
import { openStandardInput } from '../process/standard-input.js';
import type { ScriptFile } from '../script/script-file.js';
import { reportExecution } from './execution-report.js';
import type { Execution } from './execution.js';
import type { GroupJournal } from './group-journal.js';
import type { StartMarks } from './start-marks.js';
import type { Job } from './job.js';
import { cancelledBeforeStart, streamUnavailable } from './not-started.js';

/** What background processes may take to end by themselves after the command has. */
const NATURAL_END_MS = 25;
/** From SIGTERM to SIGKILL, for what somebody waits for, and for Jobs and the Runner's own end (spec 03 §4, §12). */
const FOREGROUND_GRACE_MS = 50;
const JOB_GRACE_MS = 500;
/** When an ended command's streams that are still open are looked into, and closed at the latest. */
const STREAMS_OPEN_MS = 100;
const STREAMS_HELD_MS = 800;
/** What output may take to be read that nobody holds any more, on a machine that is flooded. */
const STREAMS_DRAIN_MS = 5_000;

/** Everything that an execution is made of, checked and ready. */
export interface PreparedExecution {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell: 'sh' | 'bash' | null;
  /** The file of a script; whoever prepared the execution removes it. */
  readonly script: ScriptFile | null;
  readonly cwd: { readonly path: string; readonly relative: string };
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: StandardInput | null;
  readonly timeoutMs: number;
}

export interface ExecutionParts {
  readonly output: OutputThread;
  readonly journal: GroupJournal;
  readonly marks: StartMarks;
  /** The private folder of this Runner's life. */
  readonly folder: string;
  /** Wall clock, Unix milliseconds. */
  readonly wallClock: () => number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * One process tree from its start to its end. `ended` always settles: within a second
 * after it was asked to end, or with `outcome_unknown` when the end cannot be seen.
 */
export class RunningExecution implements Execution {
  readonly ended: Promise<ExecutionReport>;
  /** Settles when the next Runner would know of it. */
  readonly noted: Promise<void>;
  private readonly tree: ProcessTree;
  private readonly startedAt: number;
  private readonly startedAtMs: number;
  private readonly timer: NodeJS.Timeout;
  private cause: EndCause | null = null;
  private ending: Promise<TreeEnd> | null = null;
  private exit: ProcessExit | null = null;
  private giveUp: () => void = () => undefined;

  private constructor(
    private readonly parts: ExecutionParts,
    private readonly job: Job,
    private readonly prepared: PreparedExecution,
    private readonly output: ExecutionOutput,
    child: SpawnedChild,
  ) {
    this.tree = new ProcessTree(child.pid);
    this.startedAt = parts.now();
    this.startedAtMs = parts.wallClock();
    job.output = output.pair;
    job.scriptPath = prepared.script?.path ?? null;
    output.started();
    job.started({ wallMs: this.startedAtMs, monotonicMs: this.startedAt }, { cwd: prepared.cwd.relative, shell: prepared.shell });
    this.noted = parts.journal.started(job.identity, child.pid, job.isPublished ? 'at_once' : 'soon');
    this.timer = setTimeout(() => this.end('timeout'), prepared.timeoutMs);
    this.ended = this.live(child);
  }

  /**
   * Starts the process. A refusal means that nothing was started.
   *
   * @param isUnwanted looked at right before the start: somebody cancelled meanwhile
   */
  static async start(
    parts: ExecutionParts,
    job: Job,
    prepared: PreparedExecution,
    isUnwanted: () => boolean,
  ): Promise<RunningExecution | Refusal> {
    let stdin: FileHandle | null = null;
    try {
      if (prepared.stdin !== null) stdin = await openStandardInput(parts.folder, prepared.stdin);
    } catch (error) {
      return streamUnavailable('standard input', error);
    }
    let output: ExecutionOutput;
    try {
      output = await parts.output.take(job.identity.outputId);
    } catch (error) {
      await stdin?.close();
      return streamUnavailable('output', error);
    }
    let running: RunningExecution | null = null;
    try {
      if (isUnwanted()) return cancelledBeforeStart();
      const stdio = { stdin: stdin?.fd ?? null, ...output.writeEnds };
      const unmark = parts.marks.begin(job.id);
      const child = await spawnChild({ ...prepared, cwd: prepared.cwd.path }, stdio);
      if ('pid' in child) {
        running = new RunningExecution(parts, job, prepared, output, child);
        void running.noted.then(unmark);
        return running;
      }
      unmark();
      return spawnRefusal({ code: child.code, executable: prepared.file, searchedPath: prepared.env['PATH'] ?? '' });
    } finally {
      if (running === null) {
        output.unused();
        parts.output.release(output.pair);
      }
      await stdin?.close();
    }
  }

  /** The pids of its tree that are alive. */
  members(): Promise<readonly number[]> {
    return this.tree.members();
  }

  /** Ends the tree, for the first cause that is given. */
  end(cause: EndCause): void {
    if (this.ending !== null || this.exit !== null) return;
    this.cause = cause;
    this.ending = this.endTree();
  }

  private get graceMs(): number {
    return this.job.isPublished || this.cause === 'shutdown' ? JOB_GRACE_MS : FOREGROUND_GRACE_MS;
  }

  private async endTree(): Promise<TreeEnd> {
    const end = await this.tree.end(this.graceMs);
    if (end.survivors.includes(this.tree.leader)) this.giveUp();
    return end;
  }

  private async live(child: SpawnedChild): Promise<ExecutionReport> {
    const neverSeen = new Promise<null>((resolve) => (this.giveUp = () => resolve(null)));
    this.exit = await Promise.race([child.exited, neverSeen]);
    const exitedAt = this.parts.now();
    clearTimeout(this.timer);
    this.output.exited();
    this.parts.output.drain(this.output.pair);
    const background = await this.endDescendants();
    const { sealed, left } = await this.seal(exitedAt);
    return this.report(exitedAt, sealed, {
      members: [...background.members, ...left.members],
      survivors: [...new Set([...background.survivors, ...left.survivors])],
    });
  }

  /** Ends what the command left in the background. */
  private async endDescendants(): Promise<TreeEnd> {
    if (this.ending !== null) return this.withoutLeader(await this.ending);
    if (!this.tree.groupExists || (await this.tree.endsByItself(NATURAL_END_MS))) return { members: [], survivors: [] };
    return this.tree.end(this.graceMs);
  }

  /** What was ended on demand was no descendant that outlived its command. */
  private withoutLeader({ survivors }: TreeEnd): TreeEnd {
    return { members: [], survivors };
  }

  /** Waits for the end of both streams, but not for somebody who escaped with them. */
  private async seal(exitedAt: number): Promise<{ readonly sealed: SealedOutput | null; readonly left: TreeEnd }> {
    let left: TreeEnd = { members: [], survivors: [] };
    try {
      const within = (ms: number): Promise<SealedOutput | null> => firstOf(this.output.sealed, exitedAt + ms - this.parts.now());
      const soon = await within(STREAMS_OPEN_MS);
      if (soon !== null) return { sealed: soon, left };
      // A shell with job control makes its jobs groups of their own: end those too.
      left = await this.tree.end(this.graceMs);
      const later = await within(STREAMS_HELD_MS);
      if (later !== null) return { sealed: later, left };
      const holders = await processesHolding(this.output.fifos);
      left = { ...left, survivors: [...new Set([...left.survivors, ...holders])] };
      const drained = holders.length > 0 || process.platform !== 'linux' ? null : await within(STREAMS_DRAIN_MS);
      if (drained !== null) return { sealed: drained, left };
      this.parts.output.close(this.output.pair);
      return { sealed: await this.output.sealed, left };
    } catch {
      // The output thread failed: what the command printed is not known any more.
      return { sealed: null, left };
    }
  }

  private report(exitedAt: number, sealed: SealedOutput | null, left: TreeEnd): ExecutionReport {
    return reportExecution(this.job, {
      end: classifyEnd({ exit: this.exit, cause: this.cause, accounted: sealed !== null }),
      startedAtMs: this.startedAtMs,
      finishedAtMs: this.parts.wallClock(),
      durationMs: Math.round(exitedAt - this.startedAt),
      cwd: this.prepared.cwd.relative,
      shell: this.prepared.shell,
      sealed,
      descendantsEnded: left.members.length,
      survivors: left.survivors,
    });
  }
}

/** The value when it comes in time, else null. */
function firstOf<Value>(value: Promise<Value>, withinMs: number): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), Math.max(0, withinMs));
    value.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
