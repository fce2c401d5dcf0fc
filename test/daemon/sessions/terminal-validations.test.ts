import { expect, test } from 'vitest';
import type { JobId, ProjectId, SessionId } from '../../../src/protocol/ids.js';
import type { TerminalValidation } from '../../../src/daemon/sessions/index.js';
import { planMarkers } from '../../../src/daemon/sessions/validation-markers.js';
import { DEMO, sessionsFixture, type SessionsFixture } from './sessions-fixture.js';

function job(number: number): JobId {
  return `wc_job_${number}` as JobId;
}

function ended(number: number, changes: Partial<TerminalValidation> = {}): TerminalValidation {
  return {
    jobId: job(number),
    finishedAt: 1_800_000_500 + number,
    run: { tool_name: 'run_job', risk_class: 'shell', status: 'failed', shell_like: true, duration_ms: 1_200, started_at: 1_800_000_400 },
    evidence: { exitCode: 101, failureKind: 'command_exit_nonzero', effect: { executionState: 'completed', commandStarted: true }, assertionName: 'unit' },
    ...changes,
  };
}

async function record(fixture: SessionsFixture, session: SessionId, candidates: readonly TerminalValidation[], present = candidates.map(({ jobId }) => jobId)) {
  return fixture.domain.recordTerminalValidations(session, DEMO, { candidates, present: new Set(present) });
}

test('each terminal Job gets one event and one marker, in one commit', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  expect(await record(fixture, session, [ended(1), ended(2)])).toEqual({ appended: [job(1), job(2)], marked: [], withoutRoom: [], withoutTime: [] });
  expect(await record(fixture, session, [ended(1), ended(2), ended(3)])).toEqual({ appended: [job(3)], marked: [job(1), job(2)], withoutRoom: [], withoutTime: [] });
  const { events, eventsObserved, session: view } = fixture.domain.snapshot(session) ?? expect.fail('not retained');
  expect(eventsObserved).toBe(4);
  expect(events.slice(1).map(({ kind, job_id: jobId }) => [kind, jobId])).toEqual([
    ['validation_job_terminal', job(1)],
    ['validation_job_terminal', job(2)],
    ['validation_job_terminal', job(3)],
  ]);
  expect(events[1]).toMatchObject({
    timestamp: 1_800_000_501, finished_at: 1_800_000_501, started_at: 1_800_000_400, duration_ms: 1_200, transport: 'system',
    tool_name: 'run_job', status: 'failed', exit_code: 101, failure_kind: 'command_exit_nonzero', shell_like: true,
    assertion_name: 'unit', effect_evidence: { execution_state: 'completed', command_started: true },
  });
  expect(view.updatedAt).toBe(1_800_000_503);
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true });
});

test('what a Job says of an earlier time does not turn its Session back', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.time += 1_000;
  await fixture.pair(session);
  await record(fixture, session, [ended(1)]);
  expect(fixture.domain.snapshot(session)?.session.updatedAt).toBe(fixture.time);
});

test('markers outlive eviction, close and restart, and a Closed Session takes events without reopening', async () => {
  const fixture = sessionsFixture({ eventsPerSession: 2 });
  const session = await fixture.begin();
  await record(fixture, session, [ended(1)]);
  await fixture.pair(session);
  await fixture.close(session);
  await fixture.restart();
  expect(await record(fixture, session, [ended(1), ended(2)])).toMatchObject({ appended: [job(2)], marked: [job(1)] });
  expect(fixture.domain.snapshot(session)).toMatchObject({ session: { lifecycle: 'closed' }, eventsObserved: 6 });
  expect(fixture.domain.counts()).toMatchObject({ hot: 0 });
});

test('of 64 markers one whose Job is gone makes room; where none is, nothing is appended', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const all = Array.from({ length: 64 }, (_, index) => ended(index));
  await record(fixture, session, all);
  const everything = [...all.map(({ jobId }) => jobId), job(64)];
  expect(await record(fixture, session, [ended(64)], everything)).toMatchObject({ appended: [], withoutRoom: [job(64)] });
  expect(fixture.domain.snapshot(session)?.eventsObserved).toBe(65);
  expect(await record(fixture, session, [ended(64)], everything.filter((id) => id !== job(7)))).toMatchObject({ appended: [job(64)] });
  expect(fixture.database.prepare('SELECT job_id FROM session_validation_jobs WHERE job_id IN (?, ?)').pluck().all(job(7), job(64))).toEqual([job(64)]);
  expect(fixture.database.prepare('SELECT count(*) FROM session_validation_jobs').pluck().get()).toBe(64);
});

test('more than 64 candidates reject all; without an end time nothing is appended', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  expect(await record(fixture, session, Array.from({ length: 65 }, (_, index) => ended(index)))).toEqual({ rejected: 'too_many' });
  expect(await record(fixture, session, [ended(1, { finishedAt: null })])).toMatchObject({ appended: [], withoutTime: [job(1)] });
  expect(fixture.domain.snapshot(session)?.eventsObserved).toBe(1);
});

test('a Session of another project, and one that is not there, take nothing', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const other = 'agent:local:other' as ProjectId;
  expect(await fixture.domain.recordTerminalValidations(session, other, { candidates: [ended(1)], present: new Set() })).toEqual({ rejected: 'unknown_session' });
  expect(await record(fixture, 'wc_sess_AAAAAAAAAAAAAAAA' as SessionId, [ended(1)])).toEqual({ rejected: 'unknown_session' });
});

test('a commit that fails leaves neither event nor marker', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.database.exec("CREATE TRIGGER full BEFORE INSERT ON session_validation_jobs BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  await expect(record(fixture, session, [ended(1)])).rejects.toThrow('disk is full');
  fixture.database.exec('DROP TRIGGER full');
  expect(fixture.domain.snapshot(session)?.eventsObserved).toBe(1);
  expect(await record(fixture, session, [ended(1)])).toMatchObject({ appended: [job(1)] });
});

test('the same Job twice among the candidates is one event', () => {
  expect(planMarkers([], { candidates: [ended(1), ended(1)], present: new Set([job(1)]) })).toMatchObject({ append: [{ jobId: job(1) }], marked: [job(1)] });
});
