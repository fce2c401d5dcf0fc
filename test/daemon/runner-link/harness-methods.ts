import { z } from 'zod';
import { runnerMethod } from '../../../src/protocol/runner/method.js';

/** Requests of the harness Runner, each for one way that a request can go. */
export const echoMethod = runnerMethod({
  name: 'harness/echo',
  params: z.strictObject({ text: z.string() }),
  result: z.strictObject({ text: z.string(), served: z.int() }),
  note: z.never(),
  effectful: false,
});

/** Answers when it is cancelled, and at no other time. */
export const hangMethod = runnerMethod({
  name: 'harness/hang',
  params: z.strictObject({}),
  result: z.strictObject({ cancelled: z.boolean() }),
  note: z.strictObject({ started: z.boolean() }),
  effectful: true,
});

/** The same, without an effect. */
export const hangReadMethod = runnerMethod({ ...hangMethod, name: 'harness/hang_read', effectful: false });

export const countMethod = runnerMethod({
  name: 'harness/count',
  params: z.strictObject({ to: z.int() }),
  result: z.strictObject({ sent: z.int() }),
  note: z.strictObject({ number: z.int() }),
  effectful: false,
});

/** Refuses with whatever kind it is given. */
export const refuseMethod = runnerMethod({
  name: 'harness/refuse',
  params: z.strictObject({ kind: z.string() }),
  result: z.strictObject({}),
  note: z.never(),
  effectful: true,
});

/** Throws, or answers in a form that its own declaration forbids. */
export const failMethod = runnerMethod({
  name: 'harness/fail',
  params: z.strictObject({ how: z.enum(['throw', 'malformed']) }),
  result: z.strictObject({ text: z.string() }),
  note: z.never(),
  effectful: true,
});

/** Known to newer Runners only. */
export const newerMethod = runnerMethod({ ...echoMethod, name: 'harness/newer' });

/** Sets what hello says is under way. */
export const busyMethod = runnerMethod({
  name: 'harness/busy',
  params: z.strictObject({ jobs: z.int() }),
  result: z.strictObject({ jobs: z.int() }),
  note: z.never(),
  effectful: true,
});

/** Answers, and then does nothing any more: its event loop is blocked for ever. */
export const wedgeMethod = runnerMethod({
  name: 'harness/wedge',
  params: z.strictObject({}),
  result: z.strictObject({}),
  note: z.never(),
  effectful: true,
});
