import { z } from 'zod';
import {
  EXECUTION_STATE_FACTS,
  EXECUTION_STATES,
  FAILURE_KINDS,
  JOB_STATUSES,
  PURPOSES,
  type FailureKind,
} from '../../protocol/execution-state.js';
import { isErrorKind, type ErrorKind } from '../../protocol/error-kinds.js';
import type { ExecutionReport } from '../../protocol/runner/execution.js';
import type { JobView, StreamReport } from '../../protocol/runner/jobs.js';
import { REMOTE_TERMINATIONS } from '../../protocol/runner/ssh.js';
import { failure, success, type JsonObject, type ToolResult } from '../../protocol/tool-result.js';
import type { FirstObservation } from '../jobs/index.js';
import type { HandOff } from './hand-off.js';
import type { ExecutionPlan } from './plan.js';

/** The fields of spec 03 §4, and those of decisions 26 and 27. */
export const executionOutput = z.looseObject({
  execution_state: z.enum(EXECUTION_STATES),
  command_started: z.boolean(),
  command_completed: z.boolean(),
  /** Null while it is not over. */
  command_ok: z.boolean().nullable(),
  /** -1 for a death by signal. */
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  stdout_tail: z.string(),
  stderr_tail: z.string(),
  stdout_lines: z.int(),
  stderr_lines: z.int(),
  stdout_bytes: z.int(),
  stderr_bytes: z.int(),
  stdout_truncated: z.boolean(),
  stderr_truncated: z.boolean(),
  /** The absolute lines that the tail shows, 1 for the first; null when it shows none. */
  stdout_range: z.object({ first_line: z.int(), last_line: z.int() }).nullable(),
  stderr_range: z.object({ first_line: z.int(), last_line: z.int() }).nullable(),
  /** Names the whole output for read_job_output. */
  output_id: z.string(),
  duration_ms: z.int().nullable(),
  failure_kind: z.enum(FAILURE_KINDS).nullable(),
  tool_failure: z.boolean(),
  execution_source: z.string(),
  purpose: z.enum(PURPOSES),
  cwd: z.string(),
  shell: z.enum(['sh', 'bash']).nullable(),
  terminal: z.boolean(),
  job_id: z.string().nullable(),
  job_status: z.enum(JOB_STATUSES).nullable(),
  effective_timeout_secs: z.int(),
  sync_wait_secs: z.number().nullable(),
  /** The resource that it ran on, and `cwd` is a folder of; absent on this machine. */
  resource: z.string().optional(),
  /** Whether the processes of a remote command were seen to be gone, where it was to end. */
  remote_termination: z.enum(REMOTE_TERMINATIONS).optional(),
});

/** Seconds that an observer who follows a hand-off may wait at once. */
const FOLLOW_WAIT_SECS = 40;

/** The ToolResult of an execution that is over. Its facts are the command's own, whatever was expected. */
export function finishedResult(plan: ExecutionPlan, handOff: HandOff, report: ExecutionReport): ToolResult {
  const { started, completed } = EXECUTION_STATE_FACTS[report.execution_state];
  const output = {
    execution_state: report.execution_state,
    command_started: started,
    command_completed: completed,
    command_ok: report.failure_kind === null,
    exit_code: report.exit_code,
    signal: report.signal,
    ...streamFacts('stdout', report.stdout),
    ...streamFacts('stderr', report.stderr),
    output_id: report.output_id,
    duration_ms: report.duration_ms,
    failure_kind: report.failure_kind,
    tool_failure: report.tool_failure,
    execution_source: plan.source,
    purpose: plan.purpose,
    cwd: report.cwd,
    shell: report.shell,
    terminal: true,
    job_id: null,
    job_status: null,
    effective_timeout_secs: plan.timeoutSecs,
    sync_wait_secs: handOff.syncWaitMs / 1_000,
    ...leftovers(report),
    ...remoteFacts(plan, report),
  };
  if (report.failure_kind === null) return success(output);
  return failure(report.error_code ?? errorKindOf(report.failure_kind), sentence(plan, report), {
    ...output,
    state_changed: null,
    failure_kind: report.failure_kind,
    // Nobody knows what a command did before it was ended: look first.
    ...(report.execution_state === 'timed_out' ? { recovery_kind: 'reobserve' as const } : {}),
  });
}

/** The ToolResult of work that goes on as a Job: the same process, observed and never started again (spec 03 §5). */
export function jobResult(plan: ExecutionPlan, handOff: HandOff | null, job: JobView, seen: FirstObservation | null): ToolResult {
  const { started, completed, terminal } = EXECUTION_STATE_FACTS[job.execution_state];
  const item: JsonObject = { job_id: job.job_id, ...(seen === null ? {} : { after_observation_token: seen.token }) };
  return success({
    execution_state: job.execution_state,
    command_started: started,
    command_completed: completed,
    command_ok: terminal ? job.failure_kind === null : null,
    exit_code: job.exit_code,
    signal: job.signal,
    ...streamFacts('stdout', seen === null ? { ...job.stdout, ...NOTHING_SHOWN } : { ...seen.job.stdout, ...seen.stdout }),
    ...streamFacts('stderr', seen === null ? { ...job.stderr, ...NOTHING_SHOWN } : { ...seen.job.stderr, ...seen.stderr }),
    output_id: job.output_id,
    duration_ms: job.duration_ms,
    failure_kind: job.failure_kind,
    tool_failure: job.tool_failure,
    execution_source: plan.source,
    purpose: plan.purpose,
    cwd: job.cwd,
    shell: job.shell,
    terminal,
    job_id: job.job_id,
    job_status: job.status,
    promoted_to_job: plan.mode === 'foreground',
    ...(job.published_after_disconnect ? { published_after_disconnect: true } : {}),
    ...remoteFacts(plan, job),
    ...(seen === null ? {} : { observation_token: seen.token }),
    continuation: { tool: 'observe_jobs', arguments: { items: [item], wake_on: 'terminal', wait_secs: FOLLOW_WAIT_SECS } },
    effective_timeout_secs: plan.timeoutSecs,
    sync_wait_secs: handOff === null ? null : handOff.syncWaitMs / 1_000,
  });
}

const NOTHING_SHOWN = { text: '', first_line: 1, last_line: 0, starts_mid_line: false, lossy: false };

type ShownStream = Omit<StreamReport, 'truncated'> & { readonly truncated?: boolean };

/** What a result says of one stream. */
export function streamFacts(name: 'stdout' | 'stderr', stream: ShownStream): JsonObject {
  const shows = stream.last_line >= stream.first_line;
  const whole = shows ? stream.first_line === 1 && !stream.starts_mid_line && stream.last_line >= stream.lines : stream.bytes === 0;
  return {
    [`${name}_tail`]: stream.text,
    [`${name}_lines`]: stream.lines,
    [`${name}_bytes`]: stream.bytes,
    [`${name}_truncated`]: stream.truncated ?? !whole,
    [`${name}_range`]: shows ? { first_line: stream.first_line, last_line: stream.last_line } : null,
    ...(stream.dropped_bytes === 0 ? {} : { [`${name}_dropped_bytes`]: stream.dropped_bytes }),
    ...(stream.lossy ? { [`${name}_lossy`]: true } : {}),
  };
}

/** Where a command ran that did not run here, and whether what was to end there was seen to. */
function remoteFacts({ resource }: ExecutionPlan, { remote_termination: termination }: Pick<ExecutionReport, 'remote_termination'>): JsonObject {
  return { ...(resource === null ? {} : { resource }), ...(termination === undefined ? {} : { remote_termination: termination }) };
}

/** What the end of a command took with it, and what it left (decision 26). */
function leftovers(report: ExecutionReport): JsonObject {
  const { descendants_ended: ended } = report;
  return {
    ...(ended === 0
      ? {}
      : {
          descendants_ended: ended,
          descendants_note: `${ended} background ${ended === 1 ? 'process was' : 'processes were'} ended with the command; what shall go on is started with run_job`,
        }),
    ...(report.output_incomplete ? { output_incomplete: true } : {}),
    ...(report.survivor_pids.length === 0 ? {} : { survivor_pids: report.survivor_pids }),
  };
}

/** The error kind of an execution that failed; every failure kind that is none of ours is a fault of the tool. */
export function errorKindOf(kind: FailureKind): ErrorKind {
  return isErrorKind(kind) ? kind : 'internal_error';
}

function sentence(plan: ExecutionPlan, report: ExecutionReport): string {
  switch (report.failure_kind) {
    case 'command_exit_nonzero':
      return report.signal === null
        ? `The command ended with exit code ${report.exit_code ?? 'unknown'}.`
        : `The command was ended by ${report.signal}.`;
    case 'timeout':
      return `The command was ended after ${plan.timeoutSecs} s, its time-out; it may have done part of its work.`;
    case 'cancelled':
      return 'The command was cancelled and its processes were ended; it may have done part of its work.';
    case 'outcome_unknown':
      return plan.resource === null
        ? 'The command was started, and its end was not observed; look at the state before you try again.'
        : `The command was started on "${plan.resource}", and the connection broke before its end was known; look at the state there before you try again.`;
    default:
      return `The command failed (${report.failure_kind ?? 'unknown'}).`;
  }
}
