import { z } from 'zod';
import { EXECUTION_STATES } from '../../protocol/execution-state.js';
import { SESSION_ID_PATTERN } from '../../protocol/ids.js';
import type { Json } from '../../protocol/tool-result.js';
import { validationEvidenceSchema } from '../kernel/validation-evidence.js';
import { CHANGED_PATHS_PER_EVENT, OBSERVED_PATHS_PER_EVENT, SECONDS_MAX } from './limits.js';

export const EVENT_KINDS = [
  'task_instruction',
  'tool_call_started',
  'tool_call_finished',
  'session_closed',
  'session_execution_context_updated',
  'validation_job_terminal',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

const hex32 = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[0-9a-f]{32}$`));
const seconds = z.int().nonnegative().max(SECONDS_MAX);
const text = z.string();
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const mode = z.enum(['normal', 'read_only']);
const guards = z.strictObject({ deny_write_tools: z.boolean(), deny_shell_tools: z.boolean() });
const json: z.ZodType<Json> = z.json();
const executionState = z.enum(EXECUTION_STATES);

/** Execution defaults as they stand in a row. */
export const executionContextRow = z.strictObject({
  default_cwd: text.optional(),
  default_shell: z.enum(['sh', 'bash']).optional(),
  resource: text.optional(),
});

/** A decision of the permission evaluator, its fields only. */
const permissionRow = z.strictObject({
  required: z.literal(true),
  policy: z.enum(['trusted_agent', 'restricted', 'invalid']),
  request_id: text,
  status: z.enum(['auto_approved', 'approved', 'denied', 'pending']),
  reason: text,
  risk: text,
  tool_name: text,
  project: text.nullable(),
});

const persistentShellRow = z.strictObject({
  action: text,
  shell_id: text.optional(),
  shell_state: text.optional(),
  execution_state: text.optional(),
  error_code: text.optional(),
  command_started: z.boolean().optional(),
  command_completed: z.boolean().optional(),
  already_closed: z.boolean().optional(),
});

const effectEvidenceRow = z.strictObject({
  state_changed: z.boolean().nullable().optional(),
  command_started: z.boolean().optional(),
  command_completed: z.boolean().optional(),
  execution_state: executionState.optional(),
});

const validationOutputRow = z.strictObject({
  purpose: text,
  cwd: text,
  stdout_tail: text,
  stderr_tail: text,
  truncated: z.boolean(),
  execution_state: executionState.optional(),
  /** Of a structured validation only. */
  evidence: validationEvidenceSchema.optional(),
});

const eventMembers = z.strictObject({
  event_id: hex32('evt_'),
  session_id: z.string().regex(SESSION_ID_PATTERN),
  kind: z.enum(EVENT_KINDS),
  timestamp: seconds,
  transport: text,
  tool_name: text,
  risk_class: text,
  read_like: z.boolean(),
  write_like: z.boolean(),
  shell_like: z.boolean(),
  git_like: z.boolean(),
  change_summary_like: z.boolean(),
  changed_paths: z.array(text).max(CHANGED_PATHS_PER_EVENT),

  project: text.nullable(),
  resolved_project: text.nullable(),
  started_at: seconds.nullable(),
  finished_at: seconds.nullable(),
  duration_ms: z.int().nonnegative().nullable(),
  status: z.enum(['succeeded', 'failed']).nullable(),
  exit_code: z.int().nullable(),
  failure_kind: text.nullable(),
  error_kind: text.nullable(),
  error_message_summary: text.nullable(),
  job_id: text.nullable(),
  input_summary: z.record(text, json).nullable(),

  call_id: hex32('wc_call_').optional(),
  logical_invocation_id: hex32('wc_inv_').optional(),
  logical_invocation_role: z.enum(['recorder', 'business']).optional(),
  diff_review_like: z.boolean().optional(),
  context_result_summary: z.record(text, scalar).optional(),
  expected_failure: z.boolean().optional(),
  expected_failure_kind: text.optional(),
  result_expectation: z.enum(['failure', 'observe']).optional(),
  accepted_exit_codes: z.array(z.int()).max(32).optional(),
  assertion_name: text.optional(),
  actual_failure_kind: text.optional(),
  failure_expectation_result: text.optional(),
  warning_kind: text.optional(),
  session_project: text.nullable().optional(),
  request_project: text.nullable().optional(),
  observed_paths: z.array(text).max(OBSERVED_PATHS_PER_EVENT).optional(),
  persistent_shell: persistentShellRow.optional(),
  effect_evidence: effectEvidenceRow.optional(),
  validation_output_summary: validationOutputRow.optional(),
  permission: permissionRow.optional(),
  instruction: text.optional(),
  requested_mode: mode.optional(),
  previous_mode: mode.optional(),
  requested_guards: guards.optional(),
  previous_guards: guards.optional(),
  capability_changed: z.boolean().optional(),
  context_refreshed: z.boolean().optional(),
  execution_context: executionContextRow.optional(),
  previous_execution_context: executionContextRow.optional(),
  execution_context_changed: z.boolean().optional(),
});

/** The names that an event's members may have, in the order that they are written in. */
export const EVENT_MEMBERS: ReadonlySet<keyof SessionEvent> & ReadonlySet<string> = new Set(eventMembers.keyof().options);

const MEMBER_SHAPES: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(eventMembers.shape));
const KINDS: ReadonlySet<unknown> = new Set(EVENT_KINDS);

/** Whether an event may have this member with this value. */
export function isEventMember(name: string, value: unknown): boolean {
  return MEMBER_SHAPES.get(name)?.safeParse(value).success ?? false;
}

export function isEventKind(value: unknown): value is EventKind {
  return KINDS.has(value);
}

/** Members that are objects of a closed shape themselves; those of the others are the caller's own, in its order. */
export const CLOSED_MEMBERS: ReadonlySet<keyof SessionEvent> = new Set([
  'persistent_shell',
  'effect_evidence',
  'validation_output_summary',
  'permission',
  'requested_guards',
  'previous_guards',
  'execution_context',
  'previous_execution_context',
]);

/**
 * One event of a Session's tail, the ledger's version 2 (spec 01 §4): the only shape
 * that evidence is stored in. It is closed: a member that is not named here cannot
 * be stored, so that commands, scripts, output, patterns, file bodies, environment
 * and secrets have no place to go.
 */
export const eventRow = eventMembers.refine(hasWholeCorrelation, {
  error: 'logical_invocation_id and logical_invocation_role come together or not at all',
});

/** Half a correlation proves nothing, and is never written. */
export function hasWholeCorrelation(event: { readonly logical_invocation_id?: unknown; readonly logical_invocation_role?: unknown }): boolean {
  return (event.logical_invocation_id === undefined) === (event.logical_invocation_role === undefined);
}

/** An event as it is stored and shown. */
export type SessionEvent = z.infer<typeof eventRow>;
