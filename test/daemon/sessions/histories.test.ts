import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JobId, SessionId } from '../../../src/protocol/ids.js';
import { exported, imported, ledgerMessage } from './ledger-rows-fixture.js';
import { alice, bob, DEMO, evidenceEnd, evidenceStart, SessionsFixture } from './sessions-fixture.js';

/*
 * Random histories of one ledger against a model of a few lines: what is retained and in
 * which order, what expired, how many events each Session had, and who may know of it.
 */

const LIMITS = { eventsPerSession: 5, historicalSessionRetentionLimit: 2, hotSessionCapacityTarget: 2 };
const NEVER = 'wc_sess_NeverNeverNever_' as SessionId;

type Step =
  | { readonly do: 'create'; readonly owner: 0 | 1 }
  | { readonly do: 'call' | 'double' | 'read' | 'foreign' | 'close' | 'job'; readonly at: number }
  | { readonly do: 'clock'; readonly by: number }
  | { readonly do: 'restart' }
  | { readonly do: 'move' };

const at = fc.nat({ max: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), owner: fc.constantFrom(0 as const, 1 as const) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constantFrom('call' as const, 'double' as const, 'read' as const, 'foreign' as const, 'close' as const, 'close' as const, 'job' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clock' as const), by: fc.integer({ min: -30, max: 30 }) }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'restart' as const }, { do: 'move' as const }) },
);

interface Known {
  readonly id: SessionId;
  readonly owner: 0 | 1;
  readonly createdAt: number;
  updatedAt: number;
  observed: number;
  closed: boolean;
}

class Model {
  readonly ever: Known[] = [];
  /** Least recently accessed first; `removal` holds the Closed ones. */
  retained: Known[] = [];
  removal: Known[] = [];
  tombstones: { readonly known: Known; readonly ordinal: number }[] = [];
  private greatest = 0;
  evictions = 0;

  add(known: Known): void {
    this.ever.push(known);
    this.retained.push(known);
  }

  touch(known: Known): void {
    this.retained = toEnd(this.retained, known);
    if (this.removal.includes(known)) this.removal = toEnd(this.removal, known);
  }

  append(known: Known, events: number, at: number): void {
    known.observed += events;
    known.updatedAt = Math.max(known.updatedAt, at);
    this.touch(known);
  }

  close(known: Known): void {
    known.closed = true;
    this.removal.push(known);
    while (this.removal.length > LIMITS.historicalSessionRetentionLimit) {
      const victim = this.removal.shift() as Known;
      this.retained = this.retained.filter((other) => other !== victim);
      this.greatest += 1;
      this.evictions += 1;
      this.tombstones.push({ known: victim, ordinal: this.greatest });
    }
    this.tombstones = this.tombstones.slice(-LIMITS.historicalSessionRetentionLimit);
  }

  /** Recency is seeded anew; a document keeps its order, a start does not. */
  seed(keepOrder: boolean): void {
    const byUpdate = (one: Known, other: Known) => one.updatedAt - other.updatedAt || (one.id < other.id ? -1 : 1);
    if (!keepOrder) this.retained = [...this.retained].sort(byUpdate);
    this.removal = [...this.removal].sort(byUpdate);
  }
}

function toEnd(order: readonly Known[], known: Known): Known[] {
  return [...order.filter((other) => other !== known), known];
}

async function run(steps: readonly Step[]): Promise<void> {
  const model = new Model();
  let fixture = new SessionsFixture(LIMITS);
  const principals = [alice, bob] as const;
  try {
    for (const [index, next] of steps.entries()) {
      const known = 'at' in next ? model.retained[next.at % Math.max(1, model.retained.length)] : undefined;
      switch (next.do) {
        case 'create': {
          const id = await fixture.begin({ owner: principals[next.owner], title: `task ${index}` });
          model.add({ id, owner: next.owner, createdAt: fixture.time, updatedAt: fixture.time, observed: 1, closed: false });
          break;
        }
        case 'call':
          if (known === undefined) break;
          await fixture.pair(known.id);
          model.append(known, 2, fixture.time);
          break;
        case 'double': {
          // Recorder and target of one call: the business pair stands inside the recorder's.
          if (known === undefined) break;
          const recorder = fixture.domain.openPair(known.id, evidenceStart({ role: 'recorder' }));
          await fixture.pair(known.id);
          await fixture.domain.closePair(recorder, evidenceEnd());
          model.append(known, 4, fixture.time);
          break;
        }
        case 'read':
          if (known === undefined) break;
          fixture.domain.lookUp(known.id, principals[known.owner]);
          model.touch(known);
          break;
        case 'foreign':
          if (known !== undefined) fixture.domain.lookUp(known.id, principals[1 - known.owner] as typeof alice);
          break;
        case 'close':
          if (known === undefined || known.closed) break;
          await fixture.close(known.id, principals[known.owner]);
          // The call reads its target before it closes it.
          model.append(known, 1, fixture.time);
          model.close(known);
          break;
        case 'job': {
          if (known === undefined) break;
          const jobId = `job_${index}` as JobId;
          const run = { tool_name: 'run_job', risk_class: 'shell', status: 'succeeded' as const };
          const candidates = [{ jobId, finishedAt: fixture.time - 5, run, evidence: { exitCode: 0 } }];
          await fixture.domain.recordTerminalValidations(known.id, DEMO, { candidates, present: new Set([jobId]) });
          model.append(known, 1, fixture.time - 5);
          break;
        }
        case 'clock':
          fixture.time += next.by;
          break;
        case 'restart':
          await fixture.restart();
          model.seed(false);
          break;
        case 'move': {
          const rows = await exported(fixture.domain);
          const moved = new SessionsFixture(LIMITS);
          moved.time = fixture.time;
          fixture.dispose();
          fixture = moved;
          await imported(fixture.domain, rows);
          expect(await exported(fixture.domain)).toEqual(rows);
          model.evictions = 0;
          model.seed(true);
          break;
        }
      }
      if (next.do === 'restart') model.evictions = 0;
      compare(fixture, model);
    }
    await compareWhole(fixture, model);
  } finally {
    fixture.dispose();
  }
}

function compare(fixture: SessionsFixture, model: Model): void {
  const closed = model.removal.length;
  const counts = fixture.domain.counts();
  expect(counts).toMatchObject({
    retained: model.retained.length,
    active: model.retained.length - closed,
    closed,
    tombstones: model.tombstones.length,
  });
  expect(counts.hot + counts.cold).toBe(counts.retained);
  expect(counts.hot).toBeLessThanOrEqual(Math.min(LIMITS.hotSessionCapacityTarget, counts.active));
  expect(fixture.status()).toMatchObject({ capacity_evictions: model.evictions, last_persist_error: null, unreadable_rows: 0 });
}

async function compareWhole(fixture: SessionsFixture, model: Model): Promise<void> {
  const { sessions, tombstones } = await exported(fixture.domain);
  expect(
    sessions.map(({ sessionId, lifecycle, eventsObserved, events, createdAt, updatedAt }) => ({
      sessionId, closed: lifecycle === 'closed', eventsObserved, retained: events.length, createdAt, updatedAt,
    })),
  ).toEqual(
    model.retained.map((known) => ({
      sessionId: known.id, closed: known.closed, eventsObserved: known.observed,
      retained: Math.min(known.observed, LIMITS.eventsPerSession), createdAt: known.createdAt, updatedAt: known.updatedAt,
    })),
  );
  expect(tombstones.map(({ sessionId, expiryOrdinal }) => [sessionId, expiryOrdinal])).toEqual(
    model.tombstones.map(({ known, ordinal }) => [known.id, ordinal]),
  );
  for (const known of model.ever) {
    const [owner, stranger] = known.owner === 0 ? [alice, bob] : [bob, alice];
    const live = model.retained.includes(known);
    const expired = model.tombstones.some((tombstone) => tombstone.known === known);
    expect(fixture.domain.lookUp(known.id, owner).found).toBe(live ? 'session' : expired ? 'expired' : 'nothing');
    if (live) continue;
    expect(fixture.domain.lookUp(known.id, stranger)).toEqual(fixture.domain.lookUp(NEVER, stranger));
    const told = await fixture.call('read_session_summary', { session_id: known.id }, { principal: stranger });
    expect(told).toEqual(await fixture.call('read_session_summary', { session_id: NEVER }, { principal: stranger }));
  }
  expect((await fixture.domain.verifyLedger()).findings).toEqual([]);
}

test('random histories keep bounds, order, ordinals, secrecy, counts and chains', { timeout: 60_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), run), {
    numRuns: 30,
    seed: 20_261_130,
  });
});

test('messages of random boards come through an import, a restart and a second one unchanged', { timeout: 60_000 }, async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const board = fc.array(fc.record({ text, tags: fc.array(text, { maxLength: 3 }), ack: fc.boolean(), revision: fc.nat() }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(board, async (messages) => {
      const fixture = new SessionsFixture(LIMITS);
      const moved = new SessionsFixture(LIMITS);
      try {
        const id = await fixture.begin();
        const row = fixture.domain.exportSession(id);
        if (row === null) throw new Error('not retained');
        const rows = messages.map((message, index) =>
          ledgerMessage(id, `wc_msg_${String(index).padStart(16, '0')}`, { message: message.text, tags: message.tags, ...(message.ack ? { requires_ack: true as const } : {}) }, message.revision),
        );
        await imported(moved.domain, { sessions: [{ ...row, messages: rows }] });
        await moved.restart();
        expect(moved.domain.exportSession(id)).toEqual({ ...row, messages: rows });
        expect((await moved.call('read_session_summary', { session_id: id })).output['messages']).toEqual(rows.map(({ message }) => message));
      } finally {
        fixture.dispose();
        moved.dispose();
      }
    }),
    { numRuns: 15, seed: 7 },
  );
});
