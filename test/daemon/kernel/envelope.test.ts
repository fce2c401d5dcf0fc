import { describe, expect, it } from 'vitest';
import { success } from '../../../src/protocol/tool-result.js';
import { kernelFixture, request, run, session, SESSION_A, tool } from './kernel-fixture.js';

const read = tool('read_thing', () => ({ result: success({ text: 'x' }) }));
const demo = { project: 'agent:local:demo' };

async function reasonOf(envelope: unknown, adapter: 'http' | 'mcp_legacy' = 'http'): Promise<unknown> {
  const result = await run(kernelFixture([read]), request('read_thing', demo, { envelope, adapter }));
  expect(result.output['error_kind']).toBe('invalid_arguments');
  return result.output['reason_code'];
}

describe('the _wc envelope', () => {
  it('[02-A28] is closed, and each refusal says why', async () => {
    expect(await reasonOf({ extra: 1 })).toBe('wc_unknown_field');
    expect(await reasonOf({ recording_session_id: SESSION_A })).toBe('wc_legacy_field');
    expect(await reasonOf({}, 'mcp_legacy')).toBe('wc_surface_unavailable');
    expect(await reasonOf('text')).toBe('wc_not_object');
    expect(await reasonOf(null)).toBe('wc_not_object');
    expect(await reasonOf({ ack: ['nope'] })).toBe('wc_field_invalid');
  });

  it('[02-A16] takes at most eight ACK ids', async () => {
    const ids = Array.from({ length: 9 }, (_, n) => `wc_msg_${String(n).padStart(16, '0')}`);
    expect(await reasonOf({ ack: ids })).toBe('wc_field_invalid');
  });

  it('never echoes a value', async () => {
    const result = await run(
      kernelFixture([read]),
      request('read_thing', demo, { envelope: { control: { before: 'hunter2' } } }),
    );
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('names one recorder, not two', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A)] });
    const result = await run(
      fixture,
      request('read_thing', demo, { envelope: { record: SESSION_A }, recordingSessionId: SESSION_A }),
    );
    expect(result.output['error_kind']).toBe('invalid_arguments');
    expect(fixture.pairs).toEqual([]);
  });

  it('[02-A29] refuses an unknown ref as recorder and leaves no event', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A)] });
    const result = await run(fixture, request('read_thing', demo, { envelope: { record: '~s9' } }));
    expect(result.output['error_kind']).toBe('unknown_session_ref');
    expect(fixture.pairs).toEqual([]);
  });

  it('[02-A27] answers unknown material as unsupported and never fails the tool for it', async () => {
    const fixture = kernelFixture([read]);
    const result = await run(fixture, request('read_thing', demo, { envelope: { context: ['x.y'] } }));
    expect(result.success).toBe(true);
    expect(result.output['context_projection']).toEqual({
      materials: [{ key: 'x.y', status: 'unsupported', reason_code: 'unsupported_context_material' }],
      truncated: false,
    });
  });

  it('[02-A22] takes one mutation before the tool, and starts nothing when two are asked', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A)] });
    const result = await run(
      fixture,
      request('read_thing', demo, {
        envelope: {
          record: SESSION_A,
          resolve: { message_id: 'wc_msg_0000000000000000', resolution: 'done' },
          control: { before: { checkpoint_goal: {} } },
        },
      }),
    );
    expect(result.output['error_kind']).toBe('multiple_before_mutations');
    expect(fixture.pairs).toEqual([]);
  });

  it('counts what came for telemetry, before it is taken off', async () => {
    const fixture = kernelFixture([read]);
    await run(
      fixture,
      request('read_thing', demo, { envelope: { ack: [], control: { before: { a: 1, b: 2 } } } }),
    );
    expect(fixture.rows[0]?.envelope).toMatchObject({ ackCount: 0, controlBefore: null });
    expect(fixture.rows[0]?.envelope.present).toMatchObject({ ack: true, control: true, record: false });
  });
});
