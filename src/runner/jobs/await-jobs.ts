import type { z } from 'zod';
import { jobOutcome } from '../../protocol/execution-state.js';
import type { awaitJobsMethod, ReadyWhen } from '../../protocol/runner/jobs.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { OutputThread } from '../output/index.js';
import { refuse } from '../request.js';
import type { JobInventory } from './job-inventory.js';
import type { Job } from './job.js';
import { PortReadiness } from './port-readiness.js';

type AwaitParams = z.output<typeof awaitJobsMethod.params>;
type AwaitAnswer = z.input<typeof awaitJobsMethod.result>;
type ReadyReason = AwaitAnswer['ready'][number]['ready_reason'];

/** How often a port is tried. */
const PORT_EVERY_MS = 100;

export interface AwaitParts {
  readonly inventory: JobInventory;
  readonly output: OutputThread;
  /** The pids of a running Job's process tree. */
  readonly members: (job: Job) => Promise<readonly number[]>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * Waits until any or all of some Jobs are ready: ended, or what the caller takes for
 * ready before that (spec 00, decision 28). Output that grows moves no deadline.
 */
export async function awaitJobs(parts: AwaitParts, params: AwaitParams, signal: AbortSignal): Promise<AwaitAnswer | Refusal> {
  const startedAt = parts.now();
  const jobs = params.job_ids.map((jobId) => parts.inventory.findPublished(jobId));
  const missing = params.job_ids.find((_, index) => jobs[index] === null);
  if (missing !== undefined) {
    return refuse('unknown_job', `There is no Job ${JSON.stringify(missing)}; list_jobs shows which there are.`, { job_id: missing });
  }
  const readiness = new Readiness(jobs.filter((job) => job !== null), params, parts);
  const refusal = await readiness.wait(signal);
  if (refusal !== null) return refuse('invalid_pattern', `The expression of ready_when was refused: ${refusal}`);
  return { ...readiness.answer(), waited_ms: Math.round(parts.now() - startedAt) };
}

/** Which of some Jobs are ready, and why. */
class Readiness {
  private readonly ready = new Map<Job, ReadyReason>();
  private readonly subscriptions: (() => void)[] = [];
  private settle: (refusal: string | null) => void = () => undefined;

  constructor(
    private readonly jobs: readonly Job[],
    private readonly params: AwaitParams,
    private readonly parts: AwaitParts,
  ) {}

  /** Null when it is over, else why the expression was refused. */
  async wait(signal: AbortSignal): Promise<string | null> {
    const settled = new Promise<string | null>((resolve) => (this.settle = resolve));
    const over = (): void => this.settle(null);
    const timer = setTimeout(over, this.params.wait_ms);
    signal.addEventListener('abort', over);
    // Subscribe first and look afterwards: an end in between is not missed.
    for (const job of this.jobs) this.subscribe(job);
    this.look();
    if (signal.aborted) over();
    try {
      return await settled;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      for (const unsubscribe of this.subscriptions.splice(0)) unsubscribe();
    }
  }

  answer(): Omit<AwaitAnswer, 'waited_ms'> {
    return {
      wait_state: this.isReached() ? 'ready' : 'deadline',
      ready: this.jobs.flatMap((job) => {
        const reason = this.ready.get(job);
        return reason === undefined
          ? []
          : [{ job_id: job.id, status: job.status, outcome: jobOutcome(job.status), ready_reason: reason }];
      }),
      pending_job_ids: this.jobs.filter((job) => !this.ready.has(job)).map(({ id }) => id),
    };
  }

  private subscribe(job: Job): void {
    this.subscriptions.push(job.onChange(() => this.look()));
    const { ready_when: readyWhen } = this.params;
    if (readyWhen === null) return;
    this.subscribeToOutput(job, readyWhen);
    if (readyWhen.tcp_port !== null) this.subscribeToPort(job, readyWhen.tcp_port);
  }

  private subscribeToOutput(job: Job, { output_literal: literal, output_regex: regex }: ReadyWhen): void {
    if (literal === null && regex === null) return;
    let matching = false;
    const match = (): void => {
      // A Job that waits for its turn has no output yet.
      if (matching || job.output === null) return;
      matching = true;
      const unmatch = this.parts.output.match(job.output, { literal, regex }, (refused) => {
        if (refused === null) this.mark(job, 'output');
        else this.settle(refused);
      });
      this.subscriptions.push(unmatch);
    };
    this.subscriptions.push(job.onChange(match));
    match();
  }

  private subscribeToPort(job: Job, port: number): void {
    const readiness = new PortReadiness(port, { executionId: job.id, members: () => this.parts.members(job) });
    let timer: NodeJS.Timeout | null = null;
    let over = false;
    const attempt = async (): Promise<void> => {
      if (job.status === 'running' && (await readiness.isReady())) this.mark(job, 'port');
      if (!over && !this.ready.has(job)) timer = setTimeout(() => void attempt(), PORT_EVERY_MS);
    };
    this.subscriptions.push(() => {
      over = true;
      if (timer !== null) clearTimeout(timer);
    });
    void attempt();
  }

  private look(): void {
    for (const job of this.jobs) if (job.isTerminal && !this.ready.has(job)) this.ready.set(job, 'terminal');
    if (this.isReached()) this.settle(null);
  }

  private mark(job: Job, reason: ReadyReason): void {
    if (!this.ready.has(job)) this.ready.set(job, reason);
    this.look();
  }

  private isReached(): boolean {
    return this.params.mode === 'any' ? this.ready.size > 0 : this.ready.size === this.jobs.length;
  }
}
