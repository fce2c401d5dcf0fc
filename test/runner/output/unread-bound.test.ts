import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NotesUnderWay } from '../../../src/runner/notes-under-way.js';
import { UnreadBound } from '../../../src/runner/output/worker/unread-bound.js';

describe('a bound on what is unread', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is reached by a quarter of the spool behind a reader that comes back, and by nothing without one', () => {
    const changes: boolean[] = [];
    const bound: UnreadBound = new UnreadBound(4_000, () => changes.push(bound.isReached));
    bound.grown(100_000);
    expect(bound.isReached).toBe(false);
    bound.readTo(99_000);
    expect(bound.isReached).toBe(false);
    bound.grown(100_001);
    expect(bound.isReached).toBe(true);
    bound.readTo(100_001);
    expect(changes).toEqual([false, true, false]);
  });

  it('waits a minute for its reader, from the last read on', () => {
    const bound = new UnreadBound(4_000, () => undefined);
    bound.readTo(0);
    bound.grown(5_000);
    vi.advanceTimersByTime(59_999);
    bound.readTo(1);
    vi.advanceTimersByTime(59_999);
    expect(bound.isReached).toBe(true);
    vi.advanceTimersByTime(1);
    expect(bound.isReached).toBe(false);
  });
});

describe('notes under way', () => {
  it('make their sender wait from the 16th on, until half of them were taken', async () => {
    const notes = new NotesUnderWay();
    const sent = Array.from({ length: 16 }, () => notes.sent());
    expect(sent.lastIndexOf(true)).toBe(14);
    let drained = false;
    const waiting = notes.drained().then(() => (drained = true));
    for (let taken = 0; taken < 7; taken += 1) notes.taken();
    await Promise.resolve();
    expect(drained).toBe(false);
    notes.taken();
    await waiting;
  });

  it('keep nobody waiting once the request is over', async () => {
    const notes = new NotesUnderWay();
    for (let sent = 0; sent < 40; sent += 1) notes.sent();
    const waiting = notes.drained();
    notes.end();
    await waiting;
    await notes.drained();
    expect(notes.sent()).toBe(true);
  });
});
