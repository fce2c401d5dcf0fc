import type { ErrorKind } from '../../protocol/error-kinds.js';
import { missingScope } from '../../protocol/scopes.js';
import { failure, type Failure, type JsonObject, type ToolResult } from '../../protocol/tool-result.js';
import type { Principal } from './principal.js';
import type { Registry } from './registry.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import type { Envelope } from '../../protocol/envelope.js';

/** The one tool after which a task's own ends may follow. */
const CLOSEOUT = 'finish_coding_task';

/** The canonical tool of each kind of mutation (spec 02 §E4). */
const BEFORE: Readonly<Record<string, string>> = {
  goal_progress: 'checkpoint_goal',
  wake_consume: 'consume_agent_wake',
  attempt_heartbeat: 'heartbeat_agent_task_attempt',
  session_context_update: 'update_session_context',
};
const AFTER_SUCCESS: Readonly<Record<string, string>> = {
  goal_completion: 'update_goal',
  session_close: 'close_session',
  todo_completion: 'complete_session_message',
};
const NEEDS_CLOSEOUT: ReadonlySet<string> = new Set(['goal_completion', 'session_close']);
/** A mutation without a fence of its own: a retry could not be told from a second wish. */
const WITHOUT_FENCE = 'session_context_update';

/** One mutation beside a call: a call of its own, with its own authority and replay fence. */
export interface ControlMutation {
  readonly kind: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ControlPlan {
  readonly before: ControlMutation | null;
  readonly afterSuccess: ControlMutation | null;
}

/** What became of one phase; it holds no token, fence or body. */
export type PhaseReport = {
  readonly kind: string;
  readonly success: boolean;
  readonly execution_state: 'succeeded' | 'failed' | 'definitely_not_started' | 'outcome_unknown';
  readonly state_changed: boolean | null;
  readonly replayed: boolean;
  readonly revision?: number;
  readonly error_kind?: string;
};

/** The main tool as its sidecar sees it. */
export type MainReport = {
  readonly success: boolean;
  readonly execution_state: 'succeeded' | 'failed' | 'definitely_not_started' | 'outcome_unknown' | 'started';
  readonly state_changed: boolean | null;
};

const NOT_STARTED: MainReport = { success: false, execution_state: 'definitely_not_started', state_changed: false };

/** The kind of a phase's only member, by its name or its tool's; null where there is not exactly one. */
export function controlKind(phase: 'before' | 'after_success', value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const [key, ...more] = Object.keys(value);
  if (key === undefined || more.length > 0) return null;
  const kinds = phase === 'before' ? BEFORE : AFTER_SUCCESS;
  return Object.keys(kinds).find((kind) => kind === key || kinds[kind] === key) ?? key;
}

/**
 * Admits what `_wc.control` asks for, both phases before either runs: what cannot be asked
 * for here, or has not its form, or lacks a scope, stops the call before anything happened.
 */
export function planControl(
  control: NonNullable<Envelope['control']>,
  main: Pick<ToolDefinition, 'name'>,
  registry: Registry,
  principal: Principal,
): ControlPlan | { readonly failure: Failure } {
  const before = control.before === undefined ? null : onlyMutation('before', control.before);
  const after = control.after_success === undefined ? null : onlyMutation('after_success', control.after_success);
  for (const mutation of [before, after]) {
    if (mutation === null) continue;
    if ('failure' in mutation) return mutation;
    const refusal = admit(mutation, main, registry, principal);
    if (refusal !== null) return { failure: refusal };
  }
  return { before: before as ControlMutation | null, afterSuccess: after as ControlMutation | null };
}

function onlyMutation(
  phase: 'before' | 'after_success',
  value: Readonly<Record<string, unknown>>,
): ControlMutation | { readonly failure: Failure } {
  const kind = controlKind(phase, value);
  const [args] = Object.values(value);
  if (kind === null) {
    return { failure: notStarted('invalid_control_arguments', `_wc.control.${phase} takes exactly one mutation, by its kind`) };
  }
  const tool = (phase === 'before' ? BEFORE : AFTER_SUCCESS)[kind];
  if (tool === undefined) return { failure: notStarted('control_sidecar_not_admitted', `_wc.control.${phase} knows no such kind`) };
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { failure: notStarted('invalid_control_arguments', `${kind} takes the arguments of ${tool} as an object`, kind) };
  }
  return { kind, tool, arguments: args as Readonly<Record<string, unknown>> };
}

function admit({ kind, tool: name, arguments: args }: ControlMutation, main: Pick<ToolDefinition, 'name'>, registry: Registry, principal: Principal): Failure | null {
  const tool = registry.find(name);
  if (tool === null) {
    return notStarted('control_sidecar_not_admitted', `this daemon has no domain that ${kind} could change`, kind);
  }
  if (kind === WITHOUT_FENCE) {
    return notStarted('session_context_replay_contract_required', 'the execution defaults have no replay fence; call update_session_context by itself', kind);
  }
  if (NEEDS_CLOSEOUT.has(kind) && main.name !== CLOSEOUT) {
    return notStarted('control_requires_finish_coding_task', `${kind} may follow ${CLOSEOUT} alone`, kind);
  }
  // What is wrong is not said: an argument may be a token, and so may a name.
  if (!tool.definition.input.safeParse(args).success) {
    return notStarted('invalid_control_arguments', `the arguments of ${kind} are not those of ${name}`, kind);
  }
  if (missingScope(tool.definition.scopes, principal.scopes) !== null) {
    return notStarted('control_insufficient_scope', `this credential lacks a scope that ${name} needs`, kind);
  }
  return null;
}

function notStarted(errorKind: ErrorKind, message: string, kind?: string): Failure {
  const phase: PhaseReport | null =
    kind === undefined
      ? null
      : { kind, success: false, execution_state: 'definitely_not_started', state_changed: false, replayed: false, error_kind: errorKind };
  return failure(errorKind, message, {
    state_changed: false,
    control: { main: NOT_STARTED, ...(phase === null ? {} : { [kind !== undefined && kind in BEFORE ? 'before' : 'after_success']: phase }) },
  });
}

/** A phase that ran, as its canonical tool answered. */
export function phaseReport(kind: string, result: ToolResult, reachedHandler: boolean): PhaseReport {
  const { output } = result;
  const revision = output['revision'];
  const replayed = output['replayed'] === true || output['already_closed'] === true;
  const shared = { kind, replayed, ...(typeof revision === 'number' ? { revision } : {}) };
  if (result.success) return { ...shared, success: true, execution_state: 'succeeded', state_changed: !replayed };
  const errorKind = phaseErrorKind(output);
  if (isUnknown(output)) return { ...shared, success: false, execution_state: 'outcome_unknown', state_changed: null, error_kind: errorKind };
  const state = reachedHandler ? 'failed' : 'definitely_not_started';
  return { ...shared, success: false, execution_state: state, state_changed: false, error_kind: errorKind };
}

/** A phase that did not run, and why. */
export function skippedPhase(kind: string, errorKind: 'main_failed' | 'main_not_completed' | 'closeout_blocking'): PhaseReport {
  return { kind, success: false, execution_state: 'definitely_not_started', state_changed: false, replayed: false, error_kind: errorKind };
}

/** The main tool's own result, as far as what follows it depends on it. */
export function mainReport(result: ToolResult, dispatched: boolean): MainReport {
  if (!dispatched) return NOT_STARTED;
  const { output } = result;
  const changed = output['state_changed'];
  const stateChanged = typeof changed === 'boolean' ? changed : null;
  if (isUnknown(output)) return { success: result.success, execution_state: 'outcome_unknown', state_changed: null };
  const state = output['execution_state'];
  if (result.success && (state === 'queued' || state === 'running')) return { success: true, execution_state: 'started', state_changed: stateChanged };
  return { success: result.success, execution_state: result.success ? 'succeeded' : 'failed', state_changed: stateChanged };
}

/** Why a mutation may not follow the main tool, or null. */
export function whyNotAfter({ kind }: ControlMutation, main: MainReport, result: ToolResult): 'main_failed' | 'main_not_completed' | 'closeout_blocking' | null {
  if (main.execution_state === 'started' || main.execution_state === 'outcome_unknown') return 'main_not_completed';
  if (main.execution_state !== 'succeeded') return 'main_failed';
  if (!NEEDS_CLOSEOUT.has(kind)) return null;
  const outcome = result.output['task_outcome'] as JsonObject | undefined;
  return outcome?.['blocking'] === false ? null : 'closeout_blocking';
}

function isUnknown(output: JsonObject): boolean {
  return output['execution_state'] === 'outcome_unknown' || output['failure_kind'] === 'outcome_unknown' || output['state_changed'] === null;
}

function phaseErrorKind(output: JsonObject): string {
  const kind = output['error_kind'];
  return typeof kind === 'string' && /^[a-z0-9_]{1,96}$/.test(kind) ? kind : 'control_mutation_failed';
}
