import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TemporaryProject } from '../../runner/temporary-project.js';
import { taskHouse, type Result, type TaskHouse } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';

let project: TemporaryProject;
let house: TaskHouse;
let sessionId: string;
let now = 1_800_000_000;

const LIMITS = { perSession: 3, total: 5 };
async function open(limits: typeof LIMITS | null = LIMITS): Promise<void> {
  house = await taskHouse({ now: () => now, ...(limits === null ? {} : { reportLimits: limits }) });
  await house.call('register_project', { path: project.folder, id: 'a' });
  sessionId = await begin();
}
beforeEach(async () => {
  now = 1_800_000_000;
  project = await temporaryRepository();
  await open();
});
afterEach(async () => {
  await house.close();
  // A house that took another one's folder over leaves it.
  await rm(house.folder, { recursive: true, force: true });
  await project.remove();
});

const begin = async (): Promise<string> => (await house.call('work_on_project', { project: 'a', instruction: 'x' })).output['session_id'] as string;
const hex = (digit: string): string => digit.repeat(64);
const report = (changes: Record<string, unknown> = {}, recorder?: string): Promise<Result> =>
  house.call(
    'record_external_observation',
    { project: 'a', session_id: sessionId, adapter_id: hex('a'), event_id: hex('b'), observed_tool: 'make', exit_code: 0, ...changes },
    recorder === undefined ? {} : { recordingSessionId: recorder },
  );
const list = (): Promise<Result> => house.call('list_external_observations', { project: 'a', session_id: sessionId });
const observed = (): number => house.sessions.fence(sessionId as never)?.eventsObserved ?? expect.fail('not retained');

describe('record_external_observation', () => {
  it('[06-A29] the same key with another code conflicts, one too many has no room, and a replay stores nothing', async () => {
    const first = await report();
    expect(first).toMatchObject({ success: true, output: { inserted: true, state_changed: true, observation: { reported_status: 'reported_success', recorded_at: now } } });
    now += 60;
    expect(await report()).toMatchObject({ success: true, output: { inserted: false, state_changed: false, observation: { recorded_at: now - 60 } } });
    for (const changed of [{ exit_code: 1 }, { exit_code: undefined }, { observed_tool: 'cmake' }]) {
      expect((await report(changed)).output).toMatchObject({ error_kind: 'external_observation_conflict', state_changed: false });
    }
    await report({ event_id: hex('c'), exit_code: 2 });
    await report({ event_id: hex('d'), exit_code: undefined });
    expect((await report({ event_id: hex('e') })).output).toMatchObject({ error_kind: 'external_observation_capacity', bound: 'session', state_changed: false });
    // What is stored already is answered before the bound is looked at.
    expect((await report()).output['inserted']).toBe(false);
    const { output } = await list();
    expect(output).toMatchObject({ provenance: 'external_report', coverage: { complete: false, reason: 'source_sequence_unavailable' }, total: 3, unknown_count: 1 });
    expect((output['observations'] as { reported_status: string }[]).map(({ reported_status: status }) => status)).toEqual(['reported_success', 'reported_failure', 'unknown']);
  });

  it('[04-A38] takes a code and no command', async () => {
    expect((await report({ command: 'make all' })).output['error_kind']).toBe('invalid_arguments');
    expect((await list()).output['total']).toBe(0);
  });

  it('[06-A29] holds 256 reports of a Session', async () => {
    await house.close();
    await open(null);
    const event = (number: number): string => number.toString(16).padStart(64, '0');
    const answers = await Promise.all(Array.from({ length: 257 }, (_, number) => report({ event_id: event(number) })));
    expect(answers.filter(({ success }) => success)).toHaveLength(256);
    expect(answers.find(({ success }) => !success)?.output['error_kind']).toBe('external_observation_capacity');
    expect((await report({ event_id: event(0) })).output['inserted']).toBe(false);
  });

  it('bounds all Sessions together', async () => {
    for (const event of ['1', '2', '3']) await report({ event_id: hex(event) });
    sessionId = await begin();
    for (const event of ['1', '2']) expect((await report({ event_id: hex(event) })).output['inserted']).toBe(true);
    expect((await report({ event_id: hex('3') })).output).toMatchObject({ error_kind: 'external_observation_capacity', bound: 'total' });
  });

  it('leaves no event, whoever records, and survives a restart', async () => {
    const before = observed();
    await report({}, sessionId);
    await house.call('list_external_observations', { project: 'a', session_id: sessionId }, { recordingSessionId: sessionId });
    expect(observed()).toBe(before);
    await house.sessions.close?.();
    house.database.close();
    house = await taskHouse({ folder: house.folder });
    expect((await list()).output['total']).toBe(1);
  });

  it.each([
    [{ adapter_id: 'A'.repeat(64) }, 'invalid_external_observation'],
    [{ event_id: 'a'.repeat(63) }, 'invalid_external_observation'],
    [{ observed_tool: 'rm -rf /' }, 'invalid_external_observation'],
    [{ observed_tool: 't'.repeat(65) }, 'invalid_external_observation'],
    [{ exit_code: 2 ** 40 }, 'invalid_external_observation'],
    [{ exit_code: 1.5 }, 'invalid_arguments'],
    [{ observed_tool: undefined }, 'invalid_arguments'],
    [{ stdout: 'x' }, 'invalid_arguments'],
  ])('refuses %j with %s', async (changes, kind) => {
    expect((await report(changes)).output['error_kind']).toBe(kind);
  });

  it('refuses another project, and a Closed Session, replays too; what was stored stays readable', async () => {
    await report();
    await house.call('register_project', { path: project.base, id: 'b' });
    expect((await report({ project: 'b' })).output['error_kind']).toBe('session_project_mismatch');
    await house.call('close_session', { session_id: sessionId });
    expect((await report()).output['error_kind']).toBe('session_closed');
    expect((await list()).output['total']).toBe(1);
  });

  it('tells a store that cannot be used from a commit that nobody confirmed', async () => {
    house.database.exec("CREATE TRIGGER full BEFORE INSERT ON external_observations BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    expect((await report()).output).toMatchObject({ error_kind: 'external_observation_store_unavailable', state_changed: false });
    house.database.exec('DROP TRIGGER full');
    const enqueue = house.commits.enqueue.bind(house.commits);
    let confirmed = false;
    house.commits.enqueue = (write, committed) => {
      // A sibling work of the same commit that breaks it as a whole.
      if (confirmed) return enqueue(write, committed);
      confirmed = true;
      return enqueue(() => {
        write();
        house.database.exec('ROLLBACK');
        throw new Error('I/O error');
      }, committed);
    };
    expect((await report()).output).toMatchObject({ error_kind: 'external_observation_storage_uncertain', state_changed: null, retry_same_event_identity: true });
    expect((await report()).output['inserted']).toBe(true);
    house.database.exec('ALTER TABLE external_observations RENAME TO gone');
    expect((await list()).output['error_kind']).toBe('external_observation_store_unavailable');
    expect((await report()).output['error_kind']).toBe('external_observation_store_unavailable');
  });
});
