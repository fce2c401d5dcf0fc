import { readOutputMethod } from '../../protocol/runner/execution.js';
import type { OutputStream } from '../../protocol/runner/jobs.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { OutputParser } from './adapter.js';

/** Small enough that taking one page apart holds nobody up. */
const PAGE_BYTES = 256 * 1024;
const PAGE_LINES = 5_000;
/** A line is given to the parser up to here, in UTF-16 units. */
const MAX_LINE_UNITS = 64 * 1024;

/** Whether every byte that was printed was read, and whether that may be otherwise later. */
export interface OutputReading {
  readonly truncated: boolean;
  /** The Runner could not be asked; what it keeps can be read when it is back. */
  readonly unreachable: boolean;
}

const UNREACHABLE: ReadonlySet<unknown> = new Set(['runner_unavailable', 'runner_unavailable_recovering']);

/**
 * Feeds the whole spooled output of an ended execution to a parser: all of stdout, then
 * all of stderr, or the one stream that it reads, page by page. What is lost, still
 * growing, or cannot be read makes the reading truncated; nothing is thrown.
 */
export async function feedWholeOutput(
  runner: RunnerPort,
  outputId: string,
  parser: OutputParser,
  signal: AbortSignal,
): Promise<OutputReading> {
  let truncated = false;
  let unreachable = false;
  for (const stream of parser.streams ?? (['stdout', 'stderr'] as const)) {
    const reading = await feedStream(runner, { outputId, stream }, parser, signal);
    truncated ||= reading.truncated;
    unreachable ||= reading.unreachable;
  }
  return { truncated, unreachable };
}

async function feedStream(
  runner: RunnerPort,
  { outputId, stream }: { readonly outputId: string; readonly stream: OutputStream },
  parser: OutputParser,
  signal: AbortSignal,
): Promise<OutputReading> {
  const lines = new LineSplitter((text) => parser.line(stream, text));
  let position = { start_line: 1, skip_bytes: 0 };
  let truncated = false;
  let unreachable = false;
  for (;;) {
    const page = await runner.call(
      readOutputMethod,
      { of: { output_id: outputId }, stream, ...position, limit: PAGE_LINES, max_bytes: PAGE_BYTES },
      { signal },
    );
    if ('failure' in page) {
      truncated = true;
      unreachable = UNREACHABLE.has(page.failure.output['error_kind']);
      break;
    }
    const { text, next, ended, dropped } = page.answer;
    lines.push(text);
    truncated ||= dropped !== null;
    if (next === null) {
      truncated ||= !ended;
      break;
    }
    position = next;
  }
  lines.end();
  return { truncated, unreachable };
}

/** Puts lines together that pages cut; an endless one is cut instead of kept. */
class LineSplitter {
  private rest = '';

  constructor(private readonly line: (text: string) => void) {}

  push(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.give(this.rest + text.slice(start, end));
      this.rest = '';
      start = end + 1;
    }
    if (this.rest.length < MAX_LINE_UNITS) this.rest += text.slice(start, start + MAX_LINE_UNITS);
  }

  end(): void {
    if (this.rest !== '') this.give(this.rest);
    this.rest = '';
  }

  private give(line: string): void {
    const bounded = line.length > MAX_LINE_UNITS ? line.slice(0, MAX_LINE_UNITS) : line;
    this.line(bounded.endsWith('\r') ? bounded.slice(0, -1) : bounded);
  }
}
