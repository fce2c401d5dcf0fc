import type { OutputStream, StreamCounts } from '../../protocol/runner/jobs.js';
import { ExecutionOutput, type OutputKeeper } from './execution-output.js';
import { MessageTable, type LiveListener } from './message-table.js';
import type { FromOutputThread, OutputCounts, OutputQueries, OutputThreadData, PairId, TakenStream } from './messages.js';
import { OutputLostError } from './output-lost.js';
import { PipeStock } from './pipe-stock.js';
import { createTallies, StreamTally, type SharedTallies } from './stream-tally.js';
import { ThreadLife } from './thread-life.js';
import { wholeCounts } from './whole-stream.js';
import type { OutputPattern } from './worker/output-matcher.js';

const RELEASE_WITHIN_MS = 50;
const NO_COUNTS: StreamCounts = { bytes: 0, lines: 0, dropped_bytes: 0 };

export interface OutputThreadOptions extends OutputThreadData {
  /** The built module of the thread. */
  readonly module: URL;
  readonly onFault: (error: unknown) => void;
}

/**
 * The Runner's side of the output thread. Everything that it is asked is answered or
 * rejected; when the thread fails, all that was open rejects and a new one is started.
 */
export class OutputThread implements OutputKeeper {
  private readonly thread: ThreadLife;
  private readonly pipes: PipeStock;
  private readonly table: MessageTable;
  /** Outputs of executions that have not ended. */
  private readonly open = new Map<PairId, ExecutionOutput>();
  private readonly tallies = new Map<PairId, SharedTallies>();
  private readonly released: PairId[] = [];
  private releasing: NodeJS.Timeout | null = null;
  private lastPair = 0;

  constructor({ onFault, ...options }: OutputThreadOptions) {
    this.thread = new ThreadLife({
      ...options,
      onMessage: (message) => this.hear(message),
      onLost: (cause) => {
        onFault(cause);
        this.fail(new OutputLostError('The output thread failed; its output is lost.', { cause }));
      },
    });
    this.table = new MessageTable((message) => this.thread.tell(message));
    this.pipes = new PipeStock((count) => {
      this.thread.tell({ do: 'make', count });
      return !this.thread.isStopped;
    });
  }

  /**
   * The output of one execution that is about to start, usually with pipes that were
   * made ahead.
   *
   * @param name what spool files of it are called: how another process finds them
   */
  async take(name: string): Promise<ExecutionOutput> {
    const output = new ExecutionOutput(++this.lastPair, name, await this.pipes.take(), this);
    this.open.set(output.pair, output);
    void output.sealed.then(() => this.open.delete(output.pair), () => this.open.delete(output.pair));
    return output;
  }

  handOver({ pair, name }: ExecutionOutput, streams: { readonly stdout: TakenStream; readonly stderr: TakenStream }): void {
    this.thread.tell({ do: 'take', pair, name, tallies: this.talliesOf(pair), ...streams });
  }

  keep({ pair, name }: ExecutionOutput, { stdout, stderr }: { readonly stdout: Buffer; readonly stderr: Buffer }): void {
    const tallies = this.talliesOf(pair);
    StreamTally.ofStream(tallies, 'stdout').write(wholeCounts(stdout));
    StreamTally.ofStream(tallies, 'stderr').write(wholeCounts(stderr));
    this.thread.tell({ do: 'take', pair, name, tallies, stdout: { readEnd: null, bytes: stdout }, stderr: { readEnd: null, bytes: stderr } });
  }

  /** Spools the pair from its first byte on, so that its output outlives this process. */
  spool(pair: PairId): void {
    this.open.get(pair)?.handOver();
    this.thread.tell({ do: 'spool', pair });
  }

  /** Sends the output to one listener as it comes, from its first byte on. */
  listen(pair: PairId, listener: LiveListener): void {
    this.open.get(pair)?.handOver();
    this.table.listen(pair, listener);
  }

  /** @param readsOn whether the listener reads on from the spool, so that nothing is dropped before it comes */
  unlisten(pair: PairId, readsOn: boolean): void {
    this.table.unlisten(pair, readsOn);
  }

  /** The process has ended: what it left in its FIFOs is read at full speed, listener or not. */
  drain(pair: PairId): void {
    if (this.table.hasListener(pair)) this.thread.tell({ do: 'drain', pair });
  }

  /** Ends both streams now, whoever still writes. */
  close(pair: PairId): void {
    this.thread.tell({ do: 'close', pair });
  }

  /** Removes everything of a pair that has ended or was never used, soon: nobody waits for it, so several go together. */
  release(pair: PairId): void {
    this.open.delete(pair);
    this.table.forget(pair);
    this.tallies.delete(pair);
    this.released.push(pair);
    this.releasing ??= setTimeout(() => this.tellReleased(), RELEASE_WITHIN_MS).unref();
  }

  /** Calls back when the pair has grown, at most every 50 ms, until the returned function is called. */
  watch(pair: PairId, onGrown: (bytes: number, lines: number) => void): () => void {
    this.open.get(pair)?.handOver();
    return this.table.watch(pair, onGrown);
  }

  /**
   * Looks for a pattern in all of the output, what came and what comes.
   * @param onFound null when it stands there, else why the pattern was refused
   */
  match(pair: PairId, pattern: OutputPattern, onFound: (refused: string | null) => void): () => void {
    this.open.get(pair)?.handOver();
    return this.table.match(pair, pattern, onFound);
  }

  /** What both streams have carried so far, at once. */
  counts(pair: PairId): OutputCounts {
    const tallies = this.tallies.get(pair);
    const read = (stream: OutputStream): StreamCounts =>
      tallies === undefined ? NO_COUNTS : StreamTally.ofStream(tallies, stream).read();
    return { stdout: read('stdout'), stderr: read('stderr') };
  }

  view(ask: OutputQueries['view']['ask']): Promise<OutputQueries['view']['answer']> {
    this.open.get(ask.pair)?.handOver();
    return this.table.query('view', ask);
  }

  read(ask: OutputQueries['read']['ask']): Promise<OutputQueries['read']['answer']> {
    this.open.get(ask.pair)?.handOver();
    return this.table.query('read', ask);
  }

  /** Takes over what a dead Runner spooled under this name. */
  async adopt(folder: string, name: string): Promise<PairId> {
    const pair = ++this.lastPair;
    await this.table.query('adopt', { pair, tallies: this.talliesOf(pair), folder, name });
    return pair;
  }

  /** Ends the thread; nothing may be asked any more. */
  async stop(): Promise<void> {
    const stopped = this.thread.stop();
    this.fail(new OutputLostError('The Runner has shut down.'));
    await stopped;
  }

  private tellReleased(): void {
    this.releasing = null;
    this.thread.tell({ do: 'release', pairs: this.released.splice(0) });
  }

  private talliesOf(pair: PairId): SharedTallies {
    const tallies = this.tallies.get(pair) ?? createTallies();
    this.tallies.set(pair, tallies);
    return tallies;
  }

  private fail(error: OutputLostError): void {
    for (const output of this.open.values()) output.lose(error);
    this.pipes.lose(error);
    this.table.lose(error);
  }

  private hear(message: FromOutputThread): void {
    switch (message.tell) {
      case 'made':
        return this.pipes.made(message.pipes);
      case 'not_made':
        return this.pipes.notMade(message.reason);
      case 'sealed':
        return this.open.get(message.pair)?.seal(message.output);
      default:
        return this.table.hear(message);
    }
  }
}
