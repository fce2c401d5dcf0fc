import type { Job } from './job.js';

interface Queued {
  readonly job: Job;
  readonly start: () => void;
}

/**
 * How many Jobs run side by side (spec 03 §3, §6). What starts in the background waits
 * here for its turn, first come, first served. What somebody waits for in the
 * foreground starts at once, so that four servers in the background never keep anybody
 * from a command; once it is handed off it occupies a slot like any other Job.
 */
export class JobSlots {
  private taken = 0;
  private readonly queue: Queued[] = [];

  constructor(private readonly capacity: number) {}

  /** Takes a slot when one is free and nobody came before. */
  tryTake(): boolean {
    if (this.taken >= this.capacity || this.queue.length > 0) return false;
    this.taken += 1;
    return true;
  }

  /** A running execution that became a Job: it has its process already. */
  occupy(): void {
    this.taken += 1;
  }

  /** Starts the Job when its turn comes; it holds a slot then. */
  enqueue(job: Job, start: () => void): void {
    this.queue.push({ job, start });
  }

  /** Takes a Job out of the queue; false when its turn has come already. */
  withdraw(job: Job): boolean {
    const index = this.queue.findIndex((queued) => queued.job === job);
    if (index !== -1) this.queue.splice(index, 1);
    return index !== -1;
  }

  release(): void {
    this.taken -= 1;
    while (this.taken < this.capacity) {
      const next = this.queue.shift();
      if (next === undefined) return;
      this.taken += 1;
      next.start();
    }
  }

  /** Empties the queue, and gives back whose turn never came. */
  drop(): Job[] {
    return this.queue.splice(0).map(({ job }) => job);
  }
}
