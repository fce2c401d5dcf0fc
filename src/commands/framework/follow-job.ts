import { MAX_READ_LINES } from '../../protocol/execution-limits.js';
import { textOf } from '../../client/render/index.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import { outputBytes, type CarriedOutput } from './output-bytes.js';
import { OutputPosition } from './output-position.js';

/** Seconds of one wait; a Job may take hours, and each wait is a call of its own. */
const WAIT_SECS = 30;
/** As many as there are: a read ends by its bytes. */
const READ_LINES = MAX_READ_LINES;

export type StreamName = 'stdout' | 'stderr';

/** What following a Job needs: a tool call that only observes, and where its output goes. */
export interface FollowParts {
  readonly observe: (tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) => Promise<ToolResult>;
  readonly write: (stream: StreamName, bytes: Buffer) => Promise<void>;
  /** Whether the program waits for this reader rather than outrun what is kept of its output. */
  readonly readsOn: boolean;
  /** Which streams are shown. */
  readonly streams: readonly StreamName[];
  /** Ends the following, not the Job. */
  readonly signal: AbortSignal;
}

/** Where each stream is read on from. */
export type OutputPositions = Readonly<Record<StreamName, OutputPosition>>;

export function fromTheStart(): OutputPositions {
  return { stdout: new OutputPosition(), stderr: new OutputPosition() };
}

/**
 * Shows what a Job prints, from `positions` on, until it has ended.
 *
 * @returns the Job's facts at its end, the failure of a look at it, or null when `signal` ended the following
 */
export async function followJob(parts: FollowParts, jobId: string, positions: OutputPositions): Promise<ToolResult | null> {
  let token: string | undefined;
  while (!isOver(parts.signal)) {
    const seen = await parts.observe('observe_jobs', {
      items: [{ job_id: jobId, ...(token === undefined ? {} : { after_observation_token: token }) }],
      // The text comes from the whole output below; this only moves the token on.
      tail_lines: 1,
      wait_secs: token === undefined ? 0 : WAIT_SECS,
      wake_on: parts.streams.length === 0 ? 'terminal' : 'change',
    }, parts.signal);
    if (isOver(parts.signal)) return null;
    const job = onlyJob(seen);
    if ('failed' in job) return job.failed;
    for (const stream of parts.streams) await showNew(parts, { job_id: jobId }, stream, positions[stream]);
    if (job.facts['terminal'] === true) return { success: true, output: job.facts };
    token = textOf(job.facts, 'observation_token');
  }
  return null;
}

interface ReadPlaces {
  readonly next: object | null;
  readonly end: { readonly start_line: number; readonly skip_bytes: number };
}

/** Reads what a stream holds behind a position, to the end of what exists by now. */
export async function showNew(
  parts: Pick<FollowParts, 'observe' | 'write' | 'readsOn'>,
  of: { readonly job_id: string } | { readonly output_id: string },
  stream: StreamName,
  position: OutputPosition,
): Promise<ToolResult | null> {
  for (;;) {
    const read = await parts.observe('read_job_output', {
      ...of,
      stream,
      start_line: position.startLine,
      skip_bytes: position.skipBytes,
      limit: READ_LINES,
      with_bytes: true,
      reads_on: parts.readsOn,
    });
    if (!read.success) return read;
    const { next, end, ...carried } = read.output as unknown as CarriedOutput & ReadPlaces;
    const bytes = outputBytes(carried);
    await parts.write(stream, bytes);
    position.passRead(bytes, end);
    if (next === null) return null;
  }
}

/** A signal changes under an await, which the compiler does not know of a property. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** The one Job that was looked at, or why it could not be. */
export function onlyJob(seen: ToolResult): { readonly facts: JsonObject } | { readonly failed: ToolResult } {
  if (!seen.success) return { failed: seen };
  const [item] = seen.output['items'] as readonly JsonObject[];
  if (item?.['success'] === true) return { facts: item };
  return {
    failed: {
      success: false,
      output: { error_kind: item?.['error_kind'] ?? 'unknown_job' },
      error: typeof item?.['error'] === 'string' ? item['error'] : 'The Job can not be observed.',
    },
  };
}
