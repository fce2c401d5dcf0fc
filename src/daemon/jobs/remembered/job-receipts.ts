import type { JobView } from '../../../protocol/runner/jobs.js';

/** Receipts of one Runner's life, and how long each is kept from the first observation of its end. */
export const MAX_RECEIPTS_PER_RUNNER = 64;
const KEPT_MS = 24 * 60 * 60 * 1_000;
/** Of all Runners together: a Runner that dies again and again makes many lives. */
export const MAX_RECEIPTS = 1_024;

/** An ended Job, as it was when its end was first seen. It never changes. */
export interface Receipt {
  readonly job: JobView;
  /** The Runner's life that told of the end, as in a cursor. */
  readonly instance: string;
  /** Wall clock, Unix milliseconds. */
  readonly observedAtMs: number;
}

/** Where receipts outlive the daemon. */
export interface ReceiptKeeper {
  all(): Receipt[];
  add(receipt: Receipt): void;
  remove(jobIds: readonly string[]): void;
}

export interface ReceiptClocks {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Wall clock, Unix milliseconds. */
  readonly wallClock: () => number;
}

interface Kept {
  readonly receipt: Receipt;
  /** Monotonic. */
  readonly until: number;
}

/**
 * The ends of published Jobs (spec 03 §6): 64 a Runner, for 24 hours from the first
 * observation, which nothing renews. The first end that was seen is final. Within one
 * life of the daemon the time runs on the monotonic clock.
 */
export class JobReceipts {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly keeper: ReceiptKeeper,
    private readonly clocks: ReceiptClocks,
  ) {
    for (const receipt of keeper.all()) {
      const age = Math.max(0, clocks.wallClock() - receipt.observedAtMs);
      this.kept.set(receipt.job.job_id, { receipt, until: clocks.now() + KEPT_MS - age });
    }
    this.expire();
  }

  /** Keeps the end of a Job, unless one is kept already. */
  add(job: JobView, instance: string): void {
    if (this.kept.has(job.job_id)) return;
    const receipt: Receipt = { job, instance, observedAtMs: this.clocks.wallClock() };
    this.kept.set(job.job_id, { receipt, until: this.clocks.now() + KEPT_MS });
    this.keeper.add(receipt);
    this.forget(this.beyond((other) => other.instance === instance, MAX_RECEIPTS_PER_RUNNER));
    this.forget(this.beyond(() => true, MAX_RECEIPTS));
  }

  find(jobId: string): Receipt | null {
    this.expire();
    return this.kept.get(jobId)?.receipt ?? null;
  }

  /** Oldest observation first. */
  all(): Receipt[] {
    this.expire();
    return [...this.kept.values()].map(({ receipt }) => receipt);
  }

  private expire(): void {
    const now = this.clocks.now();
    this.forget([...this.kept].filter(([, { until }]) => until <= now).map(([jobId]) => jobId));
  }

  /** The oldest of some receipts that are more than the bound. */
  private beyond(belongs: (receipt: Receipt) => boolean, bound: number): string[] {
    const some = [...this.kept].filter(([, { receipt }]) => belongs(receipt)).map(([jobId]) => jobId);
    return some.slice(0, Math.max(0, some.length - bound));
  }

  private forget(jobIds: readonly string[]): void {
    if (jobIds.length === 0) return;
    for (const jobId of jobIds) this.kept.delete(jobId);
    this.keeper.remove(jobIds);
  }
}
