import type { EventId, PairId } from '../../protocol/ids.js';
import { isShellLike, isWriteLike } from '../../protocol/tool-definition.js';
import type { EvidenceFacts } from '../kernel/evidence-facts.js';
import type { EvidenceEnd, EvidenceStart } from '../kernel/ports.js';
import { redactAndBound } from '../redaction/index.js';
import { eventPaths } from './event-paths.js';
import type { SessionEvent } from './event-row.js';
import { inputSummary, summarizeScalars, summarizeText } from './input-summary.js';
import { CHANGED_PATHS_PER_EVENT, OBSERVED_PATHS_PER_EVENT, SUMMARY_CHARACTERS } from './limits.js';
import type { SessionHead } from './session-head.js';
import { validationOutputSummary } from './validation-output.js';

/** The first event of a pair: what is known before anything ran. */
export function startedEvent(
  session: Pick<SessionHead, 'sessionId' | 'project'>,
  start: EvidenceStart,
  ids: { readonly eventId: EventId; readonly pairId: PairId },
  now: number,
): SessionEvent {
  const { facts } = start;
  return {
    event_id: ids.eventId,
    session_id: session.sessionId,
    kind: 'tool_call_started',
    timestamp: now,
    transport: start.transport,
    tool_name: facts.name,
    risk_class: facts.risk,
    read_like: facts.effect === 'observe',
    write_like: isWriteLike(facts),
    shell_like: isShellLike(facts),
    git_like: facts.git_like,
    change_summary_like: facts.change_summary_like,
    changed_paths: [],
    project: start.requestProject === null ? session.project : summarizeText(start.requestProject),
    resolved_project: null,
    started_at: now,
    finished_at: null,
    duration_ms: null,
    status: null,
    exit_code: null,
    failure_kind: null,
    error_kind: null,
    error_message_summary: null,
    job_id: null,
    input_summary: inputSummary(start.inputs, facts.recorded_inputs),
    call_id: ids.pairId,
    logical_invocation_id: start.invocationId,
    logical_invocation_role: start.role,
  };
}

/** The second event of a pair: the first one, and what structure says of the outcome (spec 01 §4). */
export function finishedEvent(
  started: SessionEvent,
  end: EvidenceEnd,
  finish: {
    readonly eventId: EventId;
    readonly now: number;
    readonly durationMs: number;
    readonly sessionProject: string | null;
  },
): SessionEvent {
  const { result, outcome } = end;
  // The wall clock may have been set back while the call ran.
  const now = Math.max(finish.now, started.started_at ?? finish.now);
  const errorKind = outputText(result.output, 'error_kind');
  return {
    ...started,
    event_id: finish.eventId,
    kind: 'tool_call_finished',
    timestamp: now,
    changed_paths: eventPaths(outcome.changedPaths ?? [], CHANGED_PATHS_PER_EVENT),
    resolved_project: end.resolvedProject,
    finished_at: now,
    duration_ms: Math.max(0, Math.round(finish.durationMs)),
    status: result.success ? 'succeeded' : 'failed',
    exit_code: outcome.exitCode ?? null,
    failure_kind: outcome.failureKind ?? outputText(result.output, 'failure_kind'),
    error_kind: errorKind,
    error_message_summary: errorMessage(started, result),
    job_id: outcome.jobId ?? null,
    ...(errorKind === 'session_project_mismatch' ? mismatch(started, end, finish.sessionProject) : {}),
    ...outcomeFacts(outcome),
    ...permissionFacts(end),
  };
}

/** Whether a finished call changed files of the project; sticky in its Session. */
export function isRepositoryEdit(event: SessionEvent): boolean {
  return event.changed_paths.length > 0 && event.effect_evidence?.state_changed !== false;
}

/** The optional members of an event that its evidence says; an absent fact is an absent member. */
export function outcomeFacts(outcome: EvidenceFacts): Partial<SessionEvent> {
  const { effect, resultExpectation, acceptedExitCodes, validationOutput } = outcome;
  const observed = eventPaths(outcome.observedPaths ?? [], OBSERVED_PATHS_PER_EVENT);
  const expectsFailure = resultExpectation !== undefined && resultExpectation !== 'success';
  const summary = summarizeScalars(outcome.contextResultSummary ?? {});
  const optional: { [Name in keyof SessionEvent]?: SessionEvent[Name] | undefined } = {
    context_result_summary: summary ?? undefined,
    result_expectation: expectsFailure ? resultExpectation : undefined,
    accepted_exit_codes: acceptedExitCodes === undefined ? undefined : [...acceptedExitCodes],
    assertion_name: outcome.assertionName === undefined ? undefined : summarizeText(outcome.assertionName),
    actual_failure_kind: expectsFailure || acceptedExitCodes !== undefined ? outcome.failureKind : undefined,
    failure_expectation_result: outcome.failureExpectationResult,
    observed_paths: observed.length === 0 ? undefined : observed,
    effect_evidence: effect === undefined ? undefined : effectEvidence(effect),
    persistent_shell: outcome.persistentShell === undefined ? undefined : persistentShell(outcome.persistentShell),
    validation_output_summary:
      validationOutput === undefined ? undefined : validationOutputSummary(validationOutput, effect?.executionState),
  };
  return Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
}

function permissionFacts({ permission }: EvidenceEnd): Partial<SessionEvent> {
  return permission === null ? {} : { permission: { ...permission, reason: summarizeText(permission.reason) } };
}

function effectEvidence(effect: NonNullable<EvidenceFacts['effect']>): NonNullable<SessionEvent['effect_evidence']> {
  return {
    ...(effect.stateChanged === undefined ? {} : { state_changed: effect.stateChanged }),
    ...(effect.commandStarted === undefined ? {} : { command_started: effect.commandStarted }),
    ...(effect.commandCompleted === undefined ? {} : { command_completed: effect.commandCompleted }),
    ...(effect.executionState === undefined ? {} : { execution_state: effect.executionState }),
  };
}

function persistentShell(shell: NonNullable<EvidenceFacts['persistentShell']>): NonNullable<SessionEvent['persistent_shell']> {
  return {
    action: shell.action,
    ...(shell.shellId === undefined ? {} : { shell_id: shell.shellId }),
    ...(shell.shellState === undefined ? {} : { shell_state: shell.shellState }),
    ...(shell.executionState === undefined ? {} : { execution_state: shell.executionState }),
    ...(shell.errorCode === undefined ? {} : { error_code: shell.errorCode }),
    ...(shell.commandStarted === undefined ? {} : { command_started: shell.commandStarted }),
    ...(shell.commandCompleted === undefined ? {} : { command_completed: shell.commandCompleted }),
    ...(shell.alreadyClosed === undefined ? {} : { already_closed: shell.alreadyClosed }),
  };
}

/** A sentence about a command may quote it, and commands are never stored: there the kinds must do. */
function errorMessage(started: SessionEvent, result: EvidenceEnd['result']): string | null {
  if (result.success || started.shell_like) return null;
  return redactAndBound(result.error, SUMMARY_CHARACTERS).text;
}

function mismatch(started: SessionEvent, { result }: EvidenceEnd, sessionProject: string | null): Partial<SessionEvent> {
  return {
    session_project: sessionProject,
    request_project: outputText(result.output, 'request_project') ?? started.project,
  };
}

function outputText(output: EvidenceEnd['result']['output'], name: string): string | null {
  const value = output[name];
  return typeof value === 'string' ? summarizeText(value) : null;
}
