import { z } from 'zod';
import { MAX_COMMAND_BYTES, MAX_CWD_BYTES, MAX_TIMEOUT_SECS } from '../execution-limits.js';
import { FAILURE_KINDS } from '../execution-state.js';
import { startExecutionMethod } from './execution.js';
import { streamReportSchema } from './jobs.js';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';
import { remotePlaceSchema } from './ssh.js';

/** What a shell is; every state behind `running` is final (spec 03 §10). */
export const SHELL_STATES = ['opening', 'running', 'exited', 'closed', 'poisoned', 'lost'] as const;
export type ShellState = (typeof SHELL_STATES)[number];

/** Why a shell is not open any more. */
export const SHELL_CLOSE_REASONS = [
  'initialization_failed',
  'initialization_sync_lost',
  'shell_process_exited',
  'shell_exited_after_timeout',
  'shell_exited_after_cancel',
  'command_timeout_sync_lost',
  'command_cancel_sync_lost',
  'control_channel_lost',
  'output_channel_lost',
  'cwd_outside_project',
  'cwd_lost',
  'project_root_changed',
  'policy_changed',
  'profile_changed',
  'resource_changed',
  'closed_by_caller',
  'idle_timeout',
  'session_closed',
  'project_unregistered',
  'runner_shutdown',
  'runner_instance_replaced',
] as const;
export type ShellCloseReason = (typeof SHELL_CLOSE_REASONS)[number];

/** What a command in a shell came to: the states of an execution, and two that only a shell has (spec 00, decision 63). */
export const SHELL_COMMAND_STATES = ['running', 'completed', 'timed_out', 'cancelled', 'interrupted', 'lost'] as const;
export type ShellCommandState = (typeof SHELL_COMMAND_STATES)[number];

/** What there is to say of a command beyond its exit code; each is an error kind of the tools. */
export const SHELL_ERROR_CODES = ['command_timeout', 'cancelled', 'shell_exited', 'shell_reset_required'] as const;

export const SHELL_ID_PATTERN = /^wc_shell_[0-9a-f]{32}$/;
const shellId = z.string().max(80);

/** A persistent shell as its Session sees it. */
export const shellSchema = z.strictObject({
  shell_id: z.string().regex(SHELL_ID_PATTERN),
  state: z.enum(SHELL_STATES),
  /** Null while it is open. */
  close_reason: z.enum(SHELL_CLOSE_REASONS).nullable(),
  /** Whether a command runs in it. */
  busy: z.boolean(),
  project: z.string(),
  session_id: z.string(),
  shell: z.enum(['sh', 'bash']),
  /** Its working folder after the last command, relative to the root and without links. */
  cwd: z.string(),
  initial_cwd: z.string(),
  /** Wall clock, Unix milliseconds. */
  opened_at_ms: z.int(),
  ended_at_ms: z.int().nullable(),
  /** Commands that were written to it. */
  commands: z.int(),
  /** The resource that it is on, where its folders are absolute; left out on this machine. */
  resource: z.string().exactOptional(),
});
export type ShellView = z.infer<typeof shellSchema>;

/** A command that is over, or that its answer was too early for. */
export const shellCommandSchema = z.strictObject({
  execution_state: z.enum(SHELL_COMMAND_STATES),
  error_code: z.enum(SHELL_ERROR_CODES).nullable(),
  /** Null exactly when it ended with exit code 0, or runs. */
  failure_kind: z.enum(FAILURE_KINDS).nullable(),
  /** The command's status; the shell's own, -1 for a death by signal, when the shell ended. */
  exit_code: z.int().nullable(),
  /** What ended the shell, where a signal did. */
  signal: z.string().nullable(),
  /** Wall clock, Unix milliseconds. */
  started_at_ms: z.int(),
  finished_at_ms: z.int().nullable(),
  /** Monotonic. */
  duration_ms: z.int(),
  stdout: streamReportSchema,
  stderr: streamReportSchema,
  /** Background processes that were ended together with the shell. */
  descendants_ended: z.int(),
});
export type ShellCommandReport = z.infer<typeof shellCommandSchema>;

/** What every request about one shell must match; any difference is `persistent_shell_not_found`. */
const binding = { shell_id: shellId, project: z.string(), session_id: z.string() };

/** UTF-8 text of at most `maximum` bytes without NUL. */
const boundedText = (maximum: number): z.ZodString =>
  z.string().refine((text) => Buffer.byteLength(text) <= maximum && !text.includes('\0'));

/**
 * Starts the one shell of a Session, and waits until it answers. Refusals:
 * `persistent_shell_already_open`, `persistent_shell_limit_reached`,
 * `persistent_shell_initialization_failed`, `shell_reset_required`, `interpreter_unavailable`,
 * `spawn_failed`, and those of a working folder.
 */
export const openShellMethod = runnerMethod({
  name: 'shells/open',
  params: z.strictObject({
    root: projectRootSchema,
    project: z.string(),
    session_id: z.string(),
    /** Relative to the root; null is the root itself. */
    cwd: boundedText(MAX_CWD_BYTES).nullable(),
    /** Opens it on a resource, and nowhere else; `cwd` and `environment` are this machine's and do not count then. */
    remote: remotePlaceSchema.exactOptional(),
    /** Null takes bash where there is one, else sh. */
    shell: z.enum(['sh', 'bash']).nullable(),
    /** The caller's own environment, for this shell (CLI runs); null adds nothing. */
    environment: z.record(z.string(), z.string()).nullable(),
  }),
  result: z.strictObject({ shell: shellSchema }),
  note: z.never(),
  effectful: true,
});

/**
 * Runs one command in an open shell. Cancelling the request interrupts the command as its
 * time-out would; a connection that vanishes leaves it running. A refusal means that
 * nothing was written to the shell: `persistent_shell_not_found`, `persistent_shell_stale`,
 * `shell_busy`, `shell_reset_required`.
 */
export const executeInShellMethod = runnerMethod({
  name: 'shells/execute',
  params: z.strictObject({
    ...binding,
    root: projectRootSchema,
    command: boundedText(MAX_COMMAND_BYTES).refine((text) => text.trim() !== ''),
    timeout_ms: z
      .int()
      .min(1)
      .max(MAX_TIMEOUT_SECS * 1_000),
    /** When a command that still runs is answered as such, in milliseconds from its start; null is never. */
    answer_after_ms: z.int().min(0).nullable(),
    /** Whether output is to be sent as notes while the request waits. */
    stream_output: z.boolean(),
  }),
  result: z.strictObject({ shell: shellSchema, command: shellCommandSchema }),
  note: startExecutionMethod.note,
  effectful: true,
});

/**
 * Looks at a shell and at its last command, after `wait_ms` at most for the end of one
 * that runs. Refusals: `persistent_shell_not_found`, `shell_reset_required`.
 */
export const shellStatusMethod = runnerMethod({
  name: 'shells/status',
  params: z.strictObject({ ...binding, root: projectRootSchema, wait_ms: z.int().min(0) }),
  result: z.strictObject({ shell: shellSchema, last_command: shellCommandSchema.nullable() }),
  note: z.never(),
  effectful: false,
});

/** Ends a shell and every process in it. Refusal: `persistent_shell_not_found`. */
export const closeShellMethod = runnerMethod({
  name: 'shells/close',
  params: z.strictObject(binding),
  result: z.strictObject({ shell: shellSchema, already_closed: z.boolean() }),
  note: z.never(),
  effectful: true,
});

/** Ends every shell of a Session or a project that is over; how many were open. */
export const releaseShellsMethod = runnerMethod({
  name: 'shells/release',
  params: z.union([
    z.strictObject({ session_id: z.string(), reason: z.literal('session_closed') }),
    z.strictObject({ project: z.string(), reason: z.literal('project_unregistered') }),
  ]),
  result: z.strictObject({ closed: z.int() }),
  note: z.never(),
  effectful: true,
});
