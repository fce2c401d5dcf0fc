import { expect, test } from 'vitest';
import type { ProjectId } from '../../../src/protocol/ids.js';
import { sessionPage } from '../../../src/daemon/sessions/session-list.js';
import { bob, DEMO, sessionsFixture } from './sessions-fixture.js';

interface Page {
  total: number;
  offset: number;
  next_offset: number | null;
  sessions: { session_id: string; session_ref: string; title: string; title_truncated: boolean; lifecycle: string }[];
}

async function list(fixture: ReturnType<typeof sessionsFixture>, args: Record<string, unknown> = {}): Promise<Page> {
  const answer = await fixture.call('list_sessions', { project: DEMO, ...args });
  expect(answer.success).toBe(true);
  return answer.output as unknown as Page;
}

test('[01-A30] foreign Sessions change neither totals nor pages, and a list warms nothing', async () => {
  const fixture = sessionsFixture();
  for (let count = 0; count < 25; count += 1) await fixture.begin({ owner: bob });
  const own = [await fixture.begin(), await fixture.begin()].sort();
  await fixture.begin({ project: 'agent:local:other' as ProjectId });
  await fixture.restart();
  const first = await list(fixture, { limit: 1 });
  expect(first).toMatchObject({ total: 2, offset: 0, next_offset: 1 });
  const second = await list(fixture, { limit: 1, offset: 1 });
  expect(second).toMatchObject({ total: 2, offset: 1, next_offset: null });
  expect([...first.sessions, ...second.sessions].map((row) => row.session_id)).toEqual(own);
  expect(fixture.domain.counts().hot).toBe(0);
});

test('[01-A31] a long title is cut at 240 characters; limits are cut to 1..20, never refused', async () => {
  const fixture = sessionsFixture();
  await fixture.begin({ title: '😀'.repeat(1_000) });
  for (let count = 0; count < 24; count += 1) await fixture.begin();
  const oldest = (await list(fixture, { limit: 1_000, offset: 0 })).sessions;
  expect(oldest).toHaveLength(20);
  const rest = (await list(fixture, { limit: 1_000, offset: 20 })).sessions;
  const long = [...oldest, ...rest].find((row) => row.title.startsWith('😀'));
  expect(long).toMatchObject({ title: '😀'.repeat(240), title_truncated: true });
  expect((await list(fixture, { limit: 0 })).sessions).toHaveLength(1);
});

test('rows come latest update first, with lifecycle as a filter before the total', async () => {
  const fixture = sessionsFixture();
  const a = await fixture.begin({ title: 'a' });
  fixture.time += 10;
  const b = await fixture.begin({ title: 'b' });
  fixture.time += 10;
  await fixture.pair(a);
  await fixture.close(b);
  fixture.time += 10;
  await fixture.pair(a);
  const page = await list(fixture);
  expect(page.sessions.map((row) => [row.title, row.lifecycle])).toEqual([['a', 'active'], ['b', 'closed']]);
  expect(page.sessions[0]?.session_ref).toMatch(/^~s[12]$/);
  expect(await list(fixture, { lifecycle: 'closed' })).toMatchObject({ total: 1, sessions: [{ session_id: b }] });
  expect(await list(fixture, { offset: 50 })).toMatchObject({ total: 2, next_offset: null, sessions: [] });
});

test('a page holds no more than 32 KiB of JSON; what was dropped begins the next one', () => {
  const rows = Array.from({ length: 20 }, (_, index) => ({ session_id: String(index), title: 'ü'.repeat(1_000) }));
  const page = sessionPage(rows, 30, 5, 20) as unknown as Page;
  expect(page.sessions).toHaveLength(16);
  expect(page).toMatchObject({ total: 30, offset: 5, next_offset: 21 });
  expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(32 * 1024);
  // Rows that could not be read are read past, and one row is always shown.
  expect(sessionPage(rows.slice(0, 3), 30, 5, 4)).toMatchObject({ next_offset: 9 });
  expect(sessionPage([{ title: 'x'.repeat(40_000) }], 1, 0, 1)).toMatchObject({ next_offset: null, sessions: [{}] });
});

test('a title without its credential says so', async () => {
  const fixture = sessionsFixture();
  await fixture.begin({ title: 'use token=abc123xyz please' });
  expect((await list(fixture)).sessions[0]).toMatchObject({ title: 'use token=[redacted] please', title_truncated: true });
});
