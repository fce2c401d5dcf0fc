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

  it('[02-A28] refuses the older flat names where the envelope is, and the envelope where it is not', async () => {
    const flat = async (args: Record<string, unknown>, adapter: 'cli' | 'mcp_2026' | 'mcp_legacy') =>
      (await run(kernelFixture([read]), request('read_thing', { ...demo, ...args }, { adapter }))).output['reason_code'];
    for (const name of ['recording_session_id', 'ack_session_message_ids', 'ack_ref', 'session_message_resolution', 'window_reply', 'context_request', '_control', '_session_id']) {
      expect(await flat({ [name]: 'x' }, 'mcp_2026')).toBe('wc_legacy_field');
      expect(await flat({ [name]: 'x' }, 'cli')).toBe('wc_legacy_field');
    }
    expect(await flat({ _wc: {} }, 'mcp_legacy')).toBe('wc_surface_unavailable');
    const inside = await run(kernelFixture([read]), request('read_thing', { ...demo, _wc: {} }));
    expect(inside.output['error_kind']).toBe('invalid_arguments');
  });

  it('refuses every key of every wrong type, and says which', async () => {
    const wrong = [null, 1, true, 'x y', '', [], {}, [[]], [1], { a: 1 }, 'x'.repeat(65)];
    for (const key of ['record', 'ack', 'ack_ref', 'resolve', 'context', 'control', 'reply']) {
      for (const value of wrong) {
        const result = await run(kernelFixture([read]), request('read_thing', demo, { envelope: { [key]: value } }));
        if (result.success) {
          // Empty lists and an empty control ask for nothing; the rest that passes is text of the right form.
          expect([['ack', 'context'], ['control'], ['ack_ref']].some((keys) => keys.includes(key))).toBe(true);
          continue;
        }
        expect(['invalid_arguments', 'unknown_session_id', 'invalid_control_arguments']).toContain(result.output['error_kind']);
        if (result.output['reason_code'] !== undefined) expect(result.output).toMatchObject({ reason_code: 'wc_field_invalid', field: key });
      }
    }
  });

  it('[02-A16] takes at most eight ACK ids', async () => {
    const ids = Array.from({ length: 9 }, (_, n) => `wc_msg_${String(n).padStart(16, '0')}`);
    expect(await reasonOf({ ack: ids })).toBe('wc_field_invalid');
  });

  it('says what a key holds, and counts characters as the board does', async () => {
    const refused = await run(kernelFixture([read]), request('read_thing', demo, { envelope: { ack: ['nope'] } }));
    expect(refused).toMatchObject({ error: '_wc.ack takes a list of up to 8 message ids, wc_msg_…', output: { field: 'ack' } });
    const reply = (message: string) => ({ reply: { reply_to: 'wc_msg_0123456789abcdef', message } });
    const taken = await run(kernelFixture([read]), request('read_thing', demo, { envelope: reply('😀'.repeat(8_000)) }));
    expect(taken.success).toBe(true);
    expect(await reasonOf(reply('😀'.repeat(8_001)))).toBe('wc_field_invalid');
    expect(await reasonOf(reply('a'.repeat(8_001)))).toBe('wc_field_invalid');
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
