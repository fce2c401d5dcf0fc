import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExecutionHouse, type DaemonSide } from '../execution/execution-house.js';

let house: ExecutionHouse;
let daemon: DaemonSide;

beforeAll(() => {
  house = new ExecutionHouse({ max_concurrent_jobs: 16 });
  daemon = house.daemon();
});
afterAll(() => house.close());

test('readiness race: an end between the first look and the subscription is never missed', async () => {
  await daemon.output('run_process', { executable: 'true' });
  const rounds = Array.from({ length: 60 }, (_, round) => round);
  for (const batch of [rounds.slice(0, 20), rounds.slice(20, 40), rounds.slice(40)]) {
    const waits = batch.map(async (round) => {
      // Some end before the wait begins, some while it does, some after.
      const { job_id } = await daemon.output('run_job', { command: `sleep 0.${String((round * 3) % 40).padStart(3, '0')}` });
      return daemon.output('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 15 });
    });
    for (const waited of await Promise.all(waits)) expect(waited).toMatchObject({ wait_state: 'ready', ready: [{ status: 'completed', ready_reason: 'terminal' }] });
  }
});

test('readiness race: so it is with a line and with an observer', async () => {
  const waits = Array.from({ length: 20 }, async (_, round) => {
    const { job_id } = await daemon.output('run_job', { command: `sleep 0.0${String(round).padStart(2, '0')}; echo ready; sleep 30` });
    const ready = daemon.output('wait_for_job_readiness', { job_ids: [job_id], mode: 'any', wait_secs: 15, ready_when: { output_literal: 'ready' } });
    expect(await ready).toMatchObject({ wait_state: 'ready', ready: [{ status: 'running', ready_reason: 'output' }] });
    const first = await daemon.output('observe_jobs', { items: [{ job_id }] });
    const [{ observation_token: token }] = first['items'] as [{ observation_token: string }];
    const ending = daemon.output('observe_jobs', { items: [{ job_id, after_observation_token: token }], wait_secs: 15, wake_on: 'terminal' });
    await daemon.output('stop_job', { job_id, confirm: true });
    expect(await ending).toMatchObject({ wake_reason: 'terminal', items: [{ status: 'stopped' }] });
  });
  await Promise.all(waits);
});
