import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProgressReports, type ProgressReport } from '../../src/mcp/progress-reports.js';

describe('progress of a call', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('rises strictly, comes every 15 s at most, tells the latest line, and ends with the call', () => {
    const sent: ProgressReport[] = [];
    const reports = new ProgressReports((report) => sent.push(report));
    reports.note({ stream: 'stdout', text: 'one\ntwo\n' });
    vi.advanceTimersByTime(14_999);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(15_001);
    expect(sent).toEqual([
      { progress: 1, message: 'two' },
      { progress: 2, message: 'two' },
    ]);
    reports.end();
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(2);
  });

  it('is bounded in what it says', () => {
    const sent: ProgressReport[] = [];
    const reports = new ProgressReports((report) => sent.push(report));
    reports.note({ message: 'x'.repeat(10_000) });
    vi.advanceTimersByTime(15_000);
    reports.end();
    expect(sent[0]?.message).toHaveLength(200);
  });
});
