import { describe, expect, it } from 'vitest';
import type { LedgerSession } from '../../../src/daemon/sessions/ledger-rows.js';
import { sessionRowOf } from '../../../src/daemon/sessions/ledger-document/document-rows.js';
import { restoreSession } from '../../../src/daemon/sessions/ledger-document/restore-session.js';
import { hex, LIMITS, messageId, OTHER, rawBoard, rawEvent, rawMessage, rawSession } from './document-fixture.js';

function restored(raw: unknown, limits = LIMITS): { readonly row: LedgerSession; readonly notes: readonly string[] } {
  const { row, notes } = restoreSession(raw, limits);
  if (row === null) throw new Error(JSON.stringify(notes));
  return { row, notes: notes.map(({ reason, at }) => `${reason} ${at}`) };
}

function dropped(raw: unknown): string {
  const { row, notes } = restoreSession(raw, LIMITS);
  expect(row).toBeNull();
  return notes.map(({ reason, at }) => `${reason} ${at}`).join();
}

const without = (row: Record<string, unknown>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));

describe('a Session row', () => {
  it('that is whole comes back as it was, without a note', () => {
    const raw = rawSession({ events: [rawEvent(1), rawEvent(2)], events_observed: 2 });
    const { row, notes } = restored(raw);
    expect(notes).toEqual([]);
    expect(sessionRowOf(row)).toEqual(raw);
    expect(JSON.stringify(sessionRowOf(row))).toBe(JSON.stringify(raw));
  });

  it.each(Object.keys(rawSession()))('is dropped without %s', (name) => {
    expect(dropped(without(rawSession(), name))).toBe(`malformed_session_row ${name}`);
  });

  it.each([
    ['an unknown member', { extra: 1 }, 'malformed_session_row '],
    ['the mode inspect', { mode: 'inspect' }, 'malformed_session_row mode'],
    ['a malformed id', { session_id: 'wc_sess_x' }, 'malformed_session_row session_id'],
    ['an owner in upper case', { owner_authority_fingerprint: 'A'.repeat(64) }, 'malformed_session_row owner_authority_fingerprint'],
    ['a project that is none', { project: 'demo' }, 'malformed_session_row project'],
    ['an unknown member in its guards', { guards: { deny_write_tools: true, deny_shell_tools: true, x: 1 } }, 'malformed_session_row guards'],
    ['an unknown member in its context', { execution_context: { x: 1 } }, 'malformed_session_row execution_context'],
    ['half a second', { updated_at: 1.5 }, 'malformed_session_row updated_at'],
    ['a negative revision', { message_observation_revision: -1 }, 'malformed_session_row message_observation_revision'],
    ['a time after the year 9999', { created_at: 253_402_300_800 }, 'malformed_session_row created_at'],
    ['a count that could not go on', { events_observed: 2 ** 53 - 1 }, 'malformed_session_row events_observed'],
    ['a revision that could not go on', { message_observation_revision: 2 ** 53 - 1 }, 'malformed_session_row message_observation_revision'],
    ['an event after the year 9999', { events: [rawEvent(1, { timestamp: 253_402_300_800 })], events_observed: 1 }, 'malformed_event events[0].timestamp'],
    ['an event that is none', { events: [7] }, 'malformed_event events[0]'],
    ['a message that is none', { messages: [null] }, 'malformed_message messages[0]'],
  ])('is dropped with %s', (_what, change, reason) => {
    expect(dropped(rawSession(change))).toBe(reason);
  });

  it.each([null, 7, 'text', [], {}])('that is %j is dropped', (raw) => {
    expect(dropped(raw)).toMatch(/^malformed_session_row/);
  });

  it('has its guards derived anew, and its counts and times made to fit', () => {
    const { row, notes } = restored(
      rawSession({ mode: 'read_only', events: [rawEvent(1)], events_observed: 0, created_at: 200, updated_at: 100 }),
    );
    expect(row.guards).toEqual({ deny_write_tools: true, deny_shell_tools: true });
    expect([row.eventsObserved, row.createdAt, row.updatedAt]).toEqual([1, 200, 200]);
    expect(notes).toEqual(['guards_rederived guards', 'events_observed_too_low events_observed', 'updated_before_created updated_at']);
  });

  it('[01-A18] may have the retired context_revision, on itself and on its events, which is never written again', () => {
    const { row, notes } = restored(
      rawSession({ context_revision: 7, events: [rawEvent(1, { context_revision: 7 })], events_observed: 1 }),
    );
    expect(notes).toEqual([]);
    expect(JSON.stringify(sessionRowOf(row))).not.toContain('context_revision');
  });

  it('keeps its optional members, and writes none that says nothing', () => {
    const said = {
      materialized_validation_job_ids: ['job_1', 'job_2'],
      git_baseline_tree: 'a'.repeat(40),
      repository_edit_observed: true,
    };
    expect(sessionRowOf(restored(rawSession(said)).row)).toEqual(rawSession(said));
    const silent = { message_delivery_replays: {}, materialized_validation_job_ids: [], git_baseline_tree: null, repository_edit_observed: false };
    expect(sessionRowOf(restored(rawSession(silent)).row)).toEqual(rawSession());
  });

  it('loses a malformed baseline and malformed markers, and keeps the newest 64 of these', () => {
    const ids = Array.from({ length: 70 }, (_, index) => `job_${index}`);
    const { row, notes } = restored(rawSession({ git_baseline_tree: 'main', materialized_validation_job_ids: ['a b', ...ids] }));
    expect(row.gitBaselineTree).toBeNull();
    expect(row.materializedValidationJobIds).toEqual(ids.slice(-64));
    expect(notes).toEqual([
      'malformed_job_marker materialized_validation_job_ids',
      'beyond_job_marker_limit materialized_validation_job_ids',
      'malformed_baseline_tree git_baseline_tree',
    ]);
  });
});

describe('the events of a row', () => {
  it('[01-A17] with an id but no role cost the whole row', () => {
    const events = [rawEvent(1), rawEvent(2, { logical_invocation_id: `wc_inv_${'0'.repeat(32)}` })];
    expect(dropped(rawSession({ events, events_observed: 2 }))).toBe('malformed_event events[1]');
  });

  it.each([
    ['a role alone', { logical_invocation_role: 'business' }],
    ['an invalid pair', { logical_invocation_role: 'business', logical_invocation_id: 'wc_inv_x' }],
    ['one unknown member', { command: 'rm -rf /' }],
    ['one unknown member deep inside', { persistent_shell: { action: 'open', command: 'x' } }],
    ['an unknown kind', { kind: 'shell_output' }],
    ['nine changed paths', { changed_paths: Array.from({ length: 9 }, (_, index) => `f${index}`) }],
    ['an exit code that is text', { exit_code: '1' }],
  ])('cost the whole row with %s', (_what, change) => {
    expect(dropped(rawSession({ events: [rawEvent(1, change)], events_observed: 1 }))).toMatch(/^malformed_event events\[0\]/);
  });

  it('are left out alone when they are of another Session or have a bad id', () => {
    const events = [rawEvent(1), rawEvent(2, { session_id: OTHER }), rawEvent(3, { event_id: 'evt_3' }), rawEvent(4, { session_id: '' })];
    const { row, notes } = restored(rawSession({ events, events_observed: 9 }));
    expect(row.events.map(({ event_id: id }) => id)).toEqual([rawEvent(1)['event_id']]);
    expect(row.eventsObserved).toBe(9);
    expect(notes).toEqual(['foreign_session_id events[1]', 'bad_event_id events[2]', 'foreign_session_id events[3]']);
  });

  it('are bounded to the newest', () => {
    const events = [rawEvent(1), rawEvent(2), rawEvent(3)];
    const { row, notes } = restored(rawSession({ events, events_observed: 3 }), { ...LIMITS, eventsPerSession: 2 });
    expect(row.events.map(({ event_id: id }) => id)).toEqual([rawEvent(2)['event_id'], rawEvent(3)['event_id']]);
    expect([row.eventsObserved, notes]).toEqual([3, ['beyond_event_limit events']]);
  });

  it('come without their credentials, and within their bounds', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const event = rawEvent(1, {
      error_message_summary: `denied for ${token} ${'x'.repeat(500)}`,
      input_summary: { password: 'hunter2-hunter2', path: `a/${token}`, note: 'y'.repeat(500) },
      changed_paths: ['/etc/passwd', 'src/a.ts', `keys/${token}`],
      instruction: `use ${token}`,
      permission: { required: true, policy: 'restricted', request_id: 'r', status: 'denied', reason: `it has ${token}`, risk: 'x', tool_name: 't', project: null },
      validation_output_summary: { purpose: 'test', cwd: '.', stdout_tail: `ok\ntoken ${token}\nend`, stderr_tail: '', truncated: false },
    });
    const { row, notes } = restored(rawSession({ title: `for ${token}`, events: [event], events_observed: 1 }));
    const text = JSON.stringify(sessionRowOf(row));
    expect(text).not.toContain(token);
    expect(text).not.toContain('hunter2');
    expect(row.title).toBe('for [redacted]');
    expect(row.events[0]?.changed_paths).toEqual(['src/a.ts', 'keys/[redacted]']);
    expect(row.events[0]?.error_message_summary).toHaveLength(240);
    expect(row.events[0]?.input_summary).toEqual({ password: '[redacted]', path: 'a/[redacted]', note: 'y'.repeat(120) });
    expect(row.events[0]?.validation_output_summary).toEqual({ purpose: 'test', cwd: '.', stdout_tail: 'ok\nend', stderr_tail: '', truncated: true });
    expect(notes).toEqual(['text_bounded_or_redacted title', 'text_bounded_or_redacted events[0]']);
    // What was made safe stays as it is.
    expect(restored(sessionRowOf(row))).toEqual({ row, notes: [] });
  });
});

describe('the execution context of a row', () => {
  it.each([
    [{ default_cwd: 'a//./b\\c', default_shell: 'sh' }, { default_cwd: 'a/b/c', default_shell: 'sh' }, []],
    [{ default_cwd: '../x', default_shell: 'bash' }, { default_shell: 'bash' }, ['default_cwd']],
    [{ default_cwd: '/srv', resource: 'box' }, { default_cwd: '/srv', resource: 'box' }, []],
    // The folder is judged under the resource that survived: there is none.
    [{ default_cwd: '/srv', resource: '..' }, {}, ['resource', 'default_cwd']],
    [{ default_shell: 'zsh' }, {}, ['default_shell']],
    [{ default_cwd: 7 }, {}, ['default_cwd']],
  ])('%j becomes %j', (given, kept, bad) => {
    const { row, notes } = restored(rawSession({ execution_context: given }));
    expect(row.executionContext).toEqual(kept);
    expect(notes).toEqual(bad.map((name) => `bad_execution_context execution_context.${name}`));
  });

  it('is empty without a project', () => {
    const { row, notes } = restored(rawSession({ project: null, execution_context: { default_shell: 'sh' } }));
    expect([row.executionContext, notes]).toEqual([{}, ['execution_context_without_project execution_context']]);
  });
});

describe('the messages of a row', () => {
  it('come back with every optional member', () => {
    const messages = [
      rawMessage(1, { kind: 'todo', status: 'resolved', resolved_at: 5, resolution: 'done', requires_ack: true, first_ack_observed_at: 4, author_session_id: OTHER, resolved_by_message_id: messageId(2), completion_id: hex('key') }),
      rawMessage(2, { kind: 'answer', reply_to: messageId(1), tags: ['a', 'b'] }),
      rawMessage(3, { status: 'resolved', closure_kind: 'superseded', superseded_by_message_id: messageId(4) }),
      rawMessage(4, { supersedes_message_id: messageId(3) }),
    ];
    const raw = rawBoard(messages, {
      completion_assignment_fence_fingerprints: { [messageId(1)]: hex('fence') },
      message_delivery_replays: { [`${hex('a')}:${hex('b')}`]: { payload_fingerprint: hex('c'), message_id: messageId(2) } },
    });
    const { row, notes } = restored(raw);
    expect(notes).toEqual([]);
    expect(sessionRowOf(row)).toEqual(raw);
  });

  it.each([
    ['an unknown member', { body: 'x' }],
    ['an unknown kind', { kind: 'chat' }],
    ['no priority', { priority: undefined }],
    ['a reply to nothing that is a message', { reply_to: 'x' }],
  ])('cost the whole row with %s', (_what, change) => {
    expect(dropped(JSON.parse(JSON.stringify(rawBoard([rawMessage(1, change)]))))).toMatch(/^malformed_message messages\[0\]/);
  });

  it('are all left out when they share an id; the tracking is not complete then, and the floor rises', () => {
    const { row, notes } = restored(
      rawSession({
        messages: [rawMessage(1), rawMessage(2), rawMessage(1)],
        message_observation_revision: 5,
        message_observation_revisions: { [messageId(1)]: 4, [messageId(2)]: 3 },
      }),
    );
    expect(row.messages.map(({ message, revision }) => [message.message_id, revision])).toEqual([[messageId(2), 3]]);
    expect(row.board).toMatchObject({
      observationRevision: 5,
      observationFloor: 4,
      assignmentHistoryTrackingComplete: false,
      completionFenceTrackingComplete: false,
    });
    expect(notes).toEqual(['duplicate_message_id messages[0]', 'duplicate_message_id messages[2]', 'message_lost messages']);
  });

  it('are left out alone when they are of another Session or have a bad id', () => {
    const { row, notes } = restored(rawBoard([rawMessage(1, { session_id: OTHER }), rawMessage(2, { message_id: 'x' }), rawMessage(3)]));
    expect(row.messages.map(({ message }) => message.message_id)).toEqual([messageId(3)]);
    expect(row.board.observationFloor).toBe(2);
    expect(notes).toEqual(['foreign_session_id messages[0]', 'bad_message_id messages[1]', 'message_lost messages']);
  });

  it('have "invalid" for a malformed completion id, which stays so', () => {
    const { row, notes } = restored(rawBoard([rawMessage(1, { completion_id: 'abc' })]));
    expect(row.messages[0]?.message.completion_id).toBe('invalid');
    expect(notes).toEqual(['malformed_completion_id messages[0].completion_id']);
    expect(restored(sessionRowOf(row))).toEqual({ row, notes: [] });
  });

  it.each([
    ['a floor beyond the revision', { message_observation_floor: 9 }],
    ['a revision beyond the board', { message_observation_revisions: { [messageId(1)]: 9, [messageId(2)]: 1 } }],
    ['a message without a revision', { message_observation_revisions: { [messageId(1)]: 1 } }],
    ['a revision without a message', { message_observation_revisions: { [messageId(1)]: 1, [messageId(2)]: 2, [messageId(7)]: 2 } }],
    ['one revision for two messages', { message_observation_revisions: { [messageId(1)]: 1, [messageId(2)]: 1 } }],
    ['an unknown revision that no floor explains', { message_observation_revisions: { [messageId(1)]: 0, [messageId(2)]: 2 } }],
  ])('lose their history, and nothing else, by %s', (_what, change) => {
    const { row, notes } = restored(rawBoard([rawMessage(1), rawMessage(2)], change));
    expect(row.messages.map(({ message, revision }) => [message.message_id, revision])).toEqual([[messageId(1), 0], [messageId(2), 0]]);
    expect([row.board.observationRevision, row.board.observationFloor]).toEqual([2, 2]);
    expect(notes).toEqual(['contradictory_observation message_observation_revisions']);
    expect(restored(sessionRowOf(row))).toEqual({ row, notes: [] });
  });

  it('give up a tracking that contradicts them, and nothing is made up', () => {
    const todo = rawMessage(1, { kind: 'todo', status: 'resolved', completion_id: hex('key') });
    const { row, notes } = restored(
      rawBoard([todo, rawMessage(2)], { assignment_history_floors: { [messageId(1)]: 1, [messageId(2)]: 1 } }),
    );
    expect(row.board.assignmentHistoryFloors).toEqual(new Map([[messageId(1), 1]]));
    expect(row.board.assignmentHistoryTrackingComplete).toBe(false);
    // A completed todo without its fence.
    expect(row.board.completionFences.size).toBe(0);
    expect(row.board.completionFenceTrackingComplete).toBe(false);
    expect(notes).toEqual([
      'contradictory_assignment_history assignment_history_floors',
      'contradictory_completion_fences completion_assignment_fence_fingerprints',
    ]);
    expect(restored(sessionRowOf(row))).toEqual({ row, notes: [] });
  });

  it('are forgotten with their delivery keys, and malformed keys are no keys', () => {
    const replay = { payload_fingerprint: hex('p'), message_id: messageId(1) };
    const { row, notes } = restored(
      rawBoard([rawMessage(1)], {
        message_delivery_replays: {
          [`${hex('a')}:${hex('b')}`]: replay,
          [`${hex('a')}:${hex('c')}`]: { ...replay, message_id: messageId(9) },
          short: replay,
        },
      }),
    );
    expect([...row.board.deliveryReplays.keys()]).toEqual([`${hex('a')}:${hex('b')}`]);
    expect(notes).toEqual(['malformed_delivery_replay message_delivery_replays']);
  });

  it('are bounded to the newest', () => {
    const { row, notes } = restored(rawBoard([rawMessage(1), rawMessage(2), rawMessage(3)]), { ...LIMITS, messagesPerSession: 2 });
    expect(row.messages.map(({ message }) => message.message_id)).toEqual([messageId(2), messageId(3)]);
    expect(row.board.observationFloor).toBe(1);
    expect(notes).toEqual(['beyond_message_limit messages', 'message_lost messages']);
  });
});
