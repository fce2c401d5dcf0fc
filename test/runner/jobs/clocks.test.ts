import { afterEach, describe, expect, it } from 'vitest';
import { executionHouse, isRunning, until, type ExecutionHouse } from './execution-house.js';

const DAY = 24 * 60 * 60 * 1_000;
let house: ExecutionHouse;
afterEach(() => house.close());

/** A wall clock that steps by some days whenever it is read. */
function steppingClock(days: number): () => number {
  let wall = 1_800_000_000_000;
  return () => (wall += days * DAY);
}

describe('[00-D31] a wall clock that steps', () => {
  it.each([1, -1])('by %i days at every look changes no bound and no duration', async (days) => {
    house = await executionHouse({ wallClock: steppingClock(days) });
    const ended = await house.shell('sleep 0.1; echo done');
    expect(ended).toMatchObject({ execution_state: 'completed', exit_code: 0, stdout: { text: 'done\n' } });
    expect(ended.duration_ms).toBeGreaterThanOrEqual(100);
    expect(ended.duration_ms).toBeLessThan(5_000);

    const late = await house.shell('echo $$ >pid; sleep 60', { timeout_ms: 300 });
    expect(late).toMatchObject({ execution_state: 'timed_out', failure_kind: 'timeout' });
    expect(late.duration_ms).toBeGreaterThanOrEqual(300);
    expect(late.duration_ms).toBeLessThan(5_000);
    const pid = Number(await house.project.read('pid'));
    await until('it was ended', async () => !(await isRunning(pid)) || null);

    const job = await house.job('while [ ! -e go ]; do sleep 0.02; done');
    await house.project.write('go', '');
    expect(await house.ended(job.job_id)).toMatchObject({ status: 'completed', outcome: 'succeeded' });
  });
});
