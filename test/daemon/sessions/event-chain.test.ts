import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeEvent } from '../../../src/daemon/sessions/event-body.js';
import { incarnationFingerprint } from '../../../src/daemon/sessions/incarnation.js';
import type { SessionHead } from '../../../src/daemon/sessions/session-head.js';
import { SessionStore } from '../../../src/daemon/sessions/store.js';
import { evidenceEnd, sessionsFixture, type SessionsFixture } from './sessions-fixture.js';

interface Row {
  readonly sequence: number;
  readonly kind: string;
  readonly body: string;
  readonly digest: Buffer;
}

function rowsOf(fixture: SessionsFixture): Row[] {
  return fixture.database.prepare<[], Row>('SELECT sequence, kind, body, digest FROM session_events ORDER BY sequence').all();
}

function headOf(fixture: SessionsFixture, id: string): SessionHead {
  const head = new SessionStore(fixture.database).head(id as SessionHead['sessionId']);
  if (head === null) throw new Error('not retained');
  return head;
}

function sha256(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}

test('a chain is what its documentation says, so that another program can recompute it', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  await fixture.pair(session);
  const head = headOf(fixture, session);
  let digest = sha256('webcodex.session-event-chain.genesis.v1', incarnationFingerprint(head), 'created', '0', '');
  expect(head.chain?.anchor.toString('hex')).toBe(digest);
  for (const { sequence, kind, body, digest: stored } of rowsOf(fixture)) {
    digest = sha256('webcodex.session-event-chain.event.v1', digest, session, String(sequence), kind, body);
    expect(stored.toString('hex')).toBe(digest);
  }
  expect(head.chain?.head.toString('hex')).toBe(digest);
});

test('the digest of the last evicted event is the anchor of what is retained', async () => {
  const fixture = sessionsFixture({ eventsPerSession: 4 });
  const session = await fixture.begin();
  await fixture.pair(session);
  const second = rowsOf(fixture)[2]?.digest;
  await fixture.pair(session);
  await fixture.pair(session);
  const head = headOf(fixture, session);
  expect(head).toMatchObject({ eventsObserved: 7, firstRetainedSequence: 3 });
  expect(head.chain?.anchor.equals(second as Buffer)).toBe(true);
  expect((await fixture.domain.verifyLedger()).findings).toEqual([]);
});

test('a commit that fails leaves chain and memory where they were', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  await fixture.pair(session);
  fixture.database.exec("CREATE TRIGGER full BEFORE INSERT ON session_events BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  await expect(fixture.pair(session)).rejects.toThrow('disk is full');
  fixture.database.exec('DROP TRIGGER full');
  await fixture.pair(session);
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, eventsChecked: 5, findings: [] });
});

test('one event has one encoding, in whatever order its members come', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  await fixture.pair(session, {}, evidenceEnd({
    outcome: {
      effect: { stateChanged: false, executionState: 'completed', commandStarted: true },
      validationOutput: { purpose: 'test', cwd: '.', stdoutTail: 'ok', stderrTail: '', truncated: false },
      contextResultSummary: { b: 1, a: 2 },
    },
  }));
  const event = fixture.domain.snapshot(session)?.events.at(-1);
  if (event === undefined) throw new Error('no event');
  const { kind, body } = encodeEvent(event);
  expect(rowsOf(fixture).at(-1)).toMatchObject({ kind, body });
  fc.assert(
    fc.property(fc.shuffledSubarray(Object.entries(event), { minLength: Object.keys(event).length }), (entries) => {
      const shuffled = Object.fromEntries(
        entries.map(([name, value]) => [
          name,
          name === 'effect_evidence' ? Object.fromEntries(Object.entries(value as object).reverse()) : value,
        ]),
      );
      expect(encodeEvent(shuffled as typeof event)).toEqual({ kind, body });
    }),
    { numRuns: 50, seed: 7 },
  );
});
