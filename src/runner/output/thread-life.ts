import { Worker } from 'node:worker_threads';
import type { FromOutputThread, OutputThreadData, ToOutputThread } from './messages.js';

export interface ThreadLifeOptions extends OutputThreadData {
  /** The built module of the thread. */
  readonly module: URL;
  readonly onMessage: (message: FromOutputThread) => void;
  /** The thread ended although nobody stopped it; the next message starts another one. */
  readonly onLost: (cause: unknown) => void;
}

/** The output thread itself: started by its first message, started again after a failure, and stopped for good. */
export class ThreadLife {
  private worker: Worker | null = null;
  private stopped = false;

  constructor(private readonly options: ThreadLifeOptions) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  tell(message: ToOutputThread): void {
    if (this.stopped) return;
    this.worker ??= this.start();
    this.worker.postMessage(message);
  }

  /** Nothing is told from now on. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.worker?.terminate();
  }

  private start(): Worker {
    const { module, folder, spoolMaxBytes, onMessage } = this.options;
    const data: OutputThreadData = { folder, spoolMaxBytes };
    // The ends of the FIFOs belong to both threads, so neither thread's end may close the other's.
    const worker = new Worker(module, { workerData: data, trackUnmanagedFds: false, name: 'output', execArgv: [] });
    worker.on('message', onMessage);
    worker.on('error', (error) => this.lose(worker, error));
    worker.on('exit', () => this.lose(worker, new Error('the output thread ended')));
    return worker;
  }

  private lose(worker: Worker, cause: unknown): void {
    if (this.worker !== worker || this.stopped) return;
    this.worker = null;
    this.options.onLost(cause);
  }
}
