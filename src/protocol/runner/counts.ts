import { z } from 'zod';
import { runnerMethod } from './method.js';

/** What a Runner holds at this moment, as numbers. */
export const countsMethod = runnerMethod({
  name: 'runner/counts',
  params: z.strictObject({}),
  result: z.strictObject({
    open_shells: z.int(),
    /** Connections to SSH resources, those that are being made included. */
    ssh_connections: z.int(),
  }),
  note: z.never(),
  effectful: false,
});
