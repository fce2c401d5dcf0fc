import type { OutputStream, StreamCounts, StreamReport, StreamSlice } from '../../protocol/runner/jobs.js';
import type { SliceBounds } from './stream-slice.js';
import type { SharedTallies } from './stream-tally.js';
import type { DroppedLines, LineRange, LinesRead } from './worker/read-lines.js';
import type { OutputPattern } from './worker/output-matcher.js';

/** One execution's two streams, from the FIFOs to the spool. Numbers are never used twice. */
export type PairId = number;

/** What the output thread is started with. */
export interface OutputThreadData {
  /** A private folder of this Runner's life, for FIFOs on their way and spool files. */
  readonly folder: string;
  readonly spoolMaxBytes: number;
}

/** Both ends of a FIFO whose name is gone from the folder. Descriptors belong to the whole process. */
export interface OutputPipe {
  readonly path: string;
  /** Non-blocking. */
  readonly readEnd: number;
  /** Blocking, as programs expect their standard output to be. */
  readonly writeEnd: number;
}

export interface OutputPipes {
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
}

/** A stream that the output thread takes over, with what was read of it before. */
export interface TakenStream {
  /** Null when it has ended. */
  readonly readEnd: number | null;
  readonly bytes: Uint8Array;
}

/** Some output on its way to a listener. */
export interface LiveText {
  readonly text: string;
  /** The very bytes, where the text is lossy. */
  readonly base64?: string;
}

/** Both streams of an execution that carry nothing any more. */
export interface SealedOutput {
  readonly stdout: StreamReport;
  readonly stderr: StreamReport;
  /** Whether something still held a stream open when it was closed. */
  readonly incomplete: boolean;
  /** The error code that ended a spool early, e.g. `ENOSPC`. */
  readonly spoolFailure: string | null;
}

/** Both streams as an observer sees them. */
export interface OutputView {
  readonly stdout: StreamSlice;
  readonly stderr: StreamSlice;
  /** Whether the slices follow the cursor without a gap; else they show the end. */
  readonly continued: boolean;
  readonly skippedLines: number;
  readonly nextStdoutLine: number;
  readonly nextStderrLine: number;
  readonly stdoutCounts: StreamCounts;
  readonly stderrCounts: StreamCounts;
}

export interface OutputRead extends LinesRead {
  readonly totals: StreamCounts;
  readonly dropped: DroppedLines | null;
}

export interface OutputCounts {
  readonly stdout: StreamCounts;
  readonly stderr: StreamCounts;
}

/** What is asked of the output thread and answered by it; null for a pair that it does not have. */
export interface OutputQueries {
  view: {
    ask: {
      readonly pair: PairId;
      /** The next lines that the observer has not seen; null shows the end. */
      readonly after: { readonly stdout: number; readonly stderr: number } | null;
      readonly bounds: SliceBounds;
    };
    answer: OutputView | null;
  };
  read: {
    ask: {
      readonly pair: PairId;
      readonly stream: OutputStream;
      readonly range: LineRange;
      /** The reader comes back for the rest: it is held back rather than dropped. */
      readonly readsOn: boolean;
    };
    answer: OutputRead | null;
  };
  /** Takes over what a dead Runner left of a Job's output. */
  adopt: { ask: { readonly pair: PairId; readonly tallies: SharedTallies; readonly folder: string; readonly name: string }; answer: null };
}
export type OutputQuery = keyof OutputQueries;

/** From the Runner to its output thread. */
export type ToOutputThread =
  /** Make pipes ahead. */
  | { readonly do: 'make'; readonly count: number }
  | {
      readonly do: 'take';
      readonly pair: PairId;
      /** What its spool files are called. */
      readonly name: string;
      readonly tallies: SharedTallies;
      readonly stdout: TakenStream;
      readonly stderr: TakenStream;
    }
  /** Spool this pair from its first byte on. */
  | { readonly do: 'spool'; readonly pair: PairId }
  | { readonly do: 'listen'; readonly pair: PairId }
  | { readonly do: 'unlisten'; readonly pair: PairId; readonly readsOn: boolean }
  /** The listener has taken this many bytes. */
  | { readonly do: 'taken'; readonly pair: PairId; readonly bytes: number }
  /** The process has ended: read what is left at full speed. */
  | { readonly do: 'drain'; readonly pair: PairId }
  /** Close both streams now, whoever still holds them. */
  | { readonly do: 'close'; readonly pair: PairId }
  /** Tell when something was added, at most every 50 ms. */
  | { readonly do: 'watch'; readonly pair: PairId; readonly on: boolean }
  | { readonly do: 'match'; readonly match: number; readonly pair: PairId; readonly pattern: OutputPattern }
  | { readonly do: 'unmatch'; readonly match: number }
  /** Forget the pairs and remove their files. */
  | { readonly do: 'release'; readonly pairs: readonly PairId[] }
  | { [Query in OutputQuery]: { readonly do: 'query'; readonly query: Query; readonly id: number; readonly ask: OutputQueries[Query]['ask'] } }[OutputQuery];

/** From the output thread to the Runner. */
export type FromOutputThread =
  | { readonly tell: 'made'; readonly pipes: readonly OutputPipes[] }
  | { readonly tell: 'not_made'; readonly reason: string }
  | { readonly tell: 'sealed'; readonly pair: PairId; readonly output: SealedOutput }
  | { readonly tell: 'live'; readonly pair: PairId; readonly stream: OutputStream; readonly live: LiveText; readonly bytes: number }
  | { readonly tell: 'grown'; readonly pair: PairId; readonly bytes: number; readonly lines: number }
  | { readonly tell: 'matched'; readonly match: number; readonly refused: string | null }
  | { readonly tell: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly tell: 'fault'; readonly id: number; readonly reason: string };
