import type { OutputStream } from '../../protocol/runner/jobs.js';
import type { FromOutputThread, LiveText, OutputQueries, OutputQuery, PairId, ToOutputThread } from './messages.js';
import type { OutputLostError, Waiter } from './output-lost.js';
import type { OutputPattern } from './worker/output-matcher.js';

/** Who takes output as it comes. */
export interface LiveListener {
  readonly onText: (stream: OutputStream, live: LiveText) => boolean;
  /** Settles when the listener can take more. */
  readonly drained: () => Promise<void>;
}

type OnGrown = (bytes: number, lines: number) => void;
type OnFound = (refused: string | null) => void;
/** The messages that somebody waits for. */
type ToldMessage = Extract<FromOutputThread, { tell: 'live' | 'grown' | 'matched' | 'answer' | 'fault' }>;

/** Who waits for which message of the output thread. All of it is answered, or told that the thread is lost. */
export class MessageTable {
  private readonly queries = new Map<number, Waiter<unknown>>();
  private readonly listeners = new Map<PairId, LiveListener>();
  private readonly watchers = new Map<PairId, Set<OnGrown>>();
  private readonly matches = new Map<number, OnFound>();
  private lastNumber = 0;

  constructor(private readonly tell: (message: ToOutputThread) => void) {}

  query<Query extends OutputQuery>(query: Query, ask: OutputQueries[Query]['ask']): Promise<OutputQueries[Query]['answer']> {
    const id = ++this.lastNumber;
    return new Promise((resolve, reject) => {
      this.queries.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.tell({ do: 'query', query, id, ask } as ToOutputThread);
    });
  }

  listen(pair: PairId, listener: LiveListener): void {
    this.listeners.set(pair, listener);
    this.tell({ do: 'listen', pair });
  }

  unlisten(pair: PairId, readsOn: boolean): void {
    if (this.listeners.delete(pair)) this.tell({ do: 'unlisten', pair, readsOn });
  }

  hasListener(pair: PairId): boolean {
    return this.listeners.has(pair);
  }

  watch(pair: PairId, onGrown: OnGrown): () => void {
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

  match(pair: PairId, pattern: OutputPattern, onFound: OnFound): () => void {
    const match = ++this.lastNumber;
    this.matches.set(match, onFound);
    this.tell({ do: 'match', match, pair, pattern });
    return () => {
      if (this.matches.delete(match)) this.tell({ do: 'unmatch', match });
    };
  }

  /** Nobody hears of the pair any more. */
  forget(pair: PairId): void {
    this.listeners.delete(pair);
    this.watchers.delete(pair);
  }

  hear(message: ToldMessage): void {
    switch (message.tell) {
      case 'live':
        this.deliver(message);
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

  lose(error: OutputLostError): void {
    const waiting = [...this.queries.values()];
    const matching = [...this.matches.values()];
    this.queries.clear();
    this.matches.clear();
    this.listeners.clear();
    this.watchers.clear();
    for (const onFound of matching) onFound(error.message);
    for (const { reject } of waiting) reject(error);
  }

  private deliver({ pair, stream, live, bytes }: Extract<ToldMessage, { tell: 'live' }>): void {
    const listener = this.listeners.get(pair);
    if (listener === undefined) return;
    if (listener.onText(stream, live)) this.tell({ do: 'taken', pair, bytes });
    else void listener.drained().then(() => this.tell({ do: 'taken', pair, bytes }));
  }
}
