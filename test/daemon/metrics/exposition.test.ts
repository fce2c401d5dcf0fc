import { describe, expect, it } from 'vitest';
import { CallMetrics } from '../../../src/daemon/metrics/call-metrics.js';
import { exposition, type Family } from '../../../src/daemon/metrics/exposition.js';
import { promtool } from '../../promtool.js';
import { callRecord, failedCall } from '../audit/audit-fixture.js';

describe('the text format', () => {
  it('escapes what stands in labels and help, and knows numbers that are none', () => {
    const family: Family = {
      name: 'wc_hostile',
      type: 'gauge',
      help: 'two\nlines \\ and a backslash',
      samples: [
        { labels: { text: 'a"b\\c\nd' }, value: Number.NaN },
        { labels: { text: '{}=,' }, value: Number.POSITIVE_INFINITY },
        { labels: { text: '' }, value: 1e21 },
      ],
    };
    const page = exposition([family, { ...family, name: 'wc_empty', samples: [] }]);
    expect(page).toBe(
      [
        '# HELP wc_hostile two\\nlines \\\\ and a backslash',
        '# TYPE wc_hostile gauge',
        'wc_hostile{text="a\\"b\\\\c\\nd"} NaN',
        'wc_hostile{text="{}=,"} +Inf',
        'wc_hostile{text=""} 1e+21',
        '',
      ].join('\n'),
    );
    expect(promtool(page)).toBe('');
  });
});

describe('calls', () => {
  it('count once each, under names of ours alone', () => {
    const metrics = new CallMetrics();
    metrics.record(callRecord({ durationMs: 1 }));
    metrics.record(callRecord({ durationMs: 40 }));
    metrics.record(failedCall({ error_kind: 'unknown_project' }, { durationMs: 4_000_000 }));
    metrics.record(failedCall({ error_kind: 'a_kind_that_a_plugin_made_up' }));
    metrics.record(failedCall({ error_kind: 'unknown_tool' }, { facts: null, toolName: 'x"\n', outcome: 'refused' }));
    const page = exposition(metrics.families());
    expect(promtool(page)).toBe('');
    const lines = page.split('\n').filter((line) => !line.startsWith('#') && !line.includes('_bucket'));
    expect(lines).toEqual([
      'wc_calls_total{tool="read_files",outcome="success",adapter="cli"} 2',
      'wc_calls_total{tool="read_files",outcome="tool_failed",adapter="cli"} 2',
      'wc_calls_total{tool="unknown",outcome="refused",adapter="cli"} 1',
      'wc_call_errors_total{tool="read_files",kind="unknown_project"} 1',
      'wc_call_errors_total{tool="read_files",kind="other"} 1',
      'wc_call_errors_total{tool="unknown",kind="unknown_tool"} 1',
      'wc_call_duration_seconds_sum{tool="read_files"} 4000.046',
      'wc_call_duration_seconds_count{tool="read_files"} 4',
      'wc_call_duration_seconds_sum{tool="unknown"} 0.005',
      'wc_call_duration_seconds_count{tool="unknown"} 1',
      '',
    ]);
    const buckets = [...page.matchAll(/wc_call_duration_seconds_bucket\{tool="read_files",le="([^"]+)"\} (\d+)/g)].map(([, le, count]) => [le, Number(count)]);
    expect(buckets).toHaveLength(18);
    expect([buckets[0], buckets[2], buckets[5], buckets.at(-2), buckets.at(-1)]).toEqual([['0.001', 1], ['0.005', 2], ['0.05', 3], ['1800', 3], ['+Inf', 4]]);
  });
});
