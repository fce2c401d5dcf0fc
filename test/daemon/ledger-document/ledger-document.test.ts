import { describe, expect, it } from 'vitest';
import { RejectedDocument } from '../../../src/daemon/sessions/ledger-document/rejected-document.js';
import { alice, sessionsFixture, type SessionsFixture } from '../sessions/sessions-fixture.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import {
  document,
  exportText,
  hex,
  importText,
  messageId,
  OTHER,
  rawBoard,
  rawEvent,
  rawMessage,
  rawSession,
  rawTombstone,
  SESSION,
  sessionId,
} from './document-fixture.js';

const MAX = Number.MAX_SAFE_INTEGER;

async function tombstones(house: SessionsFixture): Promise<Record<string, number>> {
  const { sessions } = JSON.parse((await exportText(house.domain)).document) as {
    sessions: { retention_tombstone?: { session_id: string; expiry_ordinal: number } }[];
  };
  return Object.fromEntries(
    sessions.flatMap(({ retention_tombstone: row }) => (row === undefined ? [] : [[row.session_id, row.expiry_ordinal] as const])),
  );
}

/** A ledger as a day's work leaves it. */
async function usedLedger(): Promise<SessionsFixture> {
  const house = sessionsFixture({ historicalSessionRetentionLimit: 2, eventsPerSession: 6 });
  for (let index = 0; index < 5; index += 1) {
    house.time += 10;
    const id = await house.begin({ title: `work ${index}`, mode: index === 1 ? 'read_only' : 'normal' });
    for (let pair = 0; pair < index; pair += 1) {
      await house.pair(id, { inputs: { path: `src/${pair}.ts`, items: [{ path: 'a' }] } }, { outcome: { changedPaths: ['src/a.ts'], observedPaths: ['src/b.ts'], effect: { stateChanged: true, commandStarted: true } } });
    }
    await house.call('update_session_context', { project: 'agent:local:demo', session_id: id, execution_context: { default_shell: 'sh', default_cwd: 'src' } });
    if (index < 3) await house.close(id);
  }
  return house;
}

describe('a ledger', () => {
  it('that is exported, wiped, imported and exported again gives the same bytes', async () => {
    const before = await exportText((await usedLedger()).domain);
    const house = sessionsFixture({ historicalSessionRetentionLimit: 2, eventsPerSession: 6 });
    const report = await importText(house.domain, before.document, { limits: { eventsPerSession: 6, messagesPerSession: 200 } });
    expect(report).toMatchObject({ sessions: 4, tombstones: 1, pruned: 0, dropped: { total: 0 }, changed: { total: 0 } });
    expect((await exportText(house.domain)).document).toBe(before.document);
    // A restart reads what was written, no more and no less.
    await house.restart();
    const again = JSON.parse((await exportText(house.domain)).document) as { sessions: unknown[] };
    expect(again.sessions).toHaveLength(5);
  });

  it('is proven by the chain that was exported beside it, and is refused with another', async () => {
    const source = await usedLedger();
    const { document: text, chain } = await exportText(source.domain);
    const house = sessionsFixture({ historicalSessionRetentionLimit: 2, eventsPerSession: 6 });
    const report = await importText(house.domain, text, { chain });
    expect(report.chains_verified).toBe(4);
    // The chains went on as they were.
    expect((await exportText(house.domain)).chain).toBe(chain);
    expect((await house.domain.verifyLedger()).findings).toEqual([]);

    const edited = text.replace('src/a.ts', 'src/z.ts');
    await expect(importText(sessionsFixture().domain, edited, { chain })).rejects.toMatchObject({ reason: 'chain_mismatch' });
    const forged = chain.replace(/"document_sha256":"[0-9a-f]{64}"/, `"document_sha256":"${hex('')}"`);
    await expect(importText(sessionsFixture().domain, text, { chain: forged })).rejects.toMatchObject({ reason: 'chain_mismatch' });
  });

  it('that was imported without a chain is sound, and its chains say where they come from', async () => {
    const house = sessionsFixture();
    await importText(house.domain, document([rawSession({ events: [rawEvent(1)], events_observed: 7 })]));
    expect((await house.domain.verifyLedger()).findings).toEqual([]);
    expect(house.domain.exportSession(SESSION as SessionId)?.chain).toMatchObject({ origin: 'imported', start: 6 });
  });

  it('[01-A12] renumbers ordinals of a document that has the greatest one, keeping who is who', async () => {
    const house = sessionsFixture({ historicalSessionRetentionLimit: 2 });
    const active = [1, 2, 3].map((index) => rawSession({ session_id: sessionId(index), updated_at: 1_700_000_000 + index }));
    await importText(
      house.domain,
      `{"version":2,"sessions":[${[...active, rawTombstone(sessionId(8), 10)].map((row) => JSON.stringify(row)).join()},${JSON.stringify(rawTombstone(sessionId(9), MAX)).replace(String(MAX), '18446744073709551615')}]}`,
    );
    expect(await tombstones(house)).toEqual({ [sessionId(8)]: 10, [sessionId(9)]: MAX });
    for (const index of [1, 2, 3]) await house.close(sessionId(index) as SessionId);
    const left = await tombstones(house);
    // One closed beyond the limit of two: the lowest went, the survivor was renumbered below the new one.
    expect(Object.keys(left).sort()).toEqual([sessionId(1), sessionId(9)]);
    expect(left[sessionId(9)]).toBeLessThan(left[sessionId(1)] ?? 0);
    expect(left[sessionId(1)]).toBeLessThan(MAX);
  });

  it('[01-A13] keeps the first of two tombstones with one ordinal, and the greater ordinal of one id', async () => {
    const [a, b, c] = [sessionId(1), sessionId(2), sessionId(3)] as [string, string, string];
    const house = sessionsFixture({ historicalSessionRetentionLimit: 5 });
    const report = await importText(
      house.domain,
      document([rawTombstone(a, 5), rawTombstone(b, 5), rawTombstone(a, 4), rawTombstone(c, 9)]),
    );
    expect(await tombstones(house)).toEqual({ [a]: 5, [c]: 9 });
    expect(report.dropped).toMatchObject({ total: 2, by_reason: { duplicate_tombstone: 2 } });
    const closed = Array.from({ length: 6 }, () => house.begin());
    for (const id of await Promise.all(closed)) await house.close(id);
    expect(Math.max(...Object.values(await tombstones(house)))).toBe(10);
  });

  it('[01-A14] has a Session rather than its tombstone, wherever the tombstone stands', async () => {
    for (const rows of [[rawSession(), rawTombstone(SESSION, 3)], [rawTombstone(SESSION, 3), rawSession()]]) {
      const house = sessionsFixture();
      const report = await importText(house.domain, document(rows));
      expect(house.domain.counts()).toMatchObject({ active: 1, tombstones: 0 });
      expect(report.dropped.by_reason).toEqual({ session_is_live: 1 });
    }
  });

  it('[01-A15] takes the good one of two rows, and calls that no error', async () => {
    const house = sessionsFixture();
    const report = await importText(house.domain, document([rawSession({ mode: 'inspect' }), rawSession({ session_id: OTHER })]));
    expect(house.domain.counts()).toMatchObject({ retained: 1, tombstones: 0 });
    expect(house.domain.lookUp(OTHER as SessionId, alice)).toHaveProperty('session');
    expect(report.dropped).toEqual({ total: 1, by_reason: { malformed_session_row: 1 }, listed: [{ row: 0, reason: 'malformed_session_row', at: 'mode' }] });
    expect(house.status()['last_persist_error']).toBeNull();
  });

  it.each([
    ['version 1', '{"version":1,"sessions":[]}'],
    ['version 1 after rows', `{"sessions":[${JSON.stringify(rawSession())}],"version":1}`],
    ['an unknown member', `{"version":2,"sessions":[${JSON.stringify(rawSession())}],"more":1}`],
    ['a cut', document([rawSession(), rawSession({ session_id: OTHER })]).slice(0, -3)],
  ])('[01-A16] is empty after a document with %s', async (_what, text) => {
    const house = sessionsFixture();
    await expect(importText(house.domain, text)).rejects.toBeInstanceOf(RejectedDocument);
    expect(house.domain.counts()).toMatchObject({ retained: 0, tombstones: 0 });
    expect((await exportText(house.domain)).document).toBe('{"version":2,"sessions":[]}\n');
    // It takes the next document, and work.
    await importText(house.domain, document([rawSession()]));
    await house.begin();
    expect(house.domain.counts().retained).toBe(2);
  });

  it('[01-A17] drops a Session with half a correlation, and invents no tombstone for it', async () => {
    const house = sessionsFixture();
    const half = rawEvent(1, { logical_invocation_id: `wc_inv_${'0'.repeat(32)}` });
    await importText(house.domain, document([rawSession({ events: [half], events_observed: 1 })]));
    expect(house.domain.counts()).toMatchObject({ retained: 0, tombstones: 0 });
  });

  it('[01-A18] never writes context_revision again', async () => {
    const house = sessionsFixture();
    const events = [rawEvent(1, { context_revision: 7 })];
    await importText(house.domain, document([rawSession({ context_revision: 7, events, events_observed: 1 })]));
    const { document: text } = await exportText(house.domain);
    expect(text).toBe(`${document([rawSession({ events: [rawEvent(1)], events_observed: 1 })])}\n`);
  });

  it('[01-A19] shows of 2,050 events what a summary shows of them', async () => {
    const house = sessionsFixture();
    const events = Array.from({ length: 2_050 }, (_, index) => rawEvent(index + 1));
    await importText(house.domain, document([rawSession({ events, events_observed: 2_050 })]));
    const { output } = await house.call('read_session_summary', { session_id: SESSION, limit: 500 });
    expect(output).toMatchObject({ events_returned: 200, events_retained: 2_000, events_evicted: 50, retention_truncated: true, first_retained_sequence: 1_850 });
  });

  it('takes the first of two Sessions with one id', async () => {
    const house = sessionsFixture();
    const report = await importText(house.domain, document([rawSession({ title: 'first' }), rawSession({ title: 'second' })]));
    expect(house.domain.snapshot(SESSION as SessionId)?.session.title).toBe('first');
    expect(report.dropped.by_reason).toEqual({ duplicate_session_id: 1 });
  });

  it('prunes closed Sessions beyond the limit by their last update, not by the place in the document', async () => {
    const house = sessionsFixture({ historicalSessionRetentionLimit: 1 });
    const closed = [3, 1, 2].map((index) =>
      rawSession({ session_id: sessionId(index), lifecycle: 'closed', updated_at: 1_700_000_000 + index }),
    );
    const report = await importText(house.domain, document([...closed, rawTombstone(sessionId(9), 1)]));
    expect(report).toMatchObject({ sessions: 3, pruned: 2 });
    expect(house.domain.counts()).toMatchObject({ retained: 1, closed: 1, hot: 0, cold: 1, tombstones: 1 });
    expect(await tombstones(house)).toEqual({ [sessionId(2)]: 3 });
  });

  it('brings messages and all that their board remembers through', async () => {
    const row = rawBoard([rawMessage(1, { kind: 'todo' }), rawMessage(2, { reply_to: messageId(1), requires_ack: true })], {
      assignment_history_floors: { [messageId(1)]: 1 },
      message_delivery_replays: { [`${hex('a')}:${hex('b')}`]: { payload_fingerprint: hex('c'), message_id: messageId(2) } },
      materialized_validation_job_ids: ['job_b', 'job_a'],
      git_baseline_tree: 'a'.repeat(40),
      repository_edit_observed: true,
    });
    const text = `${document([row])}\n`;
    const house = sessionsFixture();
    expect(await importText(house.domain, text)).toMatchObject({ messages: 2, changed: { total: 0 } });
    expect((await exportText(house.domain)).document).toBe(text);
  });

  it('counts the bindings of an older form, and selects nothing by them', async () => {
    const house = sessionsFixture();
    const binding = (key: string, id: string): unknown => ({ binding_key_sha256: hex(key), session_id: id, updated_at: 1 });
    const report = await importText(
      house.domain,
      document([rawSession(), rawSession({ session_id: OTHER, lifecycle: 'closed' })], {
        durable_current_bindings: [binding('a', SESSION), binding('a', SESSION), binding('b', OTHER), binding('c', sessionId(1)), 7],
      }),
    );
    expect(report).toMatchObject({ durable_binding_count: 5, restored_binding_count: 1, discarded_binding_count: 4 });
    const { document: text } = await exportText(house.domain);
    expect(text).not.toContain('durable_current_bindings');
    expect(text).not.toContain(hex('a'));
  });

  it('holds no credential that a document brought', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const house = sessionsFixture();
    await importText(
      house.domain,
      document([
        rawBoard([rawMessage(1, { message: `use ${token}`, tags: [token], resolution: token, status: 'resolved' })], {
          title: token,
          events: [rawEvent(1, { instruction: token, tool_name: token, input_summary: { [token]: token } })],
          events_observed: 1,
          execution_context: { default_cwd: token },
        }),
      ]),
    );
    expect(house.bytes()).not.toContain(token);
  });

  it('with a Session in it takes no document', async () => {
    const house = sessionsFixture();
    await house.begin();
    await expect(importText(house.domain, document([]))).rejects.toThrow('ledger_not_empty');
  });
});
