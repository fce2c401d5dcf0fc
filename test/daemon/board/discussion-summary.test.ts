import { describe, expect, it } from 'vitest';
import { boardFixture } from './board-fixture.js';

describe('read_session_discussion_summary', () => {
  it('counts every kind, and shows what is open by kind, the newest first', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const post = async (kind: string, message: string, more: Record<string, unknown> = {}): Promise<string> =>
      (await house.call('post_session_message', { session_id: session, kind, message, ...more })).output['message_id'] as string;
    const todo = await post('todo', 'write the parser', { priority: 'high', requires_ack: true });
    const answered = await post('question', 'which calendar?');
    await house.call('resolve_session_message', { session_id: session, message_id: answered });
    const progress = await post('progress', 'half done', { reply_to: todo });
    const long = await post('todo', '𝒙'.repeat(241));

    const { output } = await house.call('read_session_discussion_summary', { session_id: session });
    const open = { priority: 'normal', requires_ack: false, created_at: expect.any(Number) as number, reply_to: null, truncated: false, replies: 0 };
    expect(output).toEqual({
      session_id: session,
      counts: {
        total: 4,
        open: 3,
        resolved: 1,
        by_kind: { todo: { open: 2, resolved: 0 }, question: { open: 0, resolved: 1 }, progress: { open: 1, resolved: 0 } },
      },
      open_groups: [
        {
          kind: 'todo',
          total: 2,
          messages: [
            { ...open, message_id: long, excerpt: `${'𝒙'.repeat(240)}…`, truncated: true },
            { ...open, message_id: todo, priority: 'high', requires_ack: true, excerpt: 'write the parser', replies: 1 },
          ],
        },
        { kind: 'progress', total: 1, messages: [{ ...open, message_id: progress, reply_to: todo, excerpt: 'half done' }] },
      ],
      returned: 3,
      has_more: false,
    });
  });

  it('keeps its counts true where the limit leaves messages out', async () => {
    const house = boardFixture();
    const session = await house.begin();
    await house.post(session, 'first');
    await house.call('post_session_message', { session_id: session, kind: 'risk', message: 'second' });
    const { output } = await house.call('read_session_discussion_summary', { session_id: session, limit: 1 });
    expect(output).toMatchObject({
      counts: { total: 2, open: 2 },
      open_groups: [
        { kind: 'risk', total: 1, messages: [{ excerpt: 'second' }] },
        { kind: 'note', total: 1, messages: [] },
      ],
      returned: 1,
      has_more: true,
    });
  });

  it('of a Session where nothing was said is empty, not absent', async () => {
    const house = boardFixture();
    const session = await house.begin();
    expect((await house.call('read_session_discussion_summary', { session_id: session })).output).toEqual({
      session_id: session,
      counts: { total: 0, open: 0, resolved: 0, by_kind: {} },
      open_groups: [],
      returned: 0,
      has_more: false,
    });
  });
});
