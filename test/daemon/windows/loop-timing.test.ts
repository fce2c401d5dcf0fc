import { describe, expect, it } from 'vitest';
import { LoopTiming, type ActiveCall } from '../../../src/daemon/windows/loop-timing.js';
import type { WindowEvent } from '../../../src/daemon/kernel/window-event.js';
import { windowActivityView } from '../../../src/daemon/windows/activity-view.js';
import { HERE, W1, WindowHouse } from './window-house.js';

const call = (traceId: string, observedAtMs: number, changes: Partial<ActiveCall> = {}): ActiveCall => ({
  key: 'window',
  tool: 'read_files',
  meaningful: true,
  ...{ traceId, observedAtMs },
  ...changes,
});
const clean = (handedAtMs: number): { handedAtMs: number; streaming: boolean; clean: boolean } => ({ handedAtMs, streaming: false, clean: true });

describe('the order of the calls of a window', () => {
  it('pairs a call with the clean one right before it, and each of them once', () => {
    const timing = new LoopTiming();
    const a = timing.arrive(call('a', 0))(clean(10));
    const b = timing.arrive(call('b', 20))(clean(30));
    expect(a).toEqual({ transition: 'unavailable', previousMeaningfulCall: null, continuityEligible: true, meaningful: true });
    expect(b).toMatchObject({ transition: 'serial', previousMeaningfulCall: 'a' });
    expect(timing.arrive(call('other', 40, { key: 'another' }))(clean(50)).transition).toBe('unavailable');
  });

  it('proves nothing of calls that overlap, nor of the next one', () => {
    const timing = new LoopTiming();
    timing.arrive(call('before', 0))(clean(1));
    const leaveA = timing.arrive(call('a', 10));
    const leaveB = timing.arrive(call('b', 11));
    expect(leaveA(clean(20))).toMatchObject({ transition: 'serial', continuityEligible: false });
    expect(leaveB(clean(21))).toMatchObject({ transition: 'overlap', continuityEligible: false });
    expect(timing.arrive(call('c', 30))(clean(31))).toMatchObject({ transition: 'unavailable', continuityEligible: true });
  });

  it('calls one that was observed before the hand-over an overlap', () => {
    const timing = new LoopTiming();
    timing.arrive(call('a', 0))(clean(100));
    expect(timing.arrive(call('b', 99))(clean(200))).toMatchObject({ transition: 'overlap', continuityEligible: false });
  });

  it('takes no anchor of a call that was cancelled, streamed, or forgotten', () => {
    for (const end of [{ ...clean(5), clean: false }, { ...clean(5), streaming: true }]) {
      const timing = new LoopTiming();
      timing.arrive(call('a', 0))(end);
      expect(timing.arrive(call('b', 10))(clean(11)).transition).toBe('unavailable');
    }
    const timing = new LoopTiming();
    const leave = timing.arrive(call('first', 0));
    for (let n = 0; n < 64; n += 1) timing.arrive(call(`n${n}`, n, { key: `k${n}` }));
    expect(leave(clean(5)).continuityEligible).toBe(false);
  });

  it('is not moved by calls that only look for what there is', () => {
    const timing = new LoopTiming();
    timing.arrive(call('a', 0))(clean(10));
    expect(timing.arrive(call('look', 20, { meaningful: false }))(clean(21))).toMatchObject({ transition: 'unavailable', continuityEligible: false });
    expect(timing.arrive(call('b', 30))(clean(31)).transition).toBe('serial');
  });
});

function event(observed: number, handed: number, changes: Partial<WindowEvent> = {}): WindowEvent {
  return {
    startedAtMs: observed,
    endedAtMs: handed,
    durationMs: handed - observed,
    requestObservedAtMs: observed,
    responseHandedAtMs: handed,
    responseStreaming: false,
    transition: 'serial',
    continuityEligible: true,
    meaningful: true,
    endpoint: '/mcp',
    tool: 'read_files',
    project: 'agent:local:demo',
    status: 'success',
    traceId: `t${observed}`,
    links: [],
    ...changes,
  };
}
const options = { limit: 50, includeNonmeaningful: false, isVisible: (project: string): boolean => !project.includes('hidden') };
const gaps = (view: { readonly [key: string]: unknown }): unknown[] => (view['events'] as { next_call_gap_ms: unknown }[]).map((one) => one.next_call_gap_ms);

describe('the view of a window', () => {
  it('[02-A30] puts a gap on the earlier call alone', () => {
    const view = windowActivityView([event(1_400, 1_500), event(500, 1_000)], options);
    expect(view['events']).toMatchObject([
      { request_observed_at_ms: 1_400, next_call_gap_ms: null, cycle_ms: null },
      { request_observed_at_ms: 500, next_call_gap_ms: 400, cycle_ms: 900, service_ms: 500, method: 'tools/call' },
    ]);
    expect(view['summary']).toMatchObject({ events: 2, max_next_call_gap_ms: 400, next_call_gaps: { lt_1s: 1, lt_2s: 1, ge_5s: 0 } });
    expect(gaps(windowActivityView([event(500, 1_000)], options))).toEqual([null]);
  });

  it('never reaches over a call that is hidden or proves nothing', () => {
    const hidden = event(200, 210, { project: 'agent:local:hidden' });
    expect(gaps(windowActivityView([event(300, 310), hidden, event(100, 110)], options))).toEqual([null, null]);
    const overlap = event(200, 210, { transition: 'overlap', continuityEligible: false });
    expect(gaps(windowActivityView([event(300, 310, { transition: 'unavailable' }), overlap, event(100, 110)], options))).toEqual([null, null, null]);
    const streamed = event(100, 110, { responseStreaming: true });
    expect(windowActivityView([event(200, 210), streamed], options)['events']).toMatchObject([{}, { service_ms: null, next_call_gap_ms: null }]);
  });

  it('shows the links of what its reader may see now', () => {
    const links = [
      { sessionId: 'wc_sess_AAAAAAAAAAAAAAAA', relation: 'recording', project: 'agent:local:demo' },
      { sessionId: 'wc_sess_BBBBBBBBBBBBBBBB', relation: 'recording', project: 'agent:local:hidden' },
    ];
    const view = windowActivityView([event(1, 2, { links })], options);
    expect(view['events']).toMatchObject([{ workflow_sessions: [{ session_id: 'wc_sess_AAAAAAAAAAAAAAAA' }] }]);
  });

  it('[02-A31] looks at 200 events, and shows at most 50 and 24 KiB, without its own call', async () => {
    const house = new WindowHouse();
    const links = Array.from({ length: 4 }, (_, n) => ({ sessionId: `wc_sess_${String(n).padStart(16, '0')}`, relation: 'recording', project: null }));
    house.events = Array.from({ length: 200 }, (_, n) => event(n * 100, n * 100 + 50, { links }));
    const pending = await house.start('read_thing', HERE, { window: W1 });
    const read = await house.call('read_current_window_activity', { limit: 300 }, { window: W1 });
    expect((read.output['events'] as unknown[]).length).toBeLessThanOrEqual(50);
    expect(Buffer.byteLength(JSON.stringify(read.output))).toBeLessThanOrEqual(24 * 1024);
    expect(read.output['truncated']).toBe(true);
    expect(read.output['active_requests']).toMatchObject([{ tool_name: 'read_thing' }]);
    pending.handOver();
    house.events = Object.assign(new Error('gone'), { kind: 'unavailable' });
    expect((await house.call('read_current_window_activity', {}, { window: W1 })).output['reason_code']).toBe('activity_store_unavailable');
    house.events = new Error('broken');
    expect((await house.call('read_current_window_activity', {}, { window: W1 })).output['reason_code']).toBe('activity_query_unavailable');
  });

  it('tells the audit what came right before', async () => {
    const house = new WindowHouse();
    await house.call('read_thing', HERE, { window: W1 });
    house.nowMs += 400;
    await house.call('read_thing', HERE, { window: W1 });
    expect(house.rows.map(({ windowTiming }) => windowTiming?.transition)).toEqual(['unavailable', 'serial']);
    expect(house.rows[1]?.windowTiming?.previousMeaningfulCall).toBe(house.rows[0]?.traceId);
  });
});
