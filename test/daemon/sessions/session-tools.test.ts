import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/protocol/ids.js';
import { alice, DEMO, evidenceEnd, evidenceStart, sessionsFixture } from './sessions-fixture.js';

test('start_session creates with what it was asked for, with or without a project', async () => {
  const fixture = sessionsFixture();
  const { success, output } = await fixture.call('start_session', {
    project: DEMO,
    title: ' look ',
    deny_shell_tools: true,
    execution_context: { default_cwd: './src/', default_shell: 'bash' },
  });
  expect(success).toBe(true);
  expect(output).toEqual({
    session_id: output['session_id'],
    session_ref: '~s1',
    project: DEMO,
    title: 'look',
    mode: 'normal',
    guards: { deny_write_tools: false, deny_shell_tools: true },
    execution_context: { default_cwd: 'src', default_shell: 'bash' },
    lifecycle: 'active',
    created_at: 1_800_000_000,
    updated_at: 1_800_000_000,
  });
  const unscoped = await fixture.call('start_session', { mode: 'read_only' });
  expect(unscoped.output).toMatchObject({ project: null, title: null, guards: { deny_write_tools: true, deny_shell_tools: true } });
  expect((await fixture.call('start_session', { execution_context: { default_cwd: 'x' } })).output['error_kind']).toBe(
    'session_execution_context_requires_project',
  );
  expect((await fixture.call('start_session', { title: 'x'.repeat(4_001) })).output['error_kind']).toBe('invalid_arguments');
  expect((await fixture.call('start_session', { surprise: 1 })).output['error_kind']).toBe('invalid_arguments');
  expect(fixture.domain.counts().retained).toBe(2);
});

test('start_session under a recorder of another project is refused and recorded there', async () => {
  const fixture = sessionsFixture();
  const recorder = await fixture.begin();
  const answer = await fixture.call('start_session', { project: 'agent:local:other' }, { recordingSessionId: recorder });
  expect(answer.output).toMatchObject({ error_kind: 'session_project_mismatch', mismatch: 'recorder' });
  expect(fixture.domain.counts().retained).toBe(1);
  expect(fixture.domain.snapshot(recorder)?.events.at(-1)).toMatchObject({ status: 'failed', error_kind: 'session_project_mismatch' });
});

test('[01-A29] update_session_context replaces as a whole, in one event; a bad value keeps the old one', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const update = (context: object) => fixture.call('update_session_context', { project: DEMO, session_id: session, execution_context: context });
  expect((await update({ default_cwd: 'a//./b\\c', default_shell: 'sh' })).output).toEqual({
    session_id: session,
    project: DEMO,
    execution_context: { default_cwd: 'a/b/c', default_shell: 'sh' },
    changed: true,
    updated_at: 1_800_000_000,
  });
  for (const cwd of ['../x', '/x', 'file:x']) {
    expect((await update({ default_cwd: cwd })).output).toMatchObject({ error_kind: 'invalid_execution_context', state_changed: false });
  }
  expect(fixture.domain.lookUp(session, alice)).toMatchObject({ session: { executionContext: { default_cwd: 'a/b/c', default_shell: 'sh' } } });
  expect((await update({ default_cwd: 'a/b/c', default_shell: 'sh' })).output).toMatchObject({ changed: false });
  expect((await update({})).output).toMatchObject({ changed: true, execution_context: {} });
  await fixture.restart();
  const events = fixture.domain.snapshot(session)?.events.slice(1) ?? [];
  expect(events.map((event) => [event.kind, event.execution_context_changed])).toEqual([
    ['session_execution_context_updated', true],
    ['session_execution_context_updated', false],
    ['session_execution_context_updated', true],
  ]);
  expect(events[2]).toMatchObject({ execution_context: {}, previous_execution_context: { default_cwd: 'a/b/c' } });
});

test('a Closed Session refuses new execution defaults', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  await fixture.close(session);
  const answer = await fixture.call('update_session_context', { project: DEMO, session_id: session, execution_context: {} });
  expect(answer.output['error_kind']).toBe('session_closed');
});

test('close_session answers its facts, and a repeat adds no event', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.time += 5;
  expect(await fixture.close(session)).toEqual({
    success: true,
    output: { session_id: session, lifecycle: 'closed', already_closed: false, persistent_shells_closed: 0, updated_at: 1_800_000_005 },
  });
  fixture.time += 5;
  expect((await fixture.close(session)).output).toMatchObject({ already_closed: true, updated_at: 1_800_000_005 });
  expect(fixture.domain.snapshot(session)?.eventsObserved).toBe(2);
});

test('a summary while its own recorder writes shows what was accepted before it', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const answer = await fixture.call('read_session_summary', { session_id: session }, { recordingSessionId: session });
  const kinds = (answer.output['events'] as { kind: string }[]).map((event) => event.kind);
  expect(kinds).toEqual(['task_instruction', 'tool_call_started']);
});

test('a failed commit is told as such, and memory holds nothing of it', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.database.exec("CREATE TRIGGER full BEFORE INSERT ON session_events BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  expect((await fixture.close(session)).output).toMatchObject({ error_kind: 'storage_unavailable', state_changed: false });
  expect(fixture.domain.lookUp(session, alice)).toMatchObject({ session: { lifecycle: 'active' } });
  expect(fixture.domain.counts()).toMatchObject({ active: 1, closed: 0 });
  fixture.database.exec('DROP TRIGGER full');
  expect((await fixture.close(session)).output).toMatchObject({ already_closed: false });
});

test('a pair whose beginning could not be stored is stored whole at its end', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.database.exec("CREATE TRIGGER full BEFORE INSERT ON session_events BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  const pair = fixture.domain.openPair(session, evidenceStart());
  await new Promise((resolve) => setImmediate(resolve));
  fixture.database.exec('DROP TRIGGER full');
  await fixture.domain.closePair(pair, evidenceEnd());
  expect(fixture.domain.snapshot(session)?.events.map((event) => event.kind)).toEqual([
    'task_instruction',
    'tool_call_started',
    'tool_call_finished',
  ]);
});

test('a page of a foreign project is empty, and an unreadable event is said', async () => {
  const fixture = sessionsFixture();
  const session: SessionId = await fixture.begin();
  expect((await fixture.call('list_sessions', { project: 'agent:local:other' })).output).toMatchObject({ total: 0, sessions: [] });
  fixture.database.prepare("UPDATE session_events SET body = json_set(body, '$.inspect', true)").run();
  await fixture.restart();
  expect((await fixture.call('read_session_summary', { session_id: session })).output['error_kind']).toBe('storage_unavailable');
});
