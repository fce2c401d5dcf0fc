import type { OutputStream, StreamSlice } from '../../../protocol/runner/jobs.js';
import type { OutputRead, OutputView, SealedOutput, TakenStream } from '../messages.js';
import type { SliceBounds } from '../stream-slice.js';
import { StreamTally, type SharedTallies } from '../stream-tally.js';
import { FifoReader } from './fifo.js';
import { LiveOutput, type LiveSink } from './live-output.js';
import { OutputMatcher, PatternRefusedError, type OutputPattern } from './output-matcher.js';
import type { LineRange } from './read-lines.js';
import { UnreadBound } from './unread-bound.js';
import { StreamSpool } from './spool.js';
import { StreamCapture } from './stream-capture.js';

/** How often a watcher hears of new output at most. */
const GROWN_EVERY_MS = 50;
const SCAN_BYTES = 256 * 1_024;
const STREAMS = ['stdout', 'stderr'] as const;

export interface PairOptions {
  /** What its spool files are called. */
  readonly name: string;
  /** Where both streams' counts are told. */
  readonly tallies: SharedTallies;
  readonly folder: string;
  readonly spoolMaxBytes: number;
  readonly onSealed: (output: SealedOutput) => void;
  readonly onLive: LiveSink['send'];
  readonly onGrown: (bytes: number, lines: number) => void;
  readonly onMatched: (match: number, refused: string | null) => void;
}

/** The two output streams of one execution, from the FIFOs to whoever wants to know. */
export class OutputPair {
  private readonly captures: Readonly<Record<OutputStream, StreamCapture>>;
  private readonly readers: Partial<Record<OutputStream, FifoReader>> = {};
  private readonly unread: Readonly<Record<OutputStream, UnreadBound>>;
  private readonly open = new Set<OutputStream>(STREAMS);
  private readonly matchers = new Map<number, Readonly<Record<OutputStream, OutputMatcher>>>();
  private live: LiveOutput | null = null;
  private listenerIsBehind = false;
  private draining = false;
  private watched = false;
  private grownTimer: NodeJS.Timeout | null = null;
  private closedEarly = false;

  constructor(private readonly options: PairOptions) {
    const capture = (stream: OutputStream): StreamCapture =>
      new StreamCapture(
        () => new StreamSpool(options.folder, `${options.name}.${stream}`, options.spoolMaxBytes),
        StreamTally.ofStream(options.tallies, stream),
      );
    this.captures = { stdout: capture('stdout'), stderr: capture('stderr') };
    const unread = (stream: OutputStream): UnreadBound => new UnreadBound(options.spoolMaxBytes, () => this.pace(stream));
    this.unread = { stdout: unread('stdout'), stderr: unread('stderr') };
  }

  /** Takes both streams over, with what was read of them before. */
  takeOver(streams: { readonly stdout: TakenStream; readonly stderr: TakenStream }): void {
    for (const stream of STREAMS) this.captures[stream].append(streams[stream].bytes);
    for (const stream of STREAMS) this.read(stream, streams[stream].readEnd);
  }

  /** Spools both streams from their first byte on. */
  spool(): void {
    for (const stream of STREAMS) this.captures[stream].startSpool();
  }

  listen(): void {
    this.live = new LiveOutput({ send: this.options.onLive, hold: (on) => this.holdBack(on) });
    for (const stream of STREAMS) this.live.add(stream, this.captures[stream].heldBytes());
  }

  /**
   * Nobody listens any more. A listener that reads on where it was finds what comes
   * meanwhile: it is held back rather than dropped, for a while.
   */
  unlisten(readsOn: boolean): void {
    this.live = null;
    if (readsOn) for (const stream of STREAMS) this.unread[stream].readTo(this.captures[stream].totalBytes);
    this.holdBack(false);
  }

  taken(bytes: number): void {
    this.live?.taken(bytes);
  }

  drain(): void {
    this.draining = true;
    for (const stream of STREAMS) this.pace(stream);
  }

  /** Ends both streams, whoever still holds them; the output is marked incomplete when somebody did. */
  close(): void {
    this.closedEarly = this.open.size > 0;
    for (const reader of Object.values(this.readers)) reader.close();
  }

  watch(on: boolean): void {
    this.watched = on;
    // What came between somebody's last look and now is told as well.
    if (on) this.scheduleGrown();
  }

  match(match: number, pattern: OutputPattern): void {
    this.attempt(match, () => {
      this.matchers.set(match, { stdout: new OutputMatcher(pattern), stderr: new OutputMatcher(pattern) });
      return STREAMS.some((stream) => this.standsIn(match, stream));
    });
  }

  unmatch(match: number): void {
    this.matchers.delete(match);
  }

  view(after: { readonly stdout: number; readonly stderr: number } | null, bounds: SliceBounds): OutputView {
    const { stdout, stderr } = this.captures;
    const since = after === null ? null : bothSince(stdout.since(after.stdout, bounds), stderr.since(after.stderr, bounds));
    const shown = since ?? { stdout: stdout.tail(bounds), stderr: stderr.tail(bounds) };
    const skipped = (first: number, next: number): number => Math.max(0, first - next);
    return {
      ...shown,
      continued: since !== null,
      skippedLines:
        after === null || since !== null
          ? 0
          : skipped(shown.stdout.first_line, after.stdout) + skipped(shown.stderr.first_line, after.stderr),
      nextStdoutLine: stdout.completeLines + 1,
      nextStderrLine: stderr.completeLines + 1,
      stdoutCounts: stdout.counts(),
      stderrCounts: stderr.counts(),
    };
  }

  /** @param readsOn whether the reader comes back for the rest, which is held back rather than dropped until then */
  readLines(stream: OutputStream, range: LineRange, readsOn: boolean): OutputRead {
    const capture = this.captures[stream];
    const read = capture.read(range);
    if (readsOn && this.open.has(stream)) this.unread[stream].readTo(read.endByte);
    return { ...read, totals: capture.counts(), dropped: capture.dropped() };
  }

  /** Takes over the spool files of a Runner that died; nothing more will come. */
  adopt(folder: string): void {
    for (const stream of STREAMS) this.captures[stream].adopt(folder, `${this.options.name}.${stream}`);
    this.open.clear();
  }

  remove(): void {
    for (const reader of Object.values(this.readers)) reader.close();
    if (this.grownTimer !== null) clearTimeout(this.grownTimer);
    for (const stream of STREAMS) {
      this.unread[stream].end();
      this.captures[stream].remove();
    }
  }

  private read(stream: OutputStream, readEnd: number | null): void {
    if (readEnd === null) {
      this.ended(stream);
      return;
    }
    this.readers[stream] = new FifoReader(
      readEnd,
      (bytes) => this.take(stream, bytes),
      () => this.ended(stream),
    );
  }

  private take(stream: OutputStream, bytes: Buffer): void {
    this.captures[stream].append(bytes);
    this.unread[stream].grown(this.captures[stream].totalBytes);
    this.live?.add(stream, bytes);
    for (const [match, matchers] of this.matchers) this.attempt(match, () => matchers[stream].feed(bytes));
    if (this.watched) this.scheduleGrown();
  }

  private scheduleGrown(): void {
    this.grownTimer ??= setTimeout(() => this.tellGrown(), GROWN_EVERY_MS);
  }

  private tellGrown(): void {
    this.grownTimer = null;
    const { stdout, stderr } = this.captures;
    this.options.onGrown(stdout.totalBytes + stderr.totalBytes, stdout.completeLines + stderr.completeLines);
  }

  private ended(stream: OutputStream): void {
    this.captures[stream].end();
    this.open.delete(stream);
    this.unread[stream].end();
    if (this.open.size > 0) return;
    this.live?.end();
    this.live = null;
    this.options.onSealed({
      stdout: this.captures.stdout.report(),
      stderr: this.captures.stderr.report(),
      incomplete: this.closedEarly,
      spoolFailure: this.captures.stdout.spoolFailure ?? this.captures.stderr.spoolFailure,
    });
  }

  private holdBack(on: boolean): void {
    this.listenerIsBehind = on;
    for (const stream of STREAMS) this.pace(stream);
  }

  /** Reads on, or lets the command wait for who reads what it writes. */
  private pace(stream: OutputStream): void {
    if (!this.open.has(stream)) return;
    const isHeld = this.listenerIsBehind || this.unread[stream].isReached;
    if (isHeld && !this.draining) this.readers[stream]?.pause();
    else this.readers[stream]?.resume();
  }

  /** Whether a pattern stands in what came before somebody asked. */
  private standsIn(match: number, stream: OutputStream): boolean {
    const matcher = this.matchers.get(match)?.[stream];
    if (matcher === undefined) return false;
    for (const bytes of this.captures[stream].everything(SCAN_BYTES)) if (matcher.feed(bytes)) return true;
    return false;
  }

  /** Looks for a pattern, and tells when it was found or refused. */
  private attempt(match: number, find: () => boolean): void {
    try {
      if (!find()) return;
      this.options.onMatched(match, null);
    } catch (error) {
      if (!(error instanceof PatternRefusedError)) throw error;
      this.options.onMatched(match, error.message);
    }
    this.matchers.delete(match);
  }
}

function bothSince(
  stdout: StreamSlice | null,
  stderr: StreamSlice | null,
): { readonly stdout: StreamSlice; readonly stderr: StreamSlice } | null {
  return stdout === null || stderr === null ? null : { stdout, stderr };
}
