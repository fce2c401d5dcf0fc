import { MAX_ACTIVE_JOBS, MAX_TERMINAL_JOBS, TERMINAL_JOB_RETENTION_MS } from '../../protocol/execution-limits.js';
import { JobChanges } from './job-changes.js';
import type { Job } from './job.js';

/** Executions that somebody waits for in the foreground at the same time. */
const MAX_FOREGROUND = 64;

export interface InventoryOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** The Job is forgotten: whatever was kept of it can go. */
  readonly onForgotten: (job: Job) => void;
}

interface Ended {
  readonly job: Job;
  readonly endedAt: number;
  /** Whether the result has shown all of its output, so that little is lost with it. */
  readonly shownWhole: boolean;
}

/**
 * All executions that the Runner knows, within their bounds: 64 active Jobs, beside 64
 * in the foreground; 64 ended Jobs for 15 minutes. Of ended executions that were never
 * published only the output is kept, by the same bounds of their own (decision 27).
 */
export class JobInventory {
  readonly changes = new JobChanges();
  private readonly active = new Set<Job>();
  private ended: Ended[] = [];
  private expiry: NodeJS.Timeout | null = null;

  constructor(private readonly options: InventoryOptions) {}

  get activeCount(): number {
    return this.active.size;
  }

  /** Whether one more may be admitted. A foreground execution that was handed off counts as a Job. */
  hasRoomFor(mode: 'foreground' | 'job'): boolean {
    const published = [...this.active].filter((job) => job.isPublished).length;
    return mode === 'job' ? published < MAX_ACTIVE_JOBS : this.active.size - published < MAX_FOREGROUND;
  }

  add(job: Job): void {
    this.active.add(job);
    this.changes.follow(job);
  }

  /** Takes up a Job of a Runner that died; it has ended. */
  takeUp(job: Job): void {
    this.changes.follow(job);
    this.settle(job, false);
  }

  /** It never started: nobody needs to know. */
  discard(job: Job): void {
    this.active.delete(job);
    this.changes.forget(job);
    this.options.onForgotten(job);
  }

  /** The Job has ended; the oldest of its kind makes room. */
  settle(job: Job, shownWhole: boolean): void {
    this.active.delete(job);
    this.ended.push({ job, endedAt: this.options.now(), shownWhole });
    const sameKind = this.ended.filter((other) => other.job.isPublished === job.isPublished);
    if (sameKind.length > MAX_TERMINAL_JOBS) {
      // An output that nobody has seen whole outlives one that was.
      const victim = job.isPublished ? sameKind[0] : (sameKind.find((other) => other.shownWhole) ?? sameKind[0]);
      this.forget((other) => other === victim);
    }
    this.expire();
  }

  /** Published Jobs, newest first. */
  published(): Job[] {
    return this.all()
      .filter((job) => job.isPublished)
      .reverse()
      .sort((a, b) => b.identity.createdAtMs - a.identity.createdAtMs);
  }

  findPublished(jobId: string): Job | null {
    return this.all().find((job) => job.isPublished && job.id === jobId) ?? null;
  }

  findByOutput(outputId: string): Job | null {
    return this.all().find((job) => job.identity.outputId === outputId) ?? null;
  }

  findActive(executionId: string): Job | null {
    return [...this.active].find((job) => job.identity.executionId === executionId) ?? null;
  }

  activeJobs(): Job[] {
    return [...this.active];
  }

  /** Forgets everything that has ended, and no longer watches the clock. */
  close(): void {
    if (this.expiry !== null) clearTimeout(this.expiry);
    this.expiry = null;
  }

  private all(): Job[] {
    return [...this.ended.map(({ job }) => job), ...this.active];
  }

  private expire(): void {
    const oldest = this.options.now() - TERMINAL_JOB_RETENTION_MS;
    this.forget(({ endedAt }) => endedAt <= oldest);
    const [next] = this.ended;
    if (this.expiry !== null || next === undefined) return;
    this.expiry = setTimeout(() => {
      this.expiry = null;
      this.expire();
    }, next.endedAt - oldest);
    this.expiry.unref();
  }

  private forget(isForgotten: (ended: Ended) => boolean): void {
    const forgotten = this.ended.filter(isForgotten);
    if (forgotten.length === 0) return;
    this.ended = this.ended.filter((ended) => !isForgotten(ended));
    for (const { job } of forgotten) {
      this.changes.forget(job);
      this.options.onForgotten(job);
    }
  }
}
