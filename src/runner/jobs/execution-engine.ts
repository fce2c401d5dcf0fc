import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureKind } from '../../protocol/execution-state.js';
import type { JobId, OutputId } from '../../protocol/ids.js';
import type { Program } from '../../protocol/runner/execution.js';
import type { JobView, STOP_EFFECTS } from '../../protocol/runner/jobs.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { ChildEnvironments } from '../environment/index.js';
import type { OutputThread } from '../output/index.js';
import type { EndCause } from '../process/classify-end.js';
import type { CurrentSettings } from '../policy/current-settings.js';
import { refuseRawProgram } from '../policy/start-policy.js';
import { isRefusal } from '../request.js';
import type { RemoteHosts } from '../ssh/index.js';
import type { Execution } from './execution.js';
import type { GroupJournal } from './group-journal.js';
import { JobInventory } from './job-inventory.js';
import { JobSlots } from './job-slots.js';
import { Job, type JobIdentity } from './job.js';
import { notStarted } from './not-started.js';
import type { LostJob } from './predecessors.js';
import { prepareExecution, type ExecutionRequest } from './prepare-execution.js';
import { prepareRemote } from './prepare-remote.js';
import { RemoteExecution } from './remote-execution.js';
import { RunningExecution, type PreparedExecution } from './running-execution.js';
import type { StartMarks } from './start-marks.js';

/** What a stop waits for the end that it asked for, so that the answer can say `stopped`. */
const STOP_WAITS_MS = 1_000;
/** What the end of the Runner waits for its Jobs (spec 03 §12). */
const SHUTDOWN_WAITS_MS = 3_000;
const SHUTDOWN_LOOKS_MS = 5;

export interface EngineParts {
  readonly output: OutputThread;
  readonly journal: GroupJournal;
  readonly marks: StartMarks;
  /** The private folder of this Runner's life. */
  readonly folder: string;
  readonly environments: ChildEnvironments;
  readonly settings: CurrentSettings;
  readonly hosts: RemoteHosts;
  readonly maxConcurrentJobs: number;
  /** Wall clock, Unix milliseconds. */
  readonly wallClock: () => number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

/** An admitted execution: its Job, and its process where it has one already. */
export interface Admitted {
  readonly job: Job;
  /** Null while it waits for a slot. */
  readonly running: Execution | null;
}

/**
 * Every execution of this Runner, from its admission to the end of what is kept of it.
 * There is one process an execution, started once, whether somebody waits for it, it is
 * handed off, or it was a Job from the beginning (spec 03 §5).
 */
export class ExecutionEngine {
  readonly inventory: JobInventory;
  private readonly slots: JobSlots;
  private readonly running = new Map<Job, Execution>();
  /** Executions that are being started, with why they must not be any more. */
  private readonly starting = new Map<Job, EndCause | null>();
  private readonly lostFolders = new Map<Job, string>();
  private closing = false;

  constructor(private readonly parts: EngineParts) {
    this.slots = new JobSlots(parts.maxConcurrentJobs);
    this.inventory = new JobInventory({ now: parts.now, onForgotten: (job) => this.forget(job) });
  }

  /** Starts the execution, or queues it when it is a Job and no slot is free. */
  async admit(request: ExecutionRequest): Promise<Admitted | Refusal> {
    const refusal = this.refusalFor(request);
    if (refusal !== null) return refusal;
    const job = this.createJob(request);
    this.inventory.add(job);
    if (request.mode === 'foreground') return this.launch(job, request);
    job.publish(false);
    if (this.slots.tryTake()) return this.launchJob(job, request);
    this.slots.enqueue(job, () => void this.takeTurn(job, request));
    await this.parts.journal.queued(job.identity);
    return { job, running: null };
  }

  /** Makes a foreground execution a Job; the process goes on. */
  publish(job: Job, afterDisconnect: boolean): void {
    if (job.isPublished || job.isTerminal) return;
    this.slots.occupy();
    if (job.output !== null) {
      this.parts.output.unlisten(job.output, !afterDisconnect);
      this.parts.output.spool(job.output);
    }
    job.publish(afterDisconnect);
  }

  /** Ends an execution that somebody waits for; one that is being started is not started any more. */
  cancel(job: Job, cause: EndCause): void {
    if (this.starting.has(job)) this.starting.set(job, cause);
    this.running.get(job)?.end(cause);
  }

  async stop(job: Job): Promise<(typeof STOP_EFFECTS)[number]> {
    if (job.isTerminal) return 'already_finished';
    if (job.status === 'stop_requested') return 'already_stop_requested';
    if (this.slots.withdraw(job)) {
      this.endUnstarted(job, 'stopped', 'The Job was stopped before its turn came.');
      return 'stopped';
    }
    job.change({ status: 'stop_requested' });
    this.cancel(job, 'stopped');
    return (await job.ends(STOP_WAITS_MS)) ? 'stopped' : 'requested';
  }

  view(job: Job): JobView {
    return job.view(job.output === null ? null : this.parts.output.counts(job.output), this.parts.now());
  }

  /** The pids of an execution's process tree; none when it does not run. */
  members(job: Job): Promise<readonly number[]> {
    return this.running.get(job)?.members() ?? Promise.resolve([]);
  }

  /** Takes up the Jobs of a Runner that died. */
  takeUp(lost: readonly LostJob[]): void {
    for (const { job, folder } of lost) {
      this.lostFolders.set(job, folder);
      this.inventory.takeUp(job);
    }
  }

  /** Starts nothing more and ends everything; the number of executions that were ended. */
  async shutdown(): Promise<number> {
    this.closing = true;
    for (const job of this.slots.drop()) this.endUnstarted(job, 'stopped', 'The Runner was shut down before its turn came.');
    for (const job of this.starting.keys()) this.starting.set(job, 'shutdown');
    const ended = new Set<Execution>();
    const deadline = this.parts.now() + SHUTDOWN_WAITS_MS;
    // What is being started may have its process only now.
    while ((this.running.size > 0 || this.starting.size > 0) && this.parts.now() < deadline) {
      for (const execution of this.running.values()) {
        execution.end('shutdown');
        ended.add(execution);
      }
      await sleep(SHUTDOWN_LOOKS_MS);
    }
    this.inventory.close();
    return ended.size;
  }

  private refusalFor(request: ExecutionRequest): Refusal | null {
    if (this.closing) return notStarted('runner_unavailable', 'agent_offline', 'The Runner is shutting down; try again.');
    const denied = refuseRawProgram(this.parts.settings.value, request.source);
    if (denied !== null) return denied;
    if (this.inventory.findActive(request.execution_id) !== null) {
      return notStarted('idempotency_conflict', 'invalid_arguments', 'An execution of this id is running already.');
    }
    if (this.inventory.hasRoomFor(request.mode)) return null;
    const what = request.mode === 'job' ? 'Jobs are active' : 'commands are running';
    return notStarted('job_limit_reached', 'runtime_error', `Too many ${what}; wait for one to end, or stop one.`);
  }

  private createJob(request: ExecutionRequest): Job {
    const { program } = request;
    return new Job(
      {
        jobId: newId('wc_job_') as JobId,
        outputId: newId('wc_out_') as OutputId,
        executionId: request.execution_id,
        project: request.project,
        sessionId: request.session_id,
        source: request.source,
        purpose: request.purpose,
        commandPreview: request.command_preview,
        argCount: program.kind === 'shell' ? null : program.args.length,
        ...scriptFacts(program),
        stdinProvided: request.stdin !== null,
        timeoutMs: request.timeout_ms,
        createdAtMs: this.parts.wallClock(),
        annotations: request.annotations,
        ...(request.remote === undefined ? {} : { resource: request.remote.resource }),
      },
      { status: 'agent_queued', executionState: 'queued', cwd: (request.remote === undefined ? request.cwd : request.remote.cwd) ?? (request.remote === undefined ? '.' : '~') },
    );
  }

  /** The start of an execution that somebody waits for, with a slot when it is a Job. */
  private async launch(job: Job, request: ExecutionRequest): Promise<Admitted | Refusal> {
    const started = await this.start(job, request);
    if (!isRefusal(started)) return { job, running: started };
    if (job.isPublished) this.slots.release();
    this.inventory.discard(job);
    return started;
  }

  /** The start of a Job: whoever hears of it can rely on the next Runner to know it. */
  private async launchJob(job: Job, request: ExecutionRequest): Promise<Admitted | Refusal> {
    const launched = await this.launch(job, request);
    if (!isRefusal(launched)) await launched.running?.noted;
    return launched;
  }

  /** The start of a Job that waited for its slot. */
  private async takeTurn(job: Job, request: ExecutionRequest): Promise<void> {
    const started = await this.start(job, request);
    if (!isRefusal(started)) return;
    this.slots.release();
    const { error_kind, message, detail } = started.refused;
    if (error_kind === 'cancelled') this.endUnstarted(job, 'stopped', message);
    else this.endUnstarted(job, 'failed', message, detail['failure_kind'] as FailureKind);
  }

  private async start(job: Job, request: ExecutionRequest): Promise<Execution | Refusal> {
    this.starting.set(job, null);
    try {
      const started = request.remote === undefined ? await this.startHere(job, request) : await this.startRemotely(job, request);
      if (isRefusal(started)) return started;
      this.running.set(job, started);
      if (job.isPublished && job.output !== null) this.parts.output.spool(job.output);
      // Whoever wanted its end while it was being started gets it now.
      const unwanted = this.closing ? 'shutdown' : (this.starting.get(job) ?? null);
      if (unwanted !== null) started.end(unwanted);
      started.ended.then(
        ({ stdout, stderr }) => this.settled(job, !stdout.truncated && !stderr.truncated),
        (error: unknown) => this.lost(job, error),
      );
      return started;
    } finally {
      this.starting.delete(job);
    }
  }

  private async startRemotely(job: Job, request: ExecutionRequest): Promise<Execution | Refusal> {
    const prepared = prepareRemote(this.parts, request);
    return isRefusal(prepared) ? prepared : RemoteExecution.start(this.parts, job, prepared, () => this.isUnwanted(job));
  }

  private async startHere(job: Job, request: ExecutionRequest): Promise<Execution | Refusal> {
    const prepared = await prepareExecution(this.parts, request, job.id);
    return isRefusal(prepared) ? prepared : this.startPrepared(job, prepared);
  }

  /** Whether whoever wanted the execution that is being started does not any more. */
  private isUnwanted(job: Job): boolean {
    return this.closing || (this.starting.get(job) ?? null) !== null;
  }

  /** The process of what is ready; the file of a script stays as long as it. */
  private async startPrepared(job: Job, prepared: PreparedExecution): Promise<RunningExecution | Refusal> {
    const removeScript = (): void => void prepared.script?.remove().catch(this.parts.onFault);
    try {
      const started = await RunningExecution.start(this.parts, job, prepared, () => this.isUnwanted(job));
      if (isRefusal(started)) removeScript();
      else started.ended.then(removeScript, removeScript);
      return started;
    } catch (error) {
      removeScript();
      throw error;
    }
  }

  private settled(job: Job, shownWhole: boolean): void {
    this.running.delete(job);
    this.parts.journal.ended(job.id);
    if (job.isPublished) this.slots.release();
    this.inventory.settle(job, shownWhole);
  }

  /** Its process was started, but what became of it could not be followed. */
  private lost(job: Job, error: unknown): void {
    this.parts.onFault(error);
    job.change({
      status: 'lost',
      executionState: 'outcome_unknown',
      failureKind: 'outcome_unknown',
      toolFailure: true,
      finishedAtMs: this.parts.wallClock(),
    });
    this.settled(job, false);
  }

  /** The end of a Job that never had a process. */
  private endUnstarted(job: Job, status: 'stopped' | 'failed', reason: string, failureKind: FailureKind = 'cancelled'): void {
    job.change({
      status,
      executionState: 'not_started',
      failureKind,
      toolFailure: status === 'failed',
      reason,
      finishedAtMs: this.parts.wallClock(),
    });
    this.parts.journal.ended(job.id);
    this.inventory.settle(job, true);
  }

  private forget(job: Job): void {
    if (job.output !== null) this.parts.output.release(job.output);
    const folder = this.lostFolders.get(job);
    this.lostFolders.delete(job);
    if (folder === undefined || [...this.lostFolders.values()].includes(folder)) return;
    rm(folder, { recursive: true, force: true }).catch(this.parts.onFault);
  }
}

function scriptFacts(program: Program): Pick<JobIdentity, 'scriptLanguage' | 'scriptBytes'> {
  if (program.kind !== 'script') return { scriptLanguage: null, scriptBytes: null };
  return { scriptLanguage: program.language, scriptBytes: Buffer.byteLength(program.script) };
}

function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
