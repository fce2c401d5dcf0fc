import { Worker } from 'node:worker_threads';
import type { ReadName, ReadQuery, ReadResult } from './reads/index.js';
import type { RetentionBounds, RetentionResult } from './retention.js';
import type { WorkerAnswer, WorkerRequest, WorkerTask } from './worker-wire.js';

/** The longest that a read may take; a worker that does not answer is ended. */
const READ_BOUND_MS = 30_000;
/** A retention run of millions of rows takes its time, and nobody waits for it. */
const MAINTENANCE_BOUND_MS = 30 * 60_000;
/** A thread that nobody needed for so long is ended. */
const IDLE_MS = 30_000;

/** A task of the worker failed; `unavailable` when the store could not even be opened. */
export class AuditReadError extends Error {
  constructor(
    readonly kind: 'unavailable' | 'failed',
    message: string,
  ) {
    super(message);
    this.name = 'AuditReadError';
  }
}

interface Waiting {
  readonly settle: (answer: { readonly result: unknown } | { readonly error: AuditReadError }) => void;
  readonly bound: NodeJS.Timeout;
}

/** The daemon's end of the audit's worker thread, which is started when it is needed. */
export class WorkerClient {
  private worker: Worker | null = null;
  private idle: NodeJS.Timeout | null = null;
  private nextId = 1;
  private readonly waiting = new Map<number, Waiting>();

  constructor(
    private readonly path: string,
    private readonly entry: URL,
  ) {}

  /** @throws AuditReadError */
  read<Name extends ReadName>(name: Name, query: ReadQuery<Name>): Promise<ReadResult<Name>> {
    return this.perform({ read: name, query }, READ_BOUND_MS) as Promise<ReadResult<Name>>;
  }

  /** Writes the log back into the database as far as readers allow. */
  async checkpoint(): Promise<void> {
    await this.perform({ checkpoint: true }, MAINTENANCE_BOUND_MS);
  }

  retain(bounds: RetentionBounds): Promise<RetentionResult> {
    return this.perform({ retain: bounds }, MAINTENANCE_BOUND_MS) as Promise<RetentionResult>;
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.giveUp('the daemon is ending');
    await worker?.terminate();
  }

  private perform(task: WorkerTask, boundMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      const bound = setTimeout(() => this.endWorker(`no answer within ${boundMs} ms`), boundMs);
      bound.unref();
      this.waiting.set(id, {
        bound,
        settle: (answer) => ('error' in answer ? reject(answer.error) : resolve(answer.result)),
      });
      this.stopIdling();
      this.started().postMessage({ id, task } satisfies WorkerRequest);
    });
  }

  private started(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(this.entry, { workerData: { path: this.path } });
    worker.unref();
    worker.on('message', (answer: WorkerAnswer) => this.answered(answer));
    worker.on('error', (error) => this.ended(worker, error.message));
    worker.on('exit', () => this.ended(worker, 'the audit worker ended'));
    this.worker = worker;
    return worker;
  }

  private answered(answer: WorkerAnswer): void {
    const waiting = this.waiting.get(answer.id);
    if (waiting === undefined) return;
    this.waiting.delete(answer.id);
    clearTimeout(waiting.bound);
    waiting.settle('failure' in answer ? { error: new AuditReadError(answer.failure.kind, answer.failure.message) } : answer);
    if (this.waiting.size === 0) this.idleFrom();
  }

  private idleFrom(): void {
    this.stopIdling();
    this.idle = setTimeout(() => this.endWorker('idle'), IDLE_MS);
    this.idle.unref();
  }

  private stopIdling(): void {
    if (this.idle !== null) clearTimeout(this.idle);
    this.idle = null;
  }

  private endWorker(reason: string): void {
    const { worker } = this;
    this.giveUp(reason);
    void worker?.terminate();
  }

  private ended(worker: Worker, reason: string): void {
    // Another thread may have taken its place by now.
    if (this.worker === worker) this.giveUp(reason);
  }

  private giveUp(reason: string): void {
    this.worker = null;
    this.stopIdling();
    for (const { settle, bound } of this.waiting.values()) {
      clearTimeout(bound);
      settle({ error: new AuditReadError('failed', reason) });
    }
    this.waiting.clear();
  }
}
