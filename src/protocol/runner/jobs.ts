import { z } from 'zod';
import { MAX_OBSERVED_JOBS } from '../execution-limits.js';
import { EXECUTION_STATES, FAILURE_KINDS, JOB_OUTCOMES, JOB_STATUSES, PURPOSES, SCRIPT_LANGUAGES } from '../execution-state.js';
import type { Json } from '../tool-result.js';
import { runnerMethod } from './method.js';
import { REMOTE_TERMINATIONS } from './ssh.js';

export const outputStreamSchema = z.enum(['stdout', 'stderr']);
export type OutputStream = z.infer<typeof outputStreamSchema>;

/** How much a stream has carried, and how much of that can no longer be read. */
export const streamCountsSchema = z.strictObject({
  bytes: z.int(),
  /** An unterminated last line counts. */
  lines: z.int(),
  /** Left out of the middle, because the spool's bound or the disk was full. */
  dropped_bytes: z.int(),
});
export type StreamCounts = z.infer<typeof streamCountsSchema>;

/** Some lines of a stream, with their absolute numbers. */
export const streamSliceSchema = z.strictObject({
  text: z.string(),
  /** The first and the last line that `text` holds anything of; last < first when it holds nothing. */
  first_line: z.int(),
  last_line: z.int(),
  /** Whether `text` starts inside its first line. */
  starts_mid_line: z.boolean(),
  /** Whether `text` shows bytes that are no UTF-8, each as U+FFFD. */
  lossy: z.boolean(),
});
export type StreamSlice = z.infer<typeof streamSliceSchema>;

/** A stream's end as a result shows it. */
export const streamReportSchema = z.strictObject({
  ...streamCountsSchema.shape,
  ...streamSliceSchema.shape,
  /** Whether the stream carried more than `text` shows. */
  truncated: z.boolean(),
});
export type StreamReport = z.infer<typeof streamReportSchema>;

/** A Job as every observer sees it. It holds no argv, script, standard input or environment. */
export const jobSchema = z.strictObject({
  job_id: z.string(),
  output_id: z.string(),
  status: z.enum(JOB_STATUSES),
  execution_state: z.enum(EXECUTION_STATES),
  /** Null while it is active. */
  outcome: z.enum(JOB_OUTCOMES).nullable(),
  /** Grows with every change of this Job; equal or older views are stale. */
  update_seq: z.int(),
  project: z.string(),
  session_id: z.string().nullable(),
  source: z.string(),
  purpose: z.enum(PURPOSES),
  command_preview: z.string(),
  cwd: z.string(),
  shell: z.enum(['sh', 'bash']).nullable(),
  arg_count: z.int().nullable(),
  /** Of a script only: its language and its size. */
  script_language: z.enum(SCRIPT_LANGUAGES).nullable(),
  script_bytes: z.int().nullable(),
  stdin_provided: z.boolean(),
  timeout_ms: z.int(),
  /** Wall clock, Unix milliseconds. */
  created_at_ms: z.int(),
  started_at_ms: z.int().nullable(),
  finished_at_ms: z.int().nullable(),
  /** Monotonic time since its start, up to its end. */
  duration_ms: z.int().nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  failure_kind: z.enum(FAILURE_KINDS).nullable(),
  tool_failure: z.boolean(),
  /** Why, where status and failure kind do not say it: `runner_instance_replaced`, a sentence about a failed start. */
  reason: z.string().nullable(),
  published_after_disconnect: z.boolean(),
  stdout: streamCountsSchema,
  stderr: streamCountsSchema,
  descendants_ended: z.int(),
  output_incomplete: z.boolean(),
  survivor_pids: z.array(z.int()),
  annotations: z.record(z.string(), z.custom<Json>()),
  /** The resource that it runs on, and `cwd` is a folder of; left out on this machine. */
  resource: z.string().exactOptional(),
  /** Whether its processes there were seen to be gone, where it was to end. */
  remote_termination: z.enum(REMOTE_TERMINATIONS).exactOptional(),
});
export type JobView = z.infer<typeof jobSchema>;

/** The published Jobs, newest first; filters are exact and come before the limit. */
export const listJobsMethod = runnerMethod({
  name: 'jobs/list',
  params: z.strictObject({
    status: z.enum(JOB_STATUSES).nullable(),
    project: z.string().nullable(),
    session_id: z.string().nullable(),
    limit: z.int().min(1).max(2_000),
  }),
  result: z.strictObject({ jobs: z.array(jobSchema), matched: z.int() }),
  note: z.never(),
  effectful: false,
});

/** One published Job. Refusal: `unknown_job`. */
export const getJobMethod = runnerMethod({
  name: 'jobs/get',
  params: z.strictObject({ job_id: z.string() }),
  result: z.strictObject({ job: jobSchema }),
  note: z.never(),
  effectful: false,
});

/** How far an observer has seen a Job. The daemon wraps it in an observation token. */
export const jobCursorSchema = z.strictObject({
  /** The Runner's life that the numbers belong to, shortened; another one makes the cursor a reset. */
  instance: z.string().regex(/^[0-9a-f]{8}$/),
  update_seq: z.int().min(0),
  next_stdout_line: z.int().min(1),
  next_stderr_line: z.int().min(1),
});
export type JobCursor = z.infer<typeof jobCursorSchema>;

export const WAKE_ON = ['change', 'meaningful_change', 'terminal', 'all_terminal'] as const;
export const LOG_DELTA_STATUSES = ['baseline', 'delta', 'unchanged', 'reset'] as const;

const observedJobSchema = z.strictObject({
  job: jobSchema,
  /**
   * `baseline`: no cursor, the end of the log. `delta`: everything since the cursor,
   * without a gap. `unchanged`: nothing since. `reset`: the log cannot be continued
   * from the cursor; its end is shown anew.
   */
  log_delta_status: z.enum(LOG_DELTA_STATUSES),
  stdout: streamSliceSchema,
  stderr: streamSliceSchema,
  /** Complete lines since the cursor that are not shown (only with `reset`). */
  skipped_lines: z.int(),
  cursor: jobCursorSchema,
});
export type ObservedJob = z.infer<typeof observedJobSchema>;

/**
 * Observes Jobs, with one shared wait (spec 03 §6). It never starts, stops or retries
 * anything. A wait ends early when the request is cancelled.
 */
export const observeJobsMethod = runnerMethod({
  name: 'jobs/observe',
  params: z.strictObject({
    items: z
      .array(
        z.strictObject({
          job_id: z.string(),
          after: jobCursorSchema.nullable(),
          /** The daemon's epoch has changed since the token: shown anew, as a reset. */
          reset: z.boolean(),
        }),
      )
      .min(1)
      .max(MAX_OBSERVED_JOBS),
    tail_lines: z.int().min(1).max(500),
    /** Milliseconds; 0 does not wait. */
    wait_ms: z.int().min(0),
    wake_on: z.enum(WAKE_ON),
  }),
  result: z.strictObject({
    wake_reason: z.enum(['immediate', 'item_error', 'terminal', 'updated', 'timeout']),
    waited_ms: z.int(),
    /** In input order. */
    items: z.array(z.union([observedJobSchema, z.strictObject({ job_id: z.string(), error_kind: z.literal('unknown_job') })])),
  }),
  note: z.never(),
  effectful: false,
});

/** What makes a Job count as ready before it ends (decision 28). */
export const readyWhenSchema = z.strictObject({
  /** Standing anywhere in either stream. */
  output_literal: z.string().min(1).max(1_000).nullable(),
  /** A JavaScript regular expression (flag `u`) that one line of either stream matches. */
  output_regex: z.string().min(1).max(1_000).nullable(),
  /** Something listens on this port of the loopback device. */
  tcp_port: z.int().min(1).max(65_535).nullable(),
});
export type ReadyWhen = z.infer<typeof readyWhenSchema>;

/**
 * Waits until any or all of some Jobs are ready. Refusals: `unknown_job` before any
 * wait when one id names no Job, `invalid_pattern` for a bad or too slow expression.
 */
export const awaitJobsMethod = runnerMethod({
  name: 'jobs/await_ready',
  params: z.strictObject({
    /** Without repetitions. */
    job_ids: z.array(z.string()).min(1).max(MAX_OBSERVED_JOBS),
    mode: z.enum(['any', 'all']),
    wait_ms: z.int().min(0),
    ready_when: readyWhenSchema.nullable(),
  }),
  result: z.strictObject({
    wait_state: z.enum(['ready', 'deadline']),
    waited_ms: z.int(),
    ready: z.array(
      z.strictObject({
        job_id: z.string(),
        status: z.enum(JOB_STATUSES),
        outcome: z.enum(JOB_OUTCOMES).nullable(),
        ready_reason: z.enum(['terminal', 'output', 'port']),
      }),
    ),
    pending_job_ids: z.array(z.string()),
  }),
  note: z.never(),
  effectful: false,
});

export const STOP_EFFECTS = ['requested', 'stopped', 'already_finished', 'already_stop_requested'] as const;

/**
 * Asks a Job to stop, and waits a moment for its end: `stopped` when it has ended,
 * `requested` when its tree has not been seen to end within a second. Whose Job it is
 * was checked by the daemon. Refusal: `unknown_job`.
 */
export const stopJobMethod = runnerMethod({
  name: 'jobs/stop',
  params: z.strictObject({ job_id: z.string() }),
  result: z.strictObject({ stop_effect: z.enum(STOP_EFFECTS), job: jobSchema }),
  note: z.never(),
  effectful: true,
});
