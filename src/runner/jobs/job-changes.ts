import type { Job } from './job.js';

/** Which published Jobs have changed since when, and who waits for the next change. */
export class JobChanges {
  private latest = 0;
  private readonly changedAt = new Map<Job, number>();
  private readonly waiting = new Set<() => void>();

  /** Grows with every change of any published Job. */
  get revision(): number {
    return this.latest;
  }

  /** Follows a Job from now on; it counts once it is published. */
  follow(job: Job): void {
    job.onChange(() => this.note(job));
    this.note(job);
  }

  /** The Job is not kept any more. */
  forget(job: Job): void {
    if (this.changedAt.delete(job)) this.advance();
  }

  changedSince(revision: number): Job[] {
    return [...this.changedAt].filter(([, at]) => at > revision).map(([job]) => job);
  }

  /** Settles when the revision is past the given one, when the time is over, or when nobody waits any more. */
  past(revision: number, withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.latest > revision || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', settle);
        this.waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, withinMs);
      signal.addEventListener('abort', settle);
      this.waiting.add(settle);
    });
  }

  private note(job: Job): void {
    if (!job.isPublished) return;
    this.advance();
    this.changedAt.set(job, this.latest);
  }

  private advance(): void {
    this.latest += 1;
    for (const wake of [...this.waiting]) wake();
  }
}
