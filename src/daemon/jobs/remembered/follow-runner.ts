import { setTimeout as sleep } from 'node:timers/promises';
import { watchJobsMethod } from '../../../protocol/runner/job-watch.js';
import type { RunnerPort } from '../../runner-link/index.js';
import type { JobMemory } from './job-memory.js';

/** A Runner that has no news answers by then, in milliseconds. */
const WAIT_MS = 30_000;
/** Between two tries to reach a Runner that is away. */
const RETRY_MS = 100;
/** A Runner of an older version does not tell of its Jobs; it is replaced when they have ended. */
const UNSUPPORTED_RETRY_MS = 5_000;

/** Keeps the memory of Jobs up to date until it is stopped: hears every change, and notices that the Runner is away. */
export async function followRunner(runner: RunnerPort, memory: JobMemory, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const options = { signal: stop, background: true };
    const answer = await runner.call(watchJobsMethod, { after: memory.lastSeen, wait_ms: WAIT_MS }, options);
    if ('answer' in answer) {
      memory.hear(answer.answer);
      continue;
    }
    const kind = answer.failure.output['error_kind'];
    if (kind === 'runner_unavailable') memory.away();
    const pause = kind === 'runner_unavailable' ? RETRY_MS : UNSUPPORTED_RETRY_MS;
    await sleep(pause, undefined, { signal: stop, ref: false }).catch(() => undefined);
  }
}
