import { z } from 'zod';
import {
  MAX_ARGUMENTS,
  MAX_ARGUMENT_BYTES,
  MAX_ARGV_BYTES,
  MAX_COMMAND_BYTES,
  MAX_CWD_BYTES,
  MAX_EXECUTABLE_BYTES,
  MAX_JOB_TIMEOUT_SECS,
  MAX_READ_LINES,
  MAX_SCRIPT_BYTES,
  MAX_STDIN_BYTES,
} from '../execution-limits.js';
import { EXECUTION_STATES, FAILURE_KINDS, PURPOSES, SCRIPT_LANGUAGES } from '../execution-state.js';
import type { Json } from '../tool-result.js';
import { jobCursorSchema, jobSchema, outputStreamSchema, streamReportSchema } from './jobs.js';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';
import { REMOTE_ERROR_CODES, REMOTE_TERMINATIONS, remotePlaceSchema } from './ssh.js';

/** No system takes a longer path. */
const MAX_PIPE_PATH_BYTES = 4_096;

const utf8Bytes = (text: string): number => Buffer.byteLength(text);
const withoutNul = (text: string): boolean => !text.includes('\0');

/** Text that may become an argument of a process: bounded in UTF-8 bytes, without NUL. */
const argumentText = (maximum: number): z.ZodString =>
  z.string().refine((text) => utf8Bytes(text) <= maximum && withoutNul(text));

const argumentList = z.array(argumentText(MAX_ARGUMENT_BYTES)).max(MAX_ARGUMENTS);
const argvBytes = (first: string, args: readonly string[]): number => args.reduce((sum, arg) => sum + utf8Bytes(arg) + 1, utf8Bytes(first));

/** What is to be run. The daemon has checked its form; these bounds hold on the wire all the same. */
export const programSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('process'),
      executable: argumentText(MAX_EXECUTABLE_BYTES).min(1),
      args: argumentList,
    })
    .refine(({ executable, args }) => argvBytes(executable, args) <= MAX_ARGV_BYTES),
  z.strictObject({
    kind: z.literal('shell'),
    command: argumentText(MAX_COMMAND_BYTES).refine((text) => text.trim() !== ''),
    /** Null takes bash where there is one, else sh. The report says which. */
    shell: z.enum(['sh', 'bash']).nullable(),
  }),
  z
    .strictObject({
      kind: z.literal('script'),
      language: z.enum(SCRIPT_LANGUAGES),
      /** The text of the program, which the Runner keeps in a file of its own while it runs. */
      script: z
        .string()
        .min(1)
        .refine((text) => utf8Bytes(text) <= MAX_SCRIPT_BYTES),
      args: argumentList,
    })
    .refine(({ args }) => argvBytes('', args) <= MAX_ARGV_BYTES),
]);
export type Program = z.infer<typeof programSchema>;

/**
 * What stands on standard input: text of UTF-8, or a FIFO of the user's own (absolute
 * path) that somebody writes into meanwhile. Without either it is the null device.
 */
export const standardInputSchema = z.union([
  z.string().refine((text) => utf8Bytes(text) <= MAX_STDIN_BYTES),
  z.strictObject({ pipe: argumentText(MAX_PIPE_PATH_BYTES).startsWith('/') }),
]);
export type StandardInput = z.infer<typeof standardInputSchema>;

/** How one started execution ended. */
export const executionReportSchema = z.strictObject({
  execution_id: z.string(),
  execution_state: z.enum(EXECUTION_STATES),
  /** Null exactly when the command ended by itself with exit code 0. */
  failure_kind: z.enum(FAILURE_KINDS).nullable(),
  /** False when it was the command itself that ended badly. */
  tool_failure: z.boolean(),
  /** -1 for a death by signal; null when the end was not observed. */
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  /** Wall clock, Unix milliseconds. */
  started_at_ms: z.int(),
  finished_at_ms: z.int(),
  /** Monotonic. */
  duration_ms: z.int(),
  /** Relative to the root, `.` for the root itself; absolute and without links on a resource. */
  cwd: z.string(),
  shell: z.enum(['sh', 'bash']).nullable(),
  /** Names the whole output for `output/read`. */
  output_id: z.string(),
  stdout: streamReportSchema,
  stderr: streamReportSchema,
  /** Background processes that were still alive when the command ended, and were ended with it. */
  descendants_ended: z.int(),
  /** True when something out of reach still held the output open. */
  output_incomplete: z.boolean(),
  /** Processes that are known to have outlived the end. */
  survivor_pids: z.array(z.int()),
  /** Whether the processes of a remote command were seen to be gone, where it was to end. */
  remote_termination: z.enum(REMOTE_TERMINATIONS).exactOptional(),
  /** Why a remote command's outcome is unknown. */
  error_code: z.enum(REMOTE_ERROR_CODES).exactOptional(),
});
export type ExecutionReport = z.infer<typeof executionReportSchema>;

/**
 * Starts one execution and waits for its end, for its hand-off or for its publication,
 * whichever comes first. There is one process in every case, started once.
 *
 * Cancelling the request ends the process tree; a connection that vanishes publishes
 * the execution as a Job instead (decision 25).
 *
 * What never started is a refusal, whose detail holds `execution_state: 'not_started'`,
 * `command_started: false` and the `failure_kind`.
 */
export const startExecutionMethod = runnerMethod({
  name: 'execution/start',
  params: z.strictObject({
    /** The daemon's own handle of this execution, unique for ever; `execution/publish` names it. */
    execution_id: z.string().min(1).max(80),
    root: projectRootSchema,
    project: z.string(),
    session_id: z.string().nullable(),
    /** The tool that asks: `run_process`, `run_shell`, … */
    source: z.string().regex(/^[a-z_]{1,50}$/),
    purpose: z.enum(PURPOSES),
    program: programSchema,
    /** What `commandPreview` made of the program: the only text of it that a Job keeps. */
    command_preview: z.string().max(400),
    stdin: standardInputSchema.nullable(),
    /** Relative to the root; null is the root itself. */
    cwd: argumentText(MAX_CWD_BYTES).nullable(),
    /** Runs the program on a resource, and nowhere else; `cwd` and `environment` are this machine's and do not count then. */
    remote: remotePlaceSchema.exactOptional(),
    /** The whole budget from the start of the process, in milliseconds; waiting for a slot does not count. */
    timeout_ms: z
      .int()
      .min(1)
      .max(MAX_JOB_TIMEOUT_SECS * 1_000),
    /**
     * `job`: answers at once with a Job, which may have to wait for a slot.
     * `foreground`: starts at once; the answer is the end, or a hand-off.
     */
    mode: z.enum(['foreground', 'job']),
    /** When a foreground execution is handed off, in milliseconds from its start; null is never. */
    hand_off_after_ms: z.int().min(0).nullable(),
    /** The caller's own environment for this one execution (CLI runs); null adds nothing. */
    environment: z.record(z.string(), z.string()).nullable(),
    /** Whether output is to be sent as notes while the request waits. */
    stream_output: z.boolean(),
    /** Bounded facts of the daemon that every view of the Job gives back unread, e.g. declared expectations. */
    annotations: z.record(z.string(), z.custom<Json>()),
  }),
  result: z.discriminatedUnion('outcome', [
    z.strictObject({ outcome: z.literal('finished'), report: executionReportSchema }),
    z.strictObject({
      outcome: z.literal('handed_off'),
      job: jobSchema,
      /** Where an observer begins: this state of the Job, and none of its output. */
      cursor: jobCursorSchema,
    }),
  ]),
  note: z.strictObject({
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
    /** The very bytes, where they are no UTF-8 and `text` is lossy. */
    base64: z.string().exactOptional(),
  }),
  effectful: true,
});

/**
 * Makes a running foreground execution a Job now: its `execution/start` answers
 * `handed_off`. `disconnected` marks the Job `published_after_disconnect`.
 */
export const publishExecutionMethod = runnerMethod({
  name: 'execution/publish',
  params: z.strictObject({
    execution_id: z.string(),
    reason: z.enum(['disconnected', 'answer_due']),
  }),
  /** Null when no such execution is running: it has ended, or it never started. */
  result: z.strictObject({ job: jobSchema.nullable() }),
  note: z.never(),
  effectful: true,
});

/**
 * Reads any part of the whole output of an execution or a Job, live or ended, as long
 * as its record is kept (decision 27). Refusals: `unknown_output_id`, `unknown_job`.
 */
export const readOutputMethod = runnerMethod({
  name: 'output/read',
  params: z.strictObject({
    of: z.union([z.strictObject({ job_id: z.string() }), z.strictObject({ output_id: z.string() })]),
    stream: outputStreamSchema,
    /** 1 is the first line. */
    start_line: z.int().min(1),
    /** Bytes of the first line that were read before: how one reads through an endless line. */
    skip_bytes: z.int().min(0),
    limit: z.int().min(1).max(MAX_READ_LINES),
    /** The reader comes back for the rest: the command waits for it rather than outrun the spool, a minute at most. */
    reads_on: z.literal(true).optional(),
    max_bytes: z
      .int()
      .min(1_024)
      .max(1_024 * 1_024),
  }),
  result: z.strictObject({
    output_id: z.string(),
    job_id: z.string(),
    project: z.string(),
    session_id: z.string().nullable(),
    text: z.string(),
    /** The first and the last line that `text` holds anything of; last < first when it holds nothing. */
    first_line: z.int(),
    last_line: z.int(),
    /** Where the next read goes on; null when `text` reaches the end of what exists by now. */
    next: z.strictObject({ start_line: z.int(), skip_bytes: z.int() }).nullable(),
    /** Where reading goes on once there is more: `next`, also where there is none yet. */
    end: z.strictObject({ start_line: z.int(), skip_bytes: z.int() }),
    /** Whether nothing will be added any more. */
    ended: z.boolean(),
    total_lines: z.int(),
    total_bytes: z.int(),
    /** Lines left out of the middle because the spool was full; reading goes on behind them. */
    dropped: z
      .strictObject({ first_line: z.int(), last_line: z.int(), bytes: z.int() })
      .nullable(),
    /** Whether `text` shows bytes that are no UTF-8, each as U+FFFD. */
    lossy: z.boolean(),
    /** The very bytes, where `text` does not show them as they are; else null. */
    base64: z.string().nullable(),
  }),
  note: z.never(),
  effectful: false,
});

/** What commands of this Runner get as their base environment; names and the PATH, never values (decision 30). */
export const describeEnvironmentMethod = runnerMethod({
  name: 'environment/describe',
  params: z.strictObject({}),
  result: z.strictObject({
    /** `inherit_after_failure`: the login shell did not answer and the Runner's own environment is used. */
    source: z.enum(['login', 'inherit', 'inherit_after_failure']),
    shell: z.string().nullable(),
    failure: z.string().nullable(),
    path: z.string(),
    names: z.array(z.string()),
    noninteractive: z.boolean(),
    /** The settings in force and their generation. */
    generation: z.int(),
    path_prepend: z.array(z.string()),
    shell_env: z.array(z.string()),
    profiles: z.array(
      z.strictObject({
        name: z.string(),
        environment_mode: z.enum(['inherit', 'isolated']),
        env: z.array(z.string()),
        has_init_script: z.boolean(),
        projects: z.array(z.string()),
      }),
    ),
    default_profile: z.string().nullable(),
  }),
  note: z.never(),
  effectful: false,
});
