import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/daemon/config.js';
import { DEFAULT_SESSION_LIMITS } from '../../../src/daemon/sessions/index.js';
import { sessionsFixture } from './sessions-fixture.js';

test('the limits of the configuration are the limits of the rules, unless they are set', () => {
  expect(parseConfig(null, 'config.json').sessions).toEqual({
    hot_session_capacity_target: DEFAULT_SESSION_LIMITS.hotSessionCapacityTarget,
    historical_session_retention_limit: DEFAULT_SESSION_LIMITS.historicalSessionRetentionLimit,
    max_events_per_session: DEFAULT_SESSION_LIMITS.eventsPerSession,
    max_messages_per_session: DEFAULT_SESSION_LIMITS.messagesPerSession,
  });
  expect(DEFAULT_SESSION_LIMITS).toEqual({
    hotSessionCapacityTarget: 100,
    historicalSessionRetentionLimit: 100,
    eventsPerSession: 2_000,
    messagesPerSession: 200,
  });
});

test.each([
  ['hot_session_capacity_target', -1],
  ['historical_session_retention_limit', 1.5],
  ['max_events_per_session', 0],
  ['max_messages_per_session', '200'],
  ['max_sessions', 100],
])('a start is refused by the name of its key: sessions.%s', (key, value) => {
  const config = JSON.stringify({ sessions: { [key]: value } });
  expect(() => parseConfig(config, '/state/config.json')).toThrow(`/state/config.json: "sessions.${key}"`);
});

test('the status says every limit in force, and what they did', async () => {
  const fixture = sessionsFixture({
    hotSessionCapacityTarget: 3,
    historicalSessionRetentionLimit: 1,
    eventsPerSession: 7,
    messagesPerSession: 9,
  });
  const sessions = [await fixture.begin(), await fixture.begin(), await fixture.begin()];
  for (const session of sessions.slice(0, 2)) await fixture.close(session);
  expect(fixture.status()).toEqual({
    persistence: 'sqlite',
    restored_sessions: 0,
    retained_sessions: 2,
    active_sessions: 1,
    closed_sessions: 1,
    hot_sessions: 1,
    cold_sessions: 1,
    hot_session_capacity_target: 3,
    max_sessions: 3,
    historical_session_retention_limit: 1,
    max_events_per_session: 7,
    max_messages_per_session: 9,
    retention_tombstones: 1,
    capacity_evictions: 1,
    unreadable_rows: 0,
    last_persist_error: null,
  });
});

test('a start under lower limits removes in short commits until they hold', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 100 });
  for (let count = 0; count < 65; count += 1) await fixture.close(await fixture.begin());
  await fixture.restart({ historicalSessionRetentionLimit: 2 });
  expect(fixture.status()).toMatchObject({ restored_sessions: 2, closed_sessions: 2, retention_tombstones: 2, capacity_evictions: 63 });
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, findings: [] });
});
