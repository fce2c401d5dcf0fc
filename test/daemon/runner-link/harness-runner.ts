import { randomBytes } from 'node:crypto';
import { refuse, serve } from '../../../src/runner/request.js';
import { serveRunner } from '../../../src/runner/server.js';
import type { ErrorKind } from '../../../src/protocol/error-kinds.js';
import {
  busyMethod,
  countMethod,
  echoMethod,
  failMethod,
  hangMethod,
  hangReadMethod,
  refuseMethod,
  wedgeMethod,
} from './harness-methods.js';

/*
 * A real Runner process: the product's own server, with requests that do on purpose
 * what real ones do by accident. Arguments: socket, state folder, version, idle end.
 */
const [socketPath = '', stateFolder = '', version = '', idleEndMs = '600000'] = process.argv.slice(2);
let served = 0;
let jobs = 0;

const hang = async (
  _params: object,
  request: { signal: AbortSignal; note: (note: { started: boolean }) => boolean },
): Promise<{ cancelled: boolean }> => {
  request.note({ started: true });
  // Only an answer ends this; the process lives on by its socket.
  await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
  return { cancelled: true };
};

const server = await serveRunner({
  socketPath,
  identity: { version, instanceId: randomBytes(8).toString('hex'), startedAtMs: Date.now(), stateFolder, capabilities: ['harness'] },
  activity: () => ({ activeJobs: jobs, openShells: 0 }),
  shutdown: () => Promise.resolve({ ended_jobs: jobs }),
  onFault: ({ method, error }) => process.stderr.write(`${method}: ${String(error)}\n`),
  idleEndMs: Number(idleEndMs),
  idleCheckMs: 20,
  services: [
    serve(echoMethod, ({ text }) => Promise.resolve({ text, served: ++served })),
    serve(hangMethod, hang),
    serve(hangReadMethod, hang),
    serve(countMethod, async ({ to }, request) => {
      for (let number = 1; number <= to; number += 1) if (!request.note({ number })) await request.drained();
      return { sent: to };
    }),
    serve(refuseMethod, ({ kind }) => Promise.resolve(refuse(kind as ErrorKind, 'No.', { state_changed: false }))),
    serve(failMethod, ({ how }) => {
      if (how === 'throw') throw new Error('something in here broke');
      return Promise.resolve({ text: 7 } as unknown as { text: string });
    }),
    serve(wedgeMethod, () => {
      setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);
      return Promise.resolve({});
    }),
    serve(busyMethod, (params) => {
      ({ jobs } = params);
      return Promise.resolve({ jobs });
    }),
  ],
});

process.exit((await server.ended) === '' ? 1 : 0);
