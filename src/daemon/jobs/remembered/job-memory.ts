import type { z } from 'zod';
import type { watchJobsMethod } from '../../../protocol/runner/job-watch.js';
import type { JobView } from '../../../protocol/runner/jobs.js';
import type { JobReceipts, ReceiptClocks } from './job-receipts.js';
import { lostView, recoveringView, type LossReason } from './overlaid-view.js';

type WatchAnswer = z.output<typeof watchJobsMethod.result>;

export interface MemoryOptions extends ReceiptClocks {
  readonly receipts: JobReceipts;
  /** How long an active Job waits for its Runner to be reached again, in milliseconds. */
  readonly recoveryMs: number;
}

/** A Job as the memory has it. */
export interface KnownJob {
  readonly job: JobView;
  /** The Runner's life that it belongs to, as in a cursor. */
  readonly instance: string;
}

/**
 * What the daemon knows of the published Jobs beside what the Runner says now (spec 03
 * §12). While the Runner is out of reach its active Jobs are `recovering`. One that the
 * same Runner does not list any more is lost, and so is one of a Runner that was
 * replaced, and one whose Runner stayed away for too long. An end is final: whatever is
 * heard of the Job later changes nothing.
 */
export class JobMemory {
  private readonly active = new Map<string, JobView>();
  private present: Set<string> = new Set();
  private seen: { readonly instance: string; readonly revision: number } | null = null;
  private awaySince: number | null = null;
  private deadline: NodeJS.Timeout | null = null;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: MemoryOptions) {}

  /** The Runner's life and the revision of its Jobs that were seen last. */
  get lastSeen(): { readonly instance: string; readonly revision: number } | null {
    return this.seen;
  }

  get recoveringCount(): number {
    return this.awaySince === null ? 0 : this.active.size;
  }

  /** The Runner cannot be asked; from the first time on its Jobs are recovering. */
  away(): void {
    if (this.awaySince !== null || this.seen === null) return;
    this.awaySince = this.options.now();
    this.deadline = setTimeout(() => this.expire(), this.options.recoveryMs).unref();
    this.wake();
  }

  /** The Runner told which Jobs it has and which have changed. */
  hear({ instance, revision, changed, present }: WatchAnswer): void {
    this.expire();
    const replaced = this.seen !== null && this.seen.instance !== instance;
    const there = new Set(present);
    for (const job of [...this.active.values()]) {
      if (!there.has(job.job_id)) this.lose(job, replaced ? 'runner_instance_replaced' : 'runner_inventory_missing');
      // Its numbers begin anew with another Runner.
      else if (replaced) this.active.delete(job.job_id);
    }
    this.seen = { instance, revision };
    this.present = there;
    this.back();
    for (const job of changed) this.note(job, instance);
    this.wake();
  }

  /** A Job that an answer spoke of, which may come before the Runner tells of its change. */
  noteAnswered(job: JobView): void {
    if (this.seen === null || this.awaySince !== null) return;
    this.present.add(job.job_id);
    this.note(job, this.seen.instance);
  }

  /** The Job as it is known; null when it is not. */
  find(jobId: string): KnownJob | null {
    this.expire();
    const receipt = this.options.receipts.find(jobId);
    if (receipt !== null) return receipt;
    const job = this.active.get(jobId);
    return job === undefined || this.seen === null ? null : { job: this.overlaid(job), instance: this.seen.instance };
  }

  /** Whether the Job has ended and the Runner that is connected has no record of it. */
  isReceiptOnly(jobId: string): boolean {
    return !this.present.has(jobId) && this.options.receipts.find(jobId) !== null;
  }

  /** A view of the Runner, unless the Job's end was final before. */
  settled(job: JobView): JobView {
    const receipt = this.options.receipts.find(job.job_id);
    return receipt !== null && receipt.job.status !== job.status ? receipt.job : job;
  }

  /** Every Job that is known. */
  all(): JobView[] {
    this.expire();
    return [...this.options.receipts.all().map(({ job }) => job), ...[...this.active.values()].map((job) => this.overlaid(job))];
  }

  /** Settles when something has changed here, when the time is over, or when nobody waits any more. */
  changes(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', settle);
        this.waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, withinMs);
      signal?.addEventListener('abort', settle);
      this.waiting.add(settle);
      if (signal?.aborted === true) settle();
    });
  }

  /** Watches no clock any more. */
  close(): void {
    this.back();
  }

  private note(job: JobView, instance: string): void {
    if (job.outcome !== null) {
      this.active.delete(job.job_id);
      this.options.receipts.add(job, instance);
      return;
    }
    const known = this.active.get(job.job_id);
    const isStale = known !== undefined && known.update_seq >= job.update_seq;
    if (!isStale && this.options.receipts.find(job.job_id) === null) this.active.set(job.job_id, job);
  }

  private lose(job: JobView, reason: LossReason): void {
    this.active.delete(job.job_id);
    this.options.receipts.add(lostView(job, reason, this.options.wallClock()), this.seen?.instance ?? '');
  }

  private expire(): void {
    if (this.awaySince === null || this.active.size === 0) return;
    if (this.options.now() - this.awaySince < this.options.recoveryMs) return;
    for (const job of [...this.active.values()]) this.lose(job, 'runner_recovery_deadline_exceeded');
    this.wake();
  }

  private overlaid(job: JobView): JobView {
    return this.awaySince === null ? job : recoveringView(job);
  }

  private back(): void {
    this.awaySince = null;
    if (this.deadline !== null) clearTimeout(this.deadline);
    this.deadline = null;
  }

  private wake(): void {
    for (const settle of [...this.waiting]) settle();
  }
}
