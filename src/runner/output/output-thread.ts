import { closeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { OutputStream, StreamCounts } from '../../protocol/runner/jobs.js';
import { ExecutionOutput, type OutputKeeper } from './execution-output.js';
import type {
  FromOutputThread,
  LiveText,
  OutputCounts,
  OutputQueries,
  OutputQuery,
  OutputPipes,
  OutputThreadData,
  PairId,
  TakenStream,
  ToOutputThread,
} from './messages.js';
import { createTallies, StreamTally, type SharedTallies } from './stream-tally.js';
import { wholeCounts } from './whole-stream.js';
import type { OutputPattern } from './worker/output-matcher.js';

/** Pairs of pipes made ahead: making one on demand would cost a process a call. */
const PIPES_AHEAD = 32;
const REFILL_BELOW = 16;
const RELEASE_WITHIN_MS = 50;
const NO_COUNTS: StreamCounts = { bytes: 0, lines: 0, dropped_bytes: 0 };

/** The output thread failed; what it read is lost. */
export class OutputLostError extends Error {}

export interface OutputThreadOptions extends OutputThreadData {
  /** The built module of the thread. */
  readonly module: URL;
  readonly onFault: (error: unknown) => void;
}

export interface LiveListener {
  readonly onText: (stream: OutputStream, live: LiveText) => boolean;
  /** Settles when the listener can take more. */
  readonly drained: () => Promise<void>;
}

interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The Runner's side of the output thread. Everything that it is asked is answered or
 * rejected; when the thread fails, all that was open rejects and a new one is started.
 */
export class OutputThread implements OutputKeeper {
  private worker: Worker | null = null;
  private readonly ready: OutputPipes[] = [];
  private takers: Waiter<OutputPipes>[] = [];
  private asked = false;
  /** Outputs of executions that have not ended. */
  private readonly open = new Map<PairId, ExecutionOutput>();
  private readonly queries = new Map<number, Waiter<unknown>>();
  private readonly listeners = new Map<PairId, LiveListener>();
  private readonly watchers = new Map<PairId, Set<(bytes: number, lines: number) => void>>();
  private readonly matches = new Map<number, (refused: string | null) => void>();
  private readonly tallies = new Map<PairId, SharedTallies>();
  private readonly released: PairId[] = [];
  private releasing: NodeJS.Timeout | null = null;
  private lastPair = 0;
  private lastNumber = 0;
  private stopped = false;

  constructor(private readonly options: OutputThreadOptions) {
    this.refill();
  }

  /**
   * The output of one execution that is about to start, usually with pipes that were
   * made ahead.
   *
   * @param name what spool files of it are called: how another process finds them
   */
  async take(name: string): Promise<ExecutionOutput> {
    const pipes = this.ready.shift() ?? (await this.waitForPipes());
    if (this.ready.length < REFILL_BELOW) this.refill();
    const output = new ExecutionOutput(++this.lastPair, name, pipes, this);
    this.open.set(output.pair, output);
    void output.sealed.then(() => this.open.delete(output.pair), () => this.open.delete(output.pair));
    return output;
  }

  handOver({ pair, name }: ExecutionOutput, streams: { readonly stdout: TakenStream; readonly stderr: TakenStream }): void {
    this.tell({ do: 'take', pair, name, tallies: this.talliesOf(pair), ...streams });
  }

  keep({ pair, name }: ExecutionOutput, { stdout, stderr }: { readonly stdout: Buffer; readonly stderr: Buffer }): void {
    const tallies = this.talliesOf(pair);
    StreamTally.ofStream(tallies, 'stdout').write(wholeCounts(stdout));
    StreamTally.ofStream(tallies, 'stderr').write(wholeCounts(stderr));
    this.tell({ do: 'take', pair, name, tallies, stdout: { readEnd: null, bytes: stdout }, stderr: { readEnd: null, bytes: stderr } });
  }

  /** Spools the pair from its first byte on, so that its output outlives this process. */
  spool(pair: PairId): void {
    this.open.get(pair)?.handOver();
    this.tell({ do: 'spool', pair });
  }

  /** Sends the output to one listener as it comes, from its first byte on. */
  listen(pair: PairId, listener: LiveListener): void {
    this.open.get(pair)?.handOver();
    this.listeners.set(pair, listener);
    this.tell({ do: 'listen', pair });
  }

  unlisten(pair: PairId): void {
    if (this.listeners.delete(pair)) this.tell({ do: 'unlisten', pair });
  }

  /** The process has ended: what it left in its FIFOs is read at full speed, listener or not. */
  drain(pair: PairId): void {
    if (this.listeners.has(pair)) this.tell({ do: 'drain', pair });
  }

  /** Ends both streams now, whoever still writes. */
  close(pair: PairId): void {
    this.tell({ do: 'close', pair });
  }

  /** Removes everything of a pair that has ended or was never used, soon: nobody waits for it, so several go together. */
  release(pair: PairId): void {
    this.open.delete(pair);
    this.listeners.delete(pair);
    this.watchers.delete(pair);
    this.tallies.delete(pair);
    this.released.push(pair);
    this.releasing ??= setTimeout(() => this.tellReleased(), RELEASE_WITHIN_MS).unref();
  }

  /** Calls back when the pair has grown, at most every 50 ms, until the returned function is called. */
  watch(pair: PairId, onGrown: (bytes: number, lines: number) => void): () => void {
    this.open.get(pair)?.handOver();
    const watchers = this.watchers.get(pair) ?? new Set();
    this.watchers.set(pair, watchers.add(onGrown));
    this.tell({ do: 'watch', pair, on: true });
    return () => {
      watchers.delete(onGrown);
      if (watchers.size > 0 || this.watchers.get(pair) !== watchers) return;
      this.watchers.delete(pair);
      this.tell({ do: 'watch', pair, on: false });
    };
  }

  /**
   * Looks for a pattern in all of the output, what came and what comes.
   * @param onFound null when it stands there, else why the pattern was refused
   */
  match(pair: PairId, pattern: OutputPattern, onFound: (refused: string | null) => void): () => void {
    const match = ++this.lastNumber;
    this.matches.set(match, onFound);
    this.open.get(pair)?.handOver();
    this.tell({ do: 'match', match, pair, pattern });
    return () => {
      if (this.matches.delete(match)) this.tell({ do: 'unmatch', match });
    };
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
    return this.query('view', ask);
  }

  read(ask: OutputQueries['read']['ask']): Promise<OutputQueries['read']['answer']> {
    this.open.get(ask.pair)?.handOver();
    return this.query('read', ask);
  }

  /** Takes over what a dead Runner spooled under this name. */
  async adopt(folder: string, name: string): Promise<PairId> {
    const pair = ++this.lastPair;
    await this.query('adopt', { pair, tallies: this.talliesOf(pair), folder, name });
    return pair;
  }

  /** Ends the thread; nothing may be asked any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.fail(new OutputLostError('The Runner has shut down.'));
    await this.worker?.terminate();
  }

  private tellReleased(): void {
    this.releasing = null;
    this.tell({ do: 'release', pairs: this.released.splice(0) });
  }

  private talliesOf(pair: PairId): SharedTallies {
    const tallies = this.tallies.get(pair) ?? createTallies();
    this.tallies.set(pair, tallies);
    return tallies;
  }

  private waitForPipes(): Promise<OutputPipes> {
    this.refill();
    return new Promise((resolve, reject) => this.takers.push({ resolve, reject }));
  }

  private refill(): void {
    if (this.asked || this.stopped) return;
    this.asked = true;
    this.tell({ do: 'make', count: PIPES_AHEAD - this.ready.length });
  }

  private query<Query extends OutputQuery>(query: Query, ask: OutputQueries[Query]['ask']): Promise<OutputQueries[Query]['answer']> {
    const id = ++this.lastNumber;
    return new Promise((resolve, reject) => {
      this.queries.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.tell({ do: 'query', query, id, ask } as ToOutputThread);
    });
  }

  private tell(message: ToOutputThread): void {
    if (this.stopped) return;
    this.worker ??= this.startWorker();
    this.worker.postMessage(message);
  }

  private startWorker(): Worker {
    const { module, folder, spoolMaxBytes } = this.options;
    const data: OutputThreadData = { folder, spoolMaxBytes };
    // The ends of the FIFOs belong to both threads, so neither thread's end may close the other's.
    const worker = new Worker(module, { workerData: data, trackUnmanagedFds: false, name: 'output', execArgv: [] });
    worker.on('message', (message: FromOutputThread) => this.hear(message));
    worker.on('error', (error) => this.lose(worker, error));
    worker.on('exit', () => this.lose(worker, new Error('the output thread ended')));
    return worker;
  }

  private lose(worker: Worker, cause: unknown): void {
    if (this.worker !== worker || this.stopped) return;
    this.worker = null;
    this.options.onFault(cause);
    this.fail(new OutputLostError('The output thread failed; its output is lost.', { cause }));
  }

  private fail(error: OutputLostError): void {
    for (const { stdout, stderr } of this.ready.splice(0)) {
      for (const end of [stdout.readEnd, stdout.writeEnd, stderr.readEnd, stderr.writeEnd]) closeSync(end);
    }
    const waiting = [...this.takers, ...this.queries.values()];
    this.takers = [];
    this.asked = false;
    this.queries.clear();
    for (const output of this.open.values()) output.lose(error);
    this.listeners.clear();
    this.watchers.clear();
    for (const onFound of this.matches.values()) onFound(error.message);
    this.matches.clear();
    for (const { reject } of waiting) reject(error);
  }

  private hear(message: FromOutputThread): void {
    switch (message.tell) {
      case 'made':
        this.asked = false;
        this.ready.push(...message.pipes);
        this.serveTakers();
        break;
      case 'not_made':
        this.asked = false;
        for (const { reject } of this.takers.splice(0)) reject(new OutputLostError(`No FIFOs could be made: ${message.reason}`));
        break;
      case 'sealed':
        this.open.get(message.pair)?.seal(message.output);
        break;
      case 'live':
        this.deliver(message.pair, message.stream, message.live, message.bytes);
        break;
      case 'grown':
        for (const onGrown of this.watchers.get(message.pair) ?? []) onGrown(message.bytes, message.lines);
        break;
      case 'matched': {
        const onFound = this.matches.get(message.match);
        this.matches.delete(message.match);
        onFound?.(message.refused);
        break;
      }
      case 'answer':
        this.queries.get(message.id)?.resolve(message.answer);
        this.queries.delete(message.id);
        break;
      case 'fault':
        this.queries.get(message.id)?.reject(new Error(message.reason));
        this.queries.delete(message.id);
        break;
    }
  }

  private serveTakers(): void {
    while (this.takers.length > 0) {
      const pipes = this.ready.shift();
      if (pipes === undefined) break;
      this.takers.shift()?.resolve(pipes);
    }
    if (this.takers.length > 0) this.refill();
  }

  private deliver(pair: PairId, stream: OutputStream, live: LiveText, bytes: number): void {
    const listener = this.listeners.get(pair);
    if (listener === undefined) return;
    if (listener.onText(stream, live)) {
      this.tell({ do: 'taken', pair, bytes });
      return;
    }
    void listener.drained().then(() => this.tell({ do: 'taken', pair, bytes }));
  }
}
