import { jobOutcome, type ExecutionState, type FailureKind, type JobStatus, type Purpose, type ScriptLanguage } from '../../protocol/execution-state.js';
import type { JobId, OutputId } from '../../protocol/ids.js';
import type { JobView, StreamCounts } from '../../protocol/runner/jobs.js';
import type { RemoteTermination } from '../../protocol/runner/ssh.js';
import type { Json } from '../../protocol/tool-result.js';
import type { OutputCounts, PairId } from '../output/index.js';
import { withoutScriptPath } from '../script/script-file.js';

/** What of an execution never changes. It is all that a Job keeps of its request (spec 03 §5). */
export interface JobIdentity {
  readonly jobId: JobId;
  readonly outputId: OutputId;
  readonly executionId: string;
  readonly project: string;
  readonly sessionId: string | null;
  /** The resource that it runs on; left out on this machine. */
  readonly resource?: string;
  readonly source: string;
  readonly purpose: Purpose;
  readonly commandPreview: string;
  readonly argCount: number | null;
  readonly scriptLanguage: ScriptLanguage | null;
  readonly scriptBytes: number | null;
  readonly stdinProvided: boolean;
  readonly timeoutMs: number;
  /** Wall clock, Unix milliseconds. */
  readonly createdAtMs: number;
  readonly annotations: Readonly<Record<string, Json>>;
}

/** What changes. */
export interface JobState {
  readonly status: JobStatus;
  readonly executionState: ExecutionState;
  readonly cwd: string;
  readonly shell: 'sh' | 'bash' | null;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** Fixed at the end; until then it follows the clock. */
  readonly durationMs: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly failureKind: FailureKind | null;
  readonly toolFailure: boolean;
  readonly reason: string | null;
  readonly descendantsEnded: number;
  readonly outputIncomplete: boolean;
  readonly survivorPids: readonly number[];
  /** Of a remote command that was to end; null where there is nothing to say. */
  readonly remoteTermination: RemoteTermination | null;
}

const NO_COUNTS: StreamCounts = { bytes: 0, lines: 0, dropped_bytes: 0 };

const BEFORE_START: Omit<JobState, 'status' | 'executionState'> = {
  cwd: '.',
  shell: null,
  startedAtMs: null,
  finishedAtMs: null,
  durationMs: null,
  exitCode: null,
  signal: null,
  failureKind: null,
  toolFailure: false,
  reason: null,
  descendantsEnded: 0,
  outputIncomplete: false,
  survivorPids: [],
  remoteTermination: null,
};

/**
 * One execution as the Runner remembers it. It begins hidden; published, it is a Job
 * that everybody may observe. Its end is final: nothing changes it afterwards.
 */
export class Job {
  private state: JobState;
  private seq = 1;
  private publication: 'hidden' | 'published' | 'published_after_disconnect' = 'hidden';
  private readonly listeners = new Set<() => void>();
  /** Its output streams, from the start of its process until it is forgotten. */
  output: PairId | null = null;
  /** The file of the script that it runs, absolute. */
  scriptPath: string | null = null;
  /** Monotonic, when its process started. */
  private startedAt: number | null = null;

  constructor(
    readonly identity: JobIdentity,
    initial: Pick<JobState, 'status' | 'executionState'> & Partial<JobState>,
  ) {
    this.state = { ...BEFORE_START, ...initial };
  }

  get id(): JobId {
    return this.identity.jobId;
  }

  get status(): JobStatus {
    return this.state.status;
  }

  get updateSeq(): number {
    return this.seq;
  }

  get isTerminal(): boolean {
    return jobOutcome(this.state.status) !== null;
  }

  get isPublished(): boolean {
    return this.publication !== 'hidden';
  }

  /** Changes the Job, unless it has ended. */
  change(change: Partial<JobState>): void {
    if (this.isTerminal) return;
    this.state = { ...this.state, ...change };
    this.changed();
  }

  started(at: { readonly wallMs: number; readonly monotonicMs: number }, where: Pick<JobState, 'cwd' | 'shell'>): void {
    this.startedAt = at.monotonicMs;
    // A stop that came while it was being started stays visible.
    const status = this.state.status === 'stop_requested' ? 'stop_requested' : 'running';
    this.change({ status, executionState: 'running', startedAtMs: at.wallMs, ...where });
  }

  publish(afterDisconnect: boolean): void {
    if (this.isPublished) return;
    this.publication = afterDisconnect ? 'published_after_disconnect' : 'published';
    this.changed();
  }

  /** What it printed as results show it: a script's file has no name there. */
  shown<Shown extends { readonly text: string }>(part: Shown): Shown {
    return this.scriptPath === null ? part : { ...part, text: withoutScriptPath(part.text, this.scriptPath) };
  }

  /** Calls back after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Whether the Job ends within some milliseconds. */
  async ends(withinMs: number): Promise<boolean> {
    if (this.isTerminal) return true;
    return new Promise((resolve) => {
      const settle = (ended: boolean): void => {
        clearTimeout(timer);
        forget();
        resolve(ended);
      };
      const timer = setTimeout(() => settle(false), withinMs);
      const forget = this.onChange(() => {
        if (this.isTerminal) settle(true);
      });
    });
  }

  view(counts: OutputCounts | null, monotonicMs: number): JobView {
    const { identity, state } = this;
    const running = this.startedAt === null ? null : Math.round(monotonicMs - this.startedAt);
    return {
      job_id: identity.jobId,
      output_id: identity.outputId,
      status: state.status,
      execution_state: state.executionState,
      outcome: jobOutcome(state.status),
      update_seq: this.seq,
      project: identity.project,
      session_id: identity.sessionId,
      source: identity.source,
      purpose: identity.purpose,
      command_preview: identity.commandPreview,
      cwd: state.cwd,
      shell: state.shell,
      arg_count: identity.argCount,
      script_language: identity.scriptLanguage,
      script_bytes: identity.scriptBytes,
      stdin_provided: identity.stdinProvided,
      timeout_ms: identity.timeoutMs,
      created_at_ms: identity.createdAtMs,
      started_at_ms: state.startedAtMs,
      finished_at_ms: state.finishedAtMs,
      duration_ms: state.durationMs ?? running,
      exit_code: state.exitCode,
      signal: state.signal,
      failure_kind: state.failureKind,
      tool_failure: state.toolFailure,
      reason: state.reason,
      published_after_disconnect: this.publication === 'published_after_disconnect',
      stdout: counts?.stdout ?? NO_COUNTS,
      stderr: counts?.stderr ?? NO_COUNTS,
      descendants_ended: state.descendantsEnded,
      output_incomplete: state.outputIncomplete,
      survivor_pids: [...state.survivorPids],
      annotations: { ...identity.annotations },
      ...(identity.resource === undefined ? {} : { resource: identity.resource }),
      ...(state.remoteTermination === null ? {} : { remote_termination: state.remoteTermination }),
    };
  }

  private changed(): void {
    this.seq += 1;
    for (const listener of [...this.listeners]) listener();
  }
}
