import type { ValidationEvidence } from '../../../src/daemon/kernel/validation-evidence.js';
import type { SessionEvent, SessionSnapshot } from '../../../src/daemon/sessions/index.js';
import type { AuthorityFingerprint, ProjectId, SessionId } from '../../../src/protocol/ids.js';

export const SESSION = 'wc_sess_0123456789abcdef' as SessionId;
export const PROJECT = 'agent:local:a' as ProjectId;

/** An event of a tail as projections see it; its id is its number. */
export function event(number: number, changes: Partial<SessionEvent> = {}): SessionEvent {
  return {
    event_id: `evt_${number.toString(16).padStart(32, '0')}`,
    session_id: SESSION,
    kind: 'tool_call_finished',
    timestamp: 1_700_000_000 + number,
    transport: 'cli',
    tool_name: 'run_process',
    risk_class: 'job_run',
    read_like: false,
    write_like: false,
    shell_like: false,
    git_like: false,
    change_summary_like: false,
    changed_paths: [],
    project: PROJECT,
    resolved_project: PROJECT,
    started_at: null,
    finished_at: 1_700_000_000 + number,
    duration_ms: 1,
    status: 'succeeded',
    exit_code: null,
    failure_kind: null,
    error_kind: null,
    error_message_summary: null,
    job_id: null,
    input_summary: null,
    ...changes,
  };
}

export function instruction(number: number, text: string): SessionEvent {
  return event(number, { kind: 'task_instruction', tool_name: 'work_on_project', instruction: text, finished_at: null });
}

/** What a structured run of tests left. */
export function evidence(changes: Partial<ValidationEvidence> = {}): ValidationEvidence {
  return {
    kind: 'test',
    status: 'failed',
    parser: 'cargo_test/1',
    scope_identity: null,
    evidence_kind: 'test_failure',
    evidence_reason_code: 'complete_summary',
    counts: null,
    count_assertion: null,
    failures: [],
    failures_total: 0,
    ...changes,
  };
}

/** A validation as an event; it passed or failed as its evidence says. */
export function validation(number: number, said: ValidationEvidence, changes: Partial<SessionEvent> = {}): SessionEvent {
  const passed = said.status === 'passed';
  return event(number, {
    tool_name: 'cargo_test',
    status: passed ? 'succeeded' : 'failed',
    exit_code: passed ? 0 : 101,
    failure_expectation_result: passed ? 'none' : 'unexpected_failure',
    context_result_summary: { validation_identity: 'target:0123456789abcdef01234567' },
    validation_output_summary: { purpose: 'test', cwd: '.', stdout_tail: '', stderr_tail: '', truncated: false, evidence: said },
    ...changes,
  });
}

export function snapshotOf(events: readonly SessionEvent[], changes: Partial<SessionSnapshot['session']> = {}, evicted = 0): SessionSnapshot {
  return {
    session: {
      sessionId: SESSION,
      ownerFingerprint: 'f'.repeat(64) as AuthorityFingerprint,
      project: PROJECT,
      title: 'a task',
      mode: 'normal',
      guards: { deny_write_tools: false, deny_shell_tools: false },
      executionContext: {},
      lifecycle: 'active',
      createdAt: 1_700_000_000,
      updatedAt: 1_700_000_000,
      ...changes,
    },
    events,
    eventsObserved: evicted + events.length,
    firstRetainedSequence: evicted,
    repositoryEditObserved: false,
    gitBaselineTree: null,
  };
}
