import { closeSync } from 'node:fs';
import type { OutputStream } from '../../protocol/runner/jobs.js';
import type { OutputPipes, PairId, SealedOutput, TakenStream } from './messages.js';
import { readNow, type ReadNow } from './read-now.js';
import { reportWhole } from './whole-stream.js';

/** How long a command may run before the output thread reads what it prints. */
const HANDED_OVER_AFTER_MS = 10;

/** Where output goes that is not read here. */
export interface OutputKeeper {
  /** The output thread reads on. */
  handOver(output: ExecutionOutput, streams: { readonly stdout: TakenStream; readonly stderr: TakenStream }): void;
  /** All of it is known, and there is something to keep. */
  keep(output: ExecutionOutput, streams: { readonly stdout: Buffer; readonly stderr: Buffer }): void;
}

/**
 * The output of one execution. What a command prints that ends at once is read here, at
 * its end and in one go, which spares it the way through another thread. Whatever runs
 * longer, is listened to, or leaves somebody behind who still writes, is read by the
 * output thread.
 */
export class ExecutionOutput {
  /** Settles when both streams have ended or were closed; rejects when the output thread failed. */
  readonly sealed: Promise<SealedOutput>;
  private isHere = true;
  private timer: NodeJS.Timeout | null = null;
  private resolve: (output: SealedOutput) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;

  /** @param name what spool files of it are called */
  constructor(
    readonly pair: PairId,
    readonly name: string,
    private readonly pipes: OutputPipes,
    private readonly keeper: OutputKeeper,
  ) {
    this.sealed = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever gives the pair back unused does not wait for its end.
    this.sealed.catch(() => undefined);
  }

  /** What the child writes into. */
  get writeEnds(): { readonly stdout: number; readonly stderr: number } {
    return { stdout: this.pipes.stdout.writeEnd, stderr: this.pipes.stderr.writeEnd };
  }

  /** Where the FIFOs had their names: how `/proc` shows who holds them. */
  get fifos(): readonly string[] {
    return [this.pipes.stdout.path, this.pipes.stderr.path];
  }

  /**
   * The child has its ends: ours are closed, so that a stream ends with its last writer.
   *
   * @param kept ends that are written to here, and closed by whoever does
   */
  started(kept: readonly OutputStream[] = []): void {
    this.closeWriteEnds(kept);
    this.timer = setTimeout(() => this.handOver(), HANDED_OVER_AFTER_MS);
  }

  /** The child was never started. */
  unused(): void {
    this.closeWriteEnds();
    if (this.isHere) this.closeReadEnds();
  }

  /** The process has ended: reads what it left, or has that done. */
  exited(): void {
    if (!this.isHere) return;
    const stdout = readNow(this.pipes.stdout.readEnd);
    const stderr = readNow(this.pipes.stderr.readEnd);
    if (!stdout.ended || !stderr.ended) {
      this.handOver({ stdout, stderr });
      return;
    }
    this.leave();
    this.closeReadEnds();
    if (stdout.bytes.length + stderr.bytes.length > 0) this.keeper.keep(this, { stdout: stdout.bytes, stderr: stderr.bytes });
    this.seal({ stdout: reportWhole(stdout.bytes), stderr: reportWhole(stderr.bytes), incomplete: false, spoolFailure: null });
  }

  /** Has the output thread read from now on. */
  handOver(read: { readonly stdout: ReadNow; readonly stderr: ReadNow } = NOTHING_READ): void {
    if (!this.isHere) return;
    this.leave();
    const { stdout, stderr } = this.pipes;
    this.keeper.handOver(this, {
      stdout: { readEnd: stdout.readEnd, bytes: read.stdout.bytes },
      stderr: { readEnd: stderr.readEnd, bytes: read.stderr.bytes },
    });
  }

  seal(output: SealedOutput): void {
    this.resolve(output);
  }

  /** The output thread failed: what it had taken over is lost, what is still here is not. */
  lose(error: Error): void {
    if (!this.isHere) this.reject(error);
  }

  private leave(): void {
    this.isHere = false;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private closeWriteEnds(kept: readonly OutputStream[] = []): void {
    for (const stream of ['stdout', 'stderr'] as const) if (!kept.includes(stream)) closeSync(this.pipes[stream].writeEnd);
  }

  private closeReadEnds(): void {
    closeSync(this.pipes.stdout.readEnd);
    closeSync(this.pipes.stderr.readEnd);
  }
}

const NOTHING: ReadNow = { bytes: Buffer.alloc(0), ended: false };
const NOTHING_READ = { stdout: NOTHING, stderr: NOTHING };
