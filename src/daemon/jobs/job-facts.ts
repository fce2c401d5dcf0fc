import { z } from 'zod';
import { EXECUTION_STATE_FACTS, EXECUTION_STATES, FAILURE_KINDS, JOB_OUTCOMES, JOB_STATUSES, PURPOSES } from '../../protocol/execution-state.js';
import type { JobView, StreamSlice } from '../../protocol/runner/jobs.js';
import type { JsonObject } from '../../protocol/tool-result.js';

/** A Job in an answer: metadata only. */
export const jobFactsSchema = z.looseObject({
  job_id: z.string(),
  status: z.enum(JOB_STATUSES),
  execution_state: z.enum(EXECUTION_STATES),
  terminal: z.boolean(),
  /** Null while it is active. */
  outcome: z.enum(JOB_OUTCOMES).nullable(),
  project: z.string(),
  session_id: z.string().nullable(),
  execution_source: z.string(),
  purpose: z.enum(PURPOSES),
  /** First line, at most 120 characters, without what looks like a secret. */
  command_preview: z.string(),
  cwd: z.string(),
  shell: z.enum(['sh', 'bash']).nullable(),
  arg_count: z.int().nullable(),
  stdin_provided: z.boolean(),
  effective_timeout_secs: z.number(),
  created_at_ms: z.int(),
  started_at_ms: z.int().nullable(),
  finished_at_ms: z.int().nullable(),
  duration_ms: z.int().nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  failure_kind: z.enum(FAILURE_KINDS).nullable(),
  tool_failure: z.boolean(),
  reason: z.string().nullable(),
  output_id: z.string(),
  stdout_lines: z.int(),
  stdout_bytes: z.int(),
  stderr_lines: z.int(),
  stderr_bytes: z.int(),
});

export function jobFacts(job: JobView): JsonObject {
  return {
    job_id: job.job_id,
    status: job.status,
    execution_state: job.execution_state,
    terminal: isTerminal(job),
    outcome: job.outcome,
    project: job.project,
    session_id: job.session_id,
    execution_source: job.source,
    purpose: job.purpose,
    command_preview: job.command_preview,
    cwd: job.cwd,
    shell: job.shell,
    arg_count: job.arg_count,
    stdin_provided: job.stdin_provided,
    effective_timeout_secs: job.timeout_ms / 1_000,
    created_at_ms: job.created_at_ms,
    started_at_ms: job.started_at_ms,
    finished_at_ms: job.finished_at_ms,
    duration_ms: job.duration_ms,
    exit_code: job.exit_code,
    signal: job.signal,
    failure_kind: job.failure_kind,
    tool_failure: job.tool_failure,
    reason: job.reason,
    output_id: job.output_id,
    stdout_lines: job.stdout.lines,
    stdout_bytes: job.stdout.bytes,
    stderr_lines: job.stderr.lines,
    stderr_bytes: job.stderr.bytes,
    ...(job.stdout.dropped_bytes > 0 ? { stdout_dropped_bytes: job.stdout.dropped_bytes } : {}),
    ...(job.stderr.dropped_bytes > 0 ? { stderr_dropped_bytes: job.stderr.dropped_bytes } : {}),
    ...(job.published_after_disconnect ? { published_after_disconnect: true } : {}),
    ...(job.descendants_ended > 0 ? { descendants_ended: job.descendants_ended } : {}),
    ...(job.output_incomplete ? { output_incomplete: true } : {}),
    ...(job.survivor_pids.length > 0 ? { survivor_pids: job.survivor_pids } : {}),
    ...(typeof job.annotations['assertion_name'] === 'string' ? { assertion_name: job.annotations['assertion_name'] } : {}),
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
