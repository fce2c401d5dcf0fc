import { describe, expect, test } from 'vitest';
import { JobMemory } from '../../../src/daemon/jobs/remembered/job-memory.js';
import { JobReceipts, MAX_RECEIPTS_PER_RUNNER, type Receipt } from '../../../src/daemon/jobs/remembered/job-receipts.js';
import type { JobView } from '../../../src/protocol/runner/jobs.js';
import { wholeJob } from '../whole-job.js';

const HOUR = 60 * 60 * 1_000;

function world({ recoveryMs = 120_000, kept = [] as Receipt[] } = {}): {
  readonly memory: JobMemory;
  readonly receipts: JobReceipts;
  readonly clock: { now: number; wall: number };
  readonly stored: Map<string, Receipt>;
} {
  const clock = { now: 1_000, wall: 1_700_000_000_000 };
  const clocks = { now: () => clock.now, wallClock: () => clock.wall };
  const stored = new Map(kept.map((receipt) => [receipt.job.job_id, receipt]));
  const keeper = {
    all: () => [...stored.values()],
    add: (receipt: Receipt) => void stored.set(receipt.job.job_id, receipt),
    remove: (ids: readonly string[]) => ids.forEach((id) => stored.delete(id)),
  };
  const receipts = new JobReceipts(keeper, clocks);
  return { memory: new JobMemory({ receipts, recoveryMs, ...clocks }), receipts, clock, stored };
}

const running = (id: string, seq = 3): JobView => wholeJob({ job_id: id, status: 'running', execution_state: 'running', outcome: null, update_seq: seq });
const ended = (id: string, seq = 5): JobView => wholeJob({ job_id: id, status: 'completed', execution_state: 'completed', outcome: 'succeeded', update_seq: seq });
const heard = (instance: string, changed: JobView[], present = changed.map(({ job_id }) => job_id), revision = 1) => ({ instance, revision, changed, present });

describe('a Runner that is away', () => {
  test('its active Jobs are recovering, its ended ones stay what they are', () => {
    const { memory } = world();
    memory.hear(heard('aaaaaaaa', [running('j1'), ended('j2')]));
    memory.away();
    expect(memory.find('j1')?.job).toEqual({ ...running('j1'), status: 'recovering' });
    expect(memory.find('j2')?.job).toEqual(ended('j2'));
    expect(memory.find('j3')).toBeNull();
    expect(memory.recoveringCount).toBe(1);
  });

  test('the same Runner comes back: what it lists is the same Job, what it does not list is lost', () => {
    const { memory, clock } = world();
    memory.hear(heard('aaaaaaaa', [running('j1'), running('j2')]));
    memory.away();
    clock.now += 119_999;
    memory.hear(heard('aaaaaaaa', [running('j1', 4)], ['j1'], 2));
    expect(memory.find('j1')?.job).toEqual(running('j1', 4));
    expect(memory.find('j2')?.job).toMatchObject({
      status: 'lost',
      outcome: 'outcome_unknown',
      execution_state: 'outcome_unknown',
      reason: 'runner_inventory_missing',
      update_seq: 4,
      finished_at_ms: clock.wall,
    });
  });

  test('at its deadline the Jobs are lost, and that is final when it comes back with them', () => {
    const { memory, clock } = world();
    memory.hear(heard('aaaaaaaa', [running('j1')]));
    memory.away();
    clock.now += 119_999;
    expect(memory.find('j1')?.job.status).toBe('recovering');
    clock.now += 1;
    expect(memory.find('j1')?.job).toMatchObject({ status: 'lost', outcome: 'outcome_unknown', reason: 'runner_recovery_deadline_exceeded' });
    memory.hear(heard('aaaaaaaa', [ended('j1', 9)], ['j1'], 2));
    expect(memory.find('j1')?.job.reason).toBe('runner_recovery_deadline_exceeded');
    expect(memory.settled(running('j1', 9)).status).toBe('lost');
  });

  test('the deadline counts from the first time that it was away, on the monotonic clock', () => {
    const { memory, clock } = world();
    memory.hear(heard('aaaaaaaa', [running('j1')]));
    memory.away();
    clock.now += 60_000;
    clock.wall += 10 * HOUR;
    memory.away();
    expect(memory.find('j1')?.job.status).toBe('recovering');
    clock.now += 60_000;
    expect(memory.find('j1')?.job.status).toBe('lost');
  });

  test('[03-A13] another instance: its active Jobs are lost, unless it has taken them up itself', () => {
    const { memory } = world();
    memory.hear(heard('aaaaaaaa', [running('j1', 7), running('j2')]));
    memory.away();
    const taken = wholeJob({ job_id: 'j1', status: 'lost', execution_state: 'outcome_unknown', outcome: 'outcome_unknown', update_seq: 2, reason: 'runner_instance_replaced' });
    memory.hear(heard('bbbbbbbb', [taken]));
    expect(memory.find('j1')).toEqual({ job: taken, instance: 'bbbbbbbb', observedAtMs: expect.any(Number) as number });
    expect(memory.find('j2')?.job).toMatchObject({ status: 'lost', outcome: 'outcome_unknown', reason: 'runner_instance_replaced' });
  });

  test('before any Runner was heard of nothing is recovering', () => {
    const { memory } = world();
    memory.away();
    expect(memory.find('j1')).toBeNull();
    expect(memory.lastSeen).toBeNull();
  });
});

describe('what is heard of a Job', () => {
  test('older and equal news change nothing, and an end is final', () => {
    const { memory } = world();
    memory.hear(heard('aaaaaaaa', [running('j1', 5)]));
    memory.hear(heard('aaaaaaaa', [wholeJob({ job_id: 'j1', status: 'agent_queued', execution_state: 'queued', outcome: null, update_seq: 5 })], ['j1'], 2));
    expect(memory.find('j1')?.job.status).toBe('running');
    memory.hear(heard('aaaaaaaa', [ended('j1', 6)], ['j1'], 3));
    memory.hear(heard('aaaaaaaa', [running('j1', 8)], ['j1'], 4));
    expect(memory.find('j1')?.job).toEqual(ended('j1', 6));
  });

  test('a Job that was answered is known before the Runner tells of it', () => {
    const { memory } = world();
    memory.hear(heard('aaaaaaaa', []));
    memory.noteAnswered(running('j1'));
    memory.away();
    expect(memory.find('j1')?.job.status).toBe('recovering');
  });

  test('who waits is woken by any of it', async () => {
    const { memory } = world();
    memory.hear(heard('aaaaaaaa', [running('j1')]));
    const woken = memory.changes(60_000, undefined);
    memory.away();
    await woken;
    memory.close();
  });
});

describe('receipts', () => {
  test('are kept for 24 hours from the first observation, and no other observation renews that', () => {
    const { receipts, clock, stored } = world();
    receipts.add(ended('j1'), 'aaaaaaaa');
    clock.now += 23 * HOUR;
    receipts.add(ended('j1', 9), 'aaaaaaaa');
    clock.now += HOUR - 1;
    expect(receipts.find('j1')?.job.update_seq).toBe(5);
    clock.now += 1;
    expect(receipts.find('j1')).toBeNull();
    expect(stored.size).toBe(0);
  });

  test('a clock that jumps ends none early and keeps none longer', () => {
    const { receipts, clock } = world();
    receipts.add(ended('j1'), 'aaaaaaaa');
    clock.wall += 48 * HOUR;
    expect(receipts.find('j1')).not.toBeNull();
    clock.wall -= 96 * HOUR;
    clock.now += 24 * HOUR;
    expect(receipts.find('j1')).toBeNull();
  });

  test('are 64 a Runner: the oldest observation of the same Runner makes room', () => {
    const { receipts, stored } = world();
    receipts.add(ended('other'), 'bbbbbbbb');
    for (let number = 0; number <= MAX_RECEIPTS_PER_RUNNER; number += 1) receipts.add(ended(`j${number}`), 'aaaaaaaa');
    expect(receipts.find('j0')).toBeNull();
    expect(receipts.find('j1')).not.toBeNull();
    expect(receipts.find('other')).not.toBeNull();
    expect(receipts.all()).toHaveLength(65);
    expect(stored.size).toBe(65);
  });

  test('outlive the daemon for the rest of their time', () => {
    const wall = 1_700_000_000_000;
    const kept = [
      { job: ended('old'), instance: 'aaaaaaaa', observedAtMs: wall - 24 * HOUR },
      { job: ended('young'), instance: 'aaaaaaaa', observedAtMs: wall - 23 * HOUR },
      { job: ended('of the future'), instance: 'aaaaaaaa', observedAtMs: wall + 23 * HOUR },
    ];
    const { receipts, clock } = world({ kept });
    expect(receipts.all().map(({ job }) => job.job_id)).toEqual(['young', 'of the future']);
    clock.now += HOUR;
    expect(receipts.all().map(({ job }) => job.job_id)).toEqual(['of the future']);
    clock.now += 23 * HOUR;
    expect(receipts.all()).toEqual([]);
  });
});
