import { z } from 'zod';
import { runnerMethod } from './method.js';

const nothing = z.never();

/** The first request on every connection: who are you, and do you still work for this state folder. */
export const helloMethod = runnerMethod({
  name: 'runner/hello',
  params: z.strictObject({
    wire_version: z.number().int(),
    daemon_version: z.string(),
    daemon_pid: z.number().int(),
    state_folder: z.string(),
  }),
  result: z.strictObject({
    wire_version: z.number().int(),
    runner_version: z.string(),
    pid: z.number().int(),
    instance_id: z.string(),
    started_at_ms: z.number().int(),
    state_folder: z.string(),
    active_jobs: z.number().int(),
    open_shells: z.number().int(),
    capabilities: z.array(z.string()),
  }),
  note: nothing,
  effectful: false,
});

/** An orderly end: children are terminated, then the Runner exits. */
export const shutdownMethod = runnerMethod({
  name: 'runner/shutdown',
  params: z.strictObject({ reason: z.string() }),
  result: z.strictObject({ ended_jobs: z.number().int() }),
  note: nothing,
  effectful: true,
});
