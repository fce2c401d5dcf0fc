import { describe, expect, it } from 'vitest';
import type { AuditAffinity } from '../../../src/daemon/kernel/ports.js';
import { requestedSession } from '../../../src/daemon/audit/affinity.js';
import { auditWorld, callIn, callRecord, failedCall, OWNER } from './audit-fixture.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const secs = (seconds: number) => ({ startedAtMs: seconds * 1000, endedAtMs: seconds * 1000, handedAtMs: seconds * 1000 });
const affinity = (changes: Partial<AuditAffinity>): AuditAffinity => ({ header: null, headerAlias: null, query: null, ...changes });

describe('which session a call goes to', () => {
  it('[05-A1] makes an open session with a UUID for the first call that names none', async () => {
    const world = auditWorld();
    world.audit.record(callRecord());
    const [session, ...others] = await world.sessions();
    expect(others).toEqual([]);
    expect(session).toMatchObject({ status: 'open', total_actions: 1, success_count: 1 });
    expect(session!['session_id']).toMatch(UUID_V4);
  });

  it('[05-A2] reuses an open session up to 1800 s after its last event, and not a second longer', async () => {
    const world = auditWorld();
    for (const at of [10_000, 11_800]) world.audit.record(callRecord(secs(at)));
    expect(await world.sessions()).toMatchObject([{ total_actions: 2, first_event_at: 10_000, last_event_at: 11_800 }]);
    world.audit.record(callRecord(secs(13_601)));
    expect(await world.sessions()).toMatchObject([
      { total_actions: 1, last_event_at: 13_601 },
      { total_actions: 2, last_event_at: 11_800 },
    ]);
  });

  it('[05-A2] opens a new session at 11801 after an event at 10000', async () => {
    const world = auditWorld();
    for (const at of [10_000, 11_801]) world.audit.record(callRecord(secs(at)));
    expect(await world.sessions()).toMatchObject([{ total_actions: 1 }, { total_actions: 1 }]);
  });

  it('[05-A3] joins an open session by its name, however idle it is', async () => {
    const world = auditWorld();
    world.audit.record(callIn('w1', secs(10_000)));
    world.audit.record(callIn('w1', secs(10_000 + 36_000)));
    expect(await world.sessions()).toMatchObject([{ session_id: 'w1', total_actions: 2 }]);
  });

  it('lets a call without a name join a session that another caller named', async () => {
    const world = auditWorld();
    world.audit.record(callIn('w1', secs(10_000)));
    world.audit.record(callRecord(secs(10_001)));
    expect(await world.sessions()).toMatchObject([{ session_id: 'w1', total_actions: 2 }]);
  });

  it('[05-A4] neither reopens nor appends to a closed session, and says what was asked for', async () => {
    const world = auditWorld();
    world.audit.record(callIn('w1'));
    await world.ask('close', { session_id: 'w1' });
    world.audit.record(callIn('w1'));
    const { session } = await world.session('w1');
    expect(session).toMatchObject({ status: 'closed', total_actions: 1 });
    const elsewhere = (await world.sessions()).find(({ session_id }) => session_id !== 'w1')!;
    expect(elsewhere).toMatchObject({ status: 'open', total_actions: 1 });
    const { events } = await world.session(String(elsewhere['session_id']));
    expect(events[0]!.ids).toEqual({ requested_action_session_id: 'w1' });
  });

  it('[05-A5] takes the header, then its alias, then the query', async () => {
    const world = auditWorld();
    const both = { header: 'a', headerAlias: 'b', query: 'c' };
    world.audit.record(callRecord({ affinity: both }));
    world.audit.record(callRecord({ affinity: { ...both, header: '  ' } }));
    world.audit.record(callRecord({ affinity: affinity({ query: ' c ' }) }));
    expect((await world.sessions()).map(({ session_id }) => session_id).sort()).toEqual(['a', 'b', 'c']);
  });

  it.each(['wc_sess_abc', 'wc_peer_0123', '~s4'])('[05-A5] ignores %s with a warning', async (header) => {
    const world = auditWorld();
    world.audit.record(callRecord({ affinity: affinity({ header }) }));
    const [session] = await world.sessions();
    expect(session!['session_id']).toMatch(UUID_V4);
    expect(session).toMatchObject({ warning_count: 1, total_actions: 1 });
    expect((await world.newest())['warning_summary']).toBe('ignored an audit session id of another name space');
  });

  it('never takes a credential or control characters for a session id', () => {
    for (const header of ['Bearer abc.def', 'wc_pat_0123456789', 'token=abc', 'a\u0000b', 'a\u001b[31mb']) {
      expect(requestedSession(affinity({ header, query: 'q' }))).toMatchObject({ id: 'q', warning: expect.stringContaining('ignored') as string });
    }
  });

  it('cuts a session id to 120 code points and never halves one', () => {
    expect(requestedSession(affinity({ header: '𝛼'.repeat(130) })).id).toBe('𝛼'.repeat(120));
  });

  it('[05-A6] puts 20 parallel calls with one new id into one session', async () => {
    const world = auditWorld();
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        await Promise.resolve();
        world.audit.record(callIn('together', { durationMs: at }));
      }),
    );
    expect(await world.sessions()).toMatchObject([{ session_id: 'together', total_actions: 20, total_duration_ms: 190 }]);
  });
});

describe('the counters of a session', () => {
  it('sums outcomes, durations, warnings, changed files and Jobs', async () => {
    const world = auditWorld();
    world.audit.record(callIn('s', { durationMs: 10.9, outcomeFacts: { changedPaths: ['a', 'b', 'a'], jobId: 'job-1' as never } }));
    world.audit.record(failedCall({ error_kind: 'not_found' }, { affinity: affinity({ header: 's' }) }));
    world.audit.record(callIn('s', { outcome: 'timed_out', result: { success: false, output: { error_kind: 'timeout' }, error: 'x' } }));
    world.audit.record(
      callIn('s', { outcome: 'timed_out', result: { success: false, output: { error_kind: 'dispatch_hard_timeout' }, error: 'x' } }),
    );
    world.audit.record(callIn('s', { httpStatus: 408, outcome: 'tool_failed', result: { success: false, output: {}, error: 'x' } }));
    const { session, events } = await world.session('s');
    expect(session).toMatchObject({
      total_actions: 5,
      success_count: 1,
      failed_count: 1,
      timeout_or_unknown_count: 3,
      warning_count: 0,
      changed_files_count: 2,
      job_ids_count: 1,
      total_duration_ms: 10 + 4 * 5,
    });
    expect(events.map(({ status }) => status)).toEqual(['timeout', 'unknown', 'timeout', 'failed', 'success']);
  });

  it('keeps the first and the last event in a session, in whatever order they are written', async () => {
    const world = auditWorld();
    for (const at of [500, 300, 400]) world.audit.record(callIn('s', { startedAtMs: at * 1000, endedAtMs: at * 1000 + 2_000 }));
    expect((await world.session('s')).session).toMatchObject({
      first_event_at: 300,
      last_event_at: 502,
      created_at: 502,
      updated_at: 502,
    });
  });

  it('counts all changed paths and stores the first 200, each cut to 300 characters', async () => {
    const world = auditWorld();
    const changedPaths = Array.from({ length: 250 }, (_, at) => `${at}/${'x'.repeat(400)}`);
    world.audit.record(callIn('s', { outcomeFacts: { changedPaths } }));
    const { session, events } = await world.session('s');
    expect(session['changed_files_count']).toBe(250);
    expect(events[0]!.changed_files).toHaveLength(200);
    expect(events[0]!.changed_files[0]).toHaveLength(300);
  });

  it('cuts credentials out of the names of changed paths', async () => {
    const world = auditWorld();
    world.audit.record(callIn('s', { outcomeFacts: { changedPaths: [`out/ghp_${'a1B2'.repeat(9)}.txt`, 'keys/id_rsa.pub'] } }));
    expect((await world.session('s')).events[0]!.changed_files).toEqual(['out/[redacted].txt', 'keys/id_rsa.pub']);
  });
});

describe('closing', () => {
  it('[05-A7] closes once and keeps the first closed_at', async () => {
    let now = 100_000;
    const world = auditWorld({ now: () => now });
    world.audit.record(callIn('w1', secs(50)));
    const first = await world.ask('close', { session_id: 'w1', note: 'done; token=abc' });
    now = 200_000;
    const second = await world.ask('close', { session_id: 'w1', note: 'again' });
    expect(first).toMatchObject({ status: 200, body: { already_closed: false, session: { closed_at: 100, note: '[redacted]' } } });
    expect(second).toMatchObject({ status: 200, body: { already_closed: true, session: { closed_at: 100, note: '[redacted]' } } });
  });

  it('[05-A7] answers unknown_action_session for an id that does not exist', async () => {
    const world = auditWorld();
    expect(await world.ask('close', { session_id: 'nobody' })).toEqual({
      status: 404,
      body: { status: 404, error: 'there is no such audit session', error_kind: 'unknown_action_session' },
    });
  });

  it('[05-A7] leaves the session open whatever tool was called', async () => {
    const world = auditWorld();
    for (const name of ['finish_coding_task', 'close_session']) {
      const facts = { ...callRecord().facts!, name };
      world.audit.record(callIn('s', { facts, toolName: name }));
    }
    expect((await world.session('s')).session).toMatchObject({ status: 'open', closed_at: null });
  });

  it('is for the owner alone', async () => {
    const world = auditWorld();
    world.audit.record(callIn('s'));
    const token = { ...OWNER, credential: 'api_token' as const };
    expect(await world.ask('close', { session_id: 's' }, token)).toMatchObject({ status: 403, body: { error_kind: 'operator_only' } });
    expect((await world.session('s')).session).toMatchObject({ status: 'open' });
  });
});
