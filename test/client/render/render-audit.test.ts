import { describe, expect, it } from 'vitest';
import { renderAuditSessions, renderAuditStatistics, styleFor, type AuditSession, type AuditStatistics } from '../../../src/client/render/index.js';
import { columnsOf } from '../../../src/client/render/columns-of.js';
import { spanBar } from '../../../src/client/render/span-bar.js';

const PLAIN = styleFor({ isTerminal: false, env: {} });

const session = (changes: Partial<AuditSession>): AuditSession => ({
  session_id: 'x'.repeat(120),
  title: null,
  note: null,
  status: 'open',
  created_at: 1,
  closed_at: null,
  last_event_at: 1_800_000_000,
  total_actions: 1_234_567,
  success_count: 1_234_000,
  failed_count: 500,
  timeout_or_unknown_count: 67,
  warning_count: 3,
  total_duration_ms: 86_400_000,
  changed_files_count: 0,
  ...changes,
});

const calls = (tool: string, p50: number | null, p95: number | null, error_kinds: Record<string, number> = {}): AuditStatistics['tools'][number] => ({
  tool,
  calls: 10,
  success: 9,
  failed: 1,
  unknown: 0,
  unmeasured: 0,
  duration_ms: { p50, p95 },
  result_bytes: { p50: 1_000, p95: 100_000 },
  error_kinds,
});

const statistics: AuditStatistics = {
  totals: { ...calls('', 5, 90_000), calls: 20 },
  tools: [
    calls('a_tool_of_a_rather_long_name', 4, 90_000, { invalid_arguments: 3, unknown_project: 2, daemon_unavailable: 1 }),
    calls('short', null, null),
  ],
  coverage: { events: 20, first_started_at: 1_800_000_000, last_started_at: 1_800_000_100 },
};

describe('tables of the audit', () => {
  it.each([60, 80, 100, 160])('keep to a terminal of %i columns', (width) => {
    for (const text of [renderAuditSessions([session({})], PLAIN, width), renderAuditStatistics(statistics, PLAIN, width)]) {
      expect(Math.max(...text.split('\n').map(columnsOf))).toBeLessThanOrEqual(width);
    }
  });

  it('are whole where no terminal is', () => {
    expect(renderAuditSessions([session({})], PLAIN, null)).toContain('x'.repeat(120));
    const lines = renderAuditStatistics(statistics, PLAIN, null).split('\n');
    expect(lines[1]).toMatch(/^a_tool_of_a_rather_long_name +10 +90% +0 +4 ms +1 min 30 s +█+░+ +1000 B +97\.7 KiB +invalid_arguments 3, unknown_project 2, daemon_unavailable 1$/);
    expect(lines[2]).toMatch(/^short +10 +90% +0 +- +- +1000 B/);
  });

  it('name every error kind that the table had to cut', () => {
    expect(renderAuditStatistics(statistics, PLAIN, 60).replace(/\n {2}/g, ' ')).toContain(
      'a_tool_of_a_rather_long_name: invalid_arguments 3, unknown_project 2, daemon_unavailable 1',
    );
  });

  it('show nothing of a hostile id but its visible form', () => {
    expect(renderAuditSessions([session({ session_id: '\u001b[2Jgone' })], PLAIN, 80)).toContain('\\x1b[2Jgone');
  });
});

describe('the bar of durations', () => {
  it('is logarithmic: each step of the same ratio is as long as any other', () => {
    expect(spanBar({ p50: 10, p95: 1_000_000 }, 1_000_000)).toBe(`██${'░'.repeat(10)}`);
    expect(spanBar({ p50: 1_000, p95: 1_000 }, 1_000_000)).toBe('██████');
    expect(spanBar({ p50: 0, p95: 1 }, 1_000_000)).toBe('█');
    expect(spanBar({ p50: null, p95: null }, 1_000_000)).toBe('');
    expect(spanBar({ p50: 0, p95: 0 }, 0)).toBe('█');
  });
});
