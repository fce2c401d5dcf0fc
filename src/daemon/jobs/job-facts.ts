import { z } from 'zod';
import { EXECUTION_STATE_FACTS } from '../../protocol/execution-state.js';
import { jobSchema, type JobView, type StreamSlice } from '../../protocol/runner/jobs.js';
import type { JsonObject } from '../../protocol/tool-result.js';

/** A Job in an answer: what the Runner says of it, named as tools name it. */
export const jobFactsSchema = z.looseObject({
  ...jobSchema.omit({
    update_seq: true,
    source: true,
    timeout_ms: true,
    stdout: true,
    stderr: true,
    published_after_disconnect: true,
    descendants_ended: true,
    output_incomplete: true,
    survivor_pids: true,
    annotations: true,
  }).shape,
  terminal: z.boolean(),
  /** The tool that started it. */
  execution_source: z.string(),
  effective_timeout_secs: z.number(),
  stdout_lines: z.int(),
  stdout_bytes: z.int(),
  stderr_lines: z.int(),
  stderr_bytes: z.int(),
});

/** The facts of a Job; what is usual (nothing dropped, nobody left behind) is not said. */
export function jobFacts(job: JobView): JsonObject {
  const { update_seq: _seq, source, timeout_ms: timeoutMs, stdout, stderr, annotations, ...rest } = job;
  const { published_after_disconnect: published, descendants_ended: ended, output_incomplete: incomplete, survivor_pids: survivors, ...named } = rest;
  const { assertion_name: assertion, validation_target_id: target } = annotations;
  return {
    ...named,
    terminal: isTerminal(job),
    execution_source: source,
    effective_timeout_secs: timeoutMs / 1_000,
    stdout_lines: stdout.lines,
    stdout_bytes: stdout.bytes,
    stderr_lines: stderr.lines,
    stderr_bytes: stderr.bytes,
    ...(stdout.dropped_bytes > 0 ? { stdout_dropped_bytes: stdout.dropped_bytes } : {}),
    ...(stderr.dropped_bytes > 0 ? { stderr_dropped_bytes: stderr.dropped_bytes } : {}),
    ...(published ? { published_after_disconnect: true } : {}),
    ...(ended > 0 ? { descendants_ended: ended } : {}),
    ...(incomplete ? { output_incomplete: true } : {}),
    ...(survivors.length > 0 ? { survivor_pids: survivors } : {}),
    ...(typeof assertion === 'string' ? { assertion_name: assertion } : {}),
    ...(typeof target === 'string' ? { validation_target_id: target } : {}),
  };
}

/** Whether a Job has ended, also one whose outcome will never be known. */
export function isTerminal({ outcome, execution_state: state }: Pick<JobView, 'outcome' | 'execution_state'>): boolean {
  return outcome !== null || EXECUTION_STATE_FACTS[state].terminal;
}

/** Lines of a Job's stream in an answer. */
export function sliceFacts(name: 'stdout' | 'stderr', slice: StreamSlice): JsonObject {
  const shows = slice.last_line >= slice.first_line;
  return {
    [`${name}_tail`]: slice.text,
    [`${name}_range`]: shows ? { first_line: slice.first_line, last_line: slice.last_line } : null,
    ...(slice.starts_mid_line ? { [`${name}_starts_mid_line`]: true } : {}),
    ...(slice.lossy ? { [`${name}_lossy`]: true } : {}),
  };
}
