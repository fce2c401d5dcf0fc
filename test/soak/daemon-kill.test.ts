import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientError, connect, type DaemonClient } from '../../src/client/index.js';
import { readHolder } from '../../src/daemon/lock.js';
import { statePaths } from '../../src/protocol/state-folder.js';

/** 200 kills in the long form, 20 in the short one that every test run holds. */
const KILLS = process.env['WC_SOAK'] === 'full' ? 200 : 20;
const CLIENTS = 8;
/** Below the 2,000 events that a Session keeps, so that none is evicted before it is looked for. */
const CALLS_PER_SESSION = 400;

/** What one client was told is recorded. */
interface Acknowledged {
  readonly sessionId: string;
  readonly eventId: string;
}

describe('kill -9 of the daemon', () => {
  let folder: string;
  let env: Record<string, string>;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'wc-kill-'));
    mkdirSync(join(folder, 'project'));
    execFileSync('git', ['init', '-q', join(folder, 'project')]);
    env = { ...(process.env as Record<string, string>), WC_HOME: join(folder, 'state') };
  });
  afterAll(async () => {
    const client = await connect({ adapter: 'cli', env });
    await client.request('POST', '/api/daemon/stop', {});
    client.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  it(
    `loses nothing acknowledged, ${KILLS} times at random moments under ${CLIENTS} clients`,
    async () => {
      const paths = statePaths(join(folder, 'state'));
      const first = await connect({ adapter: 'cli', env });
      const work = await first.callTool('work_on_project', {
        arguments: { client_id: 'local', path: join(folder, 'project'), instruction: 'survive' },
      });
      expect(work.success).toBe(true);

      let done = false;
      const acknowledged: Acknowledged[] = [];
      const clients = Array.from({ length: CLIENTS }, () => recordCalls(env, () => done, acknowledged));
      let kills = 0;
      let answered = 0;
      const random = seededRandom(20_261_130);
      while (kills < KILLS) {
        // At a random moment: after a random number of further acknowledged calls.
        const target = acknowledged.length + Math.floor(random() * 60);
        await until(() => acknowledged.length >= target);
        const pid = readHolder(paths)?.pid;
        if (pid === undefined || !kill(pid)) continue;
        kills += 1;
        const next = await first.callTool('list_tools', { arguments: { summary_only: true } }, { repeatable: true });
        if (next.success) answered += 1;
      }
      done = true;
      await Promise.all(clients);
      first.close();

      expect(answered).toBe(KILLS);
      const ledger = new SqliteDatabase(paths.ledger, { readonly: true });
      const stored = new Set(ledger.prepare<[], string>("SELECT json_extract(body, '$.event_id') FROM session_events").pluck().all());
      ledger.close();
      expect(acknowledged.length).toBeGreaterThan(KILLS);
      expect(acknowledged.filter(({ eventId }) => !stored.has(eventId))).toEqual([]);
    },
    KILLS * 20_000,
  );
});

/** Calls, one after another, each recorded in a Session of this client's own, until `isDone`. */
async function recordCalls(
  env: Record<string, string>,
  isDone: () => boolean,
  acknowledged: Acknowledged[],
): Promise<void> {
  const client = await connect({ adapter: 'cli', env });
  try {
    for (let calls = 0, sessionId = ''; !isDone(); calls += 1) {
      if (calls % CALLS_PER_SESSION === 0) sessionId = await newSession(client, isDone);
      const eventId = await recordedCall(client, sessionId);
      if (eventId !== null) acknowledged.push({ sessionId, eventId });
    }
  } finally {
    client.close();
  }
}

async function newSession(client: DaemonClient, isDone: () => boolean): Promise<string> {
  while (!isDone()) {
    try {
      const result = await client.callTool('start_session', { arguments: { title: 'soak' } });
      if (result.success) return result.output['session_id'] as string;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
    }
  }
  return '';
}

/** The event that the daemon says it recorded; null where the call was cut off, so that nothing was promised. */
async function recordedCall(client: DaemonClient, sessionId: string): Promise<string | null> {
  try {
    const result = await client.callTool('list_tools', {
      arguments: { summary_only: true },
      recording_session_id: sessionId,
    });
    return result.success ? result.output['session_event_id'] as string : null;
  } catch (error) {
    if (error instanceof ClientError) return null;
    throw error;
  }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // it is just being replaced
  }
}

async function until(fact: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!fact()) {
    if (performance.now() > deadline) throw new Error('the awaited fact did not come');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A small generator, so that a run that fails can be run again as it was. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
