import { describe, expect, it } from 'vitest';
import { aggregateJobs } from '../../../src/daemon/continuity/evidence/job-aggregate.js';
import { taskHistory } from '../../../src/daemon/continuity/evidence/task-history.js';
import { continuationFeedback } from '../../../src/daemon/continuity/feedback/continuation-feedback.js';
import type { SessionEvent, SessionMessage } from '../../../src/daemon/sessions/index.js';
import { event, evidence, instruction, SESSION, snapshotOf, validation } from './session-events.js';

const view = { explorationLimit: 100, atStartup: false, validation: true };
const NO_JOBS = aggregateJobs([]);
const feedback = (events: readonly SessionEvent[], evicted = 0, messages: readonly SessionMessage[] = [], jobs = NO_JOBS) =>
  continuationFeedback({ history: taskHistory(snapshotOf(events, {}, evicted)), jobs, board: { messages } }, view);
const message = (number: number, kind: SessionMessage['kind'], status: SessionMessage['status'] = 'open'): SessionMessage => ({
  ...{ message_id: `wc_msg_${number.toString().padStart(16, '0')}`, session_id: SESSION, created_at: 100 + number, kind, status, priority: 'normal' },
  ...{ message: 'secret plan', tags: [], reply_to: null, resolved_at: null, resolution: null },
});

describe('continuation_feedback', () => {
  it('of a Session without any event is a full, empty attempt', () => {
    expect(feedback([])).toMatchObject({
      status: 'not_applicable',
      reason_code: 'empty_session',
      deterministic: true,
      llm_summary: false,
      attempt: {
        boundary: { source: 'no_events' },
        event_range: { start_event_id: null, end_event_id: null, start_sequence: 0, end_sequence: 0, event_count: 0, complete: true },
        instruction: { status: 'not_observed' },
        activity: { meaningful_tool_calls: 0 },
        changes: { paths: [], total: 0, truncated: false },
        validation: { latest_status: 'not_run' },
        guidance: { status: 'available', open_guidance: 0, latest_kind: null },
        outcome: { status: 'in_progress', reasons: [] },
      },
      validation_delta: { comparison: { status: 'unavailable', reason_code: 'no_previous_validation' } },
    });
  });

  it('without an instruction begins with the Session, and not where events are gone', () => {
    expect(feedback([event(0)])).toMatchObject({ status: 'available', attempt: { boundary: { source: 'session_start' } } });
    expect(feedback([event(7)], 7)).toMatchObject({
      status: 'unknown',
      reason_code: 'attempt_boundary_evicted',
      attempt: { boundary: { source: 'unavailable' }, event_range: { start_sequence: 7, end_sequence: 8, complete: false } },
    });
  });

  it('[06-A3] after an instruction and 2,000 events the begin is gone, and nothing passes for it', () => {
    const tail = Array.from({ length: 2_000 }, (_, index) => event(index + 1, { tool_name: 'read_files', read_like: true, observed_paths: [`${index % 9}.ts`] }));
    expect(feedback(tail, 1)).toMatchObject({
      status: 'unknown',
      attempt: {
        boundary: { source: 'unavailable', reason_code: 'attempt_boundary_evicted' },
        event_range: { start_sequence: 1, end_sequence: 2_001, event_count: 2_000, complete: false },
        exploration: { total: 9, complete: false },
      },
    });
  });

  it('counts calls once that are told twice, before it slices', () => {
    const ids = { logical_invocation_id: `wc_inv_${'1'.repeat(32)}`, shell_like: true };
    const recorder = event(1, { ...ids, call_id: `wc_call_${'1'.repeat(32)}`, logical_invocation_role: 'recorder' });
    const business = event(3, { ...ids, call_id: `wc_call_${'2'.repeat(32)}`, logical_invocation_role: 'business' });
    // The instruction stands between the two: sliced first, the recorder's half would be left alone.
    const told = feedback([recorder, instruction(2, 'go on'), business]) as { attempt: { activity: object } };
    expect(told.attempt.activity).toMatchObject({ meaningful_tool_calls: 1, successful_tool_calls: 1 });
  });

  it('counts what waits on the board, without its words', () => {
    const told = feedback([instruction(0, 'x')], 0, [message(1, 'guidance'), message(2, 'todo'), message(3, 'todo', 'resolved'), message(4, 'note'), message(5, 'risk', 'resolved')]);
    expect(told).toMatchObject({
      attempt: {
        guidance: { open_guidance: 1, open_risks: 0, open_questions: 0, open_todos: 1, latest_kind: 'todo', latest_at: 102, latest_message_id: 'wc_msg_0000000000000002' },
        outcome: { reasons: ['open_guidance'] },
      },
      suggested_next_actions: ['Answer 2 open messages on the board of this Session.'],
    });
    expect(JSON.stringify(told)).not.toContain('secret plan');
    const unreadable = continuationFeedback({ history: taskHistory(snapshotOf([])), jobs: NO_JOBS, board: null }, view);
    expect(unreadable).toMatchObject({ attempt: { guidance: { status: 'unavailable', reason_code: 'guidance_unavailable' } } });
  });

  it('names every reason in its order, and tells true totals', () => {
    const failures = Array.from({ length: 25 }, (_, index) => validation(index + 1, evidence(), { context_result_summary: { validation_identity: `target:${index.toString(16).padStart(24, '0')}` } }));
    const events = [
      instruction(0, 'x'),
      ...failures,
      event(26, { shell_like: true, status: 'failed', exit_code: 1 }),
      event(27, { tool_name: 'edit_project_files', write_like: true, changed_paths: ['b', 'a'], effect_evidence: { state_changed: true } }),
    ];
    const jobs = aggregateJobs([
      { job_id: 'job_1', status: 'recovering', purpose: 'test' },
      { job_id: 'job_2', status: 'stop_requested', purpose: 'test' },
    ]);
    const told = feedback(events, 0, [message(1, 'question')], jobs) as { attempt: { validation: { open_failures: object[] } }; suggested_next_actions: string[] };
    expect(told.attempt).toMatchObject({
      outcome: {
        status: 'blocked',
        reasons: ['unresolved_validation_failures', 'failed_tool_calls', 'jobs_recovering', 'jobs_terminal_pending', 'open_guidance', 'validation_not_run'],
      },
      validation: { unresolved_failures: 25, stale_validations: 25 },
      changes: { paths: ['a', 'b'], total: 2 },
      jobs: { recovery_state: 'recovering' },
    });
    expect(told.attempt.validation.open_failures).toHaveLength(20);
    expect(told.suggested_next_actions).toHaveLength(8);
  });
});
