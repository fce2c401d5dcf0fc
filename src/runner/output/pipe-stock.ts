import { closeSync } from 'node:fs';
import type { OutputPipes } from './messages.js';
import { OutputLostError, type Waiter } from './output-lost.js';

/** Pairs of pipes made ahead: making one on demand would cost a process a call. */
const PIPES_AHEAD = 32;
const REFILL_BELOW = 16;

/** Pipes that are ready to be used, and who waits for some when they have run out. */
export class PipeStock {
  private readonly ready: OutputPipes[] = [];
  private takers: Waiter<OutputPipes>[] = [];
  private asked = false;

  /** @param make asks the thread for more; false when nobody makes any more */
  constructor(private readonly make: (count: number) => boolean) {
    this.refill();
  }

  /** @throws OutputLostError when none can be made */
  async take(): Promise<OutputPipes> {
    const pipes = this.ready.shift() ?? (await this.waitForPipes());
    if (this.ready.length < REFILL_BELOW) this.refill();
    return pipes;
  }

  made(pipes: readonly OutputPipes[]): void {
    this.asked = false;
    this.ready.push(...pipes);
    while (this.takers.length > 0) {
      const next = this.ready.shift();
      if (next === undefined) break;
      this.takers.shift()?.resolve(next);
    }
    if (this.takers.length > 0) this.refill();
  }

  notMade(reason: string): void {
    this.asked = false;
    for (const { reject } of this.takers.splice(0)) reject(new OutputLostError(`No FIFOs could be made: ${reason}`));
  }

  /** The thread is gone, and its ends of the pipes with it. */
  lose(error: OutputLostError): void {
    for (const { stdout, stderr } of this.ready.splice(0)) {
      for (const end of [stdout.readEnd, stdout.writeEnd, stderr.readEnd, stderr.writeEnd]) closeSync(end);
    }
    this.asked = false;
    for (const { reject } of this.takers.splice(0)) reject(error);
  }

  private waitForPipes(): Promise<OutputPipes> {
    return new Promise((resolve, reject) => {
      this.takers.push({ resolve, reject });
      this.refill();
    });
  }

  private refill(): void {
    if (!this.asked) this.asked = this.make(PIPES_AHEAD - this.ready.length);
  }
}
