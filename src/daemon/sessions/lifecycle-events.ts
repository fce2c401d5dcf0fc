import type { EventId } from '../../protocol/ids.js';
import type { SessionExecutionContext } from '../kernel/ports.js';
import type { EventKind, SessionEvent } from './event-row.js';
import type { Capability } from './mode-guards.js';
import type { SessionHead } from './session-head.js';

/** What every event of a Session's own life has. */
interface Occasion {
  readonly eventId: EventId;
  readonly session: Pick<SessionHead, 'sessionId' | 'project'>;
  /** Unix seconds. */
  readonly now: number;
  /** The adapter that the call came in on, or `system`. */
  readonly transport: string;
}

/** The instruction that an attempt begins with; redacted and bounded already. */
export function taskInstructionEvent(
  occasion: Occasion,
  instruction: string,
  change: {
    readonly requested: Capability;
    readonly previous?: Capability;
    readonly capabilityChanged: boolean;
    readonly contextRefreshed?: boolean;
  },
): SessionEvent {
  const { requested, previous, capabilityChanged, contextRefreshed } = change;
  return {
    ...lifeEvent(occasion, 'task_instruction', 'work_on_project'),
    instruction,
    requested_mode: requested.mode,
    requested_guards: requested.guards,
    ...(previous === undefined ? {} : { previous_mode: previous.mode, previous_guards: previous.guards }),
    capability_changed: capabilityChanged,
    ...(contextRefreshed === undefined ? {} : { context_refreshed: contextRefreshed }),
  };
}

/** The one event of a close, the last that the Session writes of itself. */
export function sessionClosedEvent(occasion: Omit<Occasion, 'transport'>): SessionEvent {
  return lifeEvent({ ...occasion, transport: 'system' }, 'session_closed', 'close_session');
}

/** The execution defaults were replaced, by others or by the same. */
export function contextUpdatedEvent(
  occasion: Occasion,
  context: SessionExecutionContext,
  previous: SessionExecutionContext,
  changed: boolean,
): SessionEvent {
  return {
    ...lifeEvent(occasion, 'session_execution_context_updated', 'update_session_context'),
    execution_context: { ...context },
    previous_execution_context: { ...previous },
    execution_context_changed: changed,
  };
}

/** An event that says nothing but what it is, when and of which Session. */
export function lifeEvent({ eventId, session, now, transport }: Occasion, kind: EventKind, toolName: string): SessionEvent {
  return {
    event_id: eventId,
    session_id: session.sessionId,
    kind,
    timestamp: now,
    transport,
    tool_name: toolName,
    risk_class: 'workflow_manage',
    read_like: false,
    write_like: false,
    shell_like: false,
    git_like: false,
    change_summary_like: false,
    changed_paths: [],
    project: session.project,
    resolved_project: session.project,
    started_at: null,
    finished_at: null,
    duration_ms: null,
    status: null,
    exit_code: null,
    failure_kind: null,
    error_kind: null,
    error_message_summary: null,
    job_id: null,
    input_summary: null,
  };
}
