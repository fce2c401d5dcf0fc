import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beginWork } from '../project.js';
import type { Figure, Row } from '../row.js';
import { percentile } from '../statistics.js';
import { unixHttp } from '../unix-http.js';
import type { BenchDaemon } from '../world.js';

const OBSERVERS = 100;
const WAKES = 200;
const IDLE_MS = 5_000;

/** What it costs to wait for a word, and how soon it comes: a hundred observers, each on a board of its own. */
export const messageWake: Row = {
  name: 'message-wake',
  what: `${OBSERVERS} observers waiting on ${OBSERVERS} Sessions: their CPU a second while nothing happens, and a post until its observer's answer`,
  measure: async ({ daemon, repository, defer, wc }) => {
    const ours = await daemon();
    const folder = await repository();
    const sessions: string[] = [];
    for (let made = 0; made < OBSERVERS; made += 1) sessions.push((await beginWork(ours, folder)).session);
    const alone = await idleCpuMs(ours, wc);
    const observers = await Promise.all(sessions.map((session) => observer(ours, session, defer)));
    for (const { wait } of observers) wait();
    await delay(500);
    const waiting = await idleCpuMs(ours, wc);
    const wakes: number[] = [];
    for (let round = 0; round < WAKES; round += 1) {
      const one = observers[round % OBSERVERS];
      if (one === undefined) continue;
      const woken = one.woken();
      const begun = performance.now();
      await ours.call('post_session_message', { session_id: one.session, kind: 'note', message: 'wake up' });
      await woken;
      wakes.push(performance.now() - begun);
      one.wait();
      await delay(5);
    }
    const figures: Figure[] = [{ label: 'post to answer, p50', value: percentile(wakes, 0.5), unit: 'ms', budget: 5 }];
    if (alone !== null && waiting !== null) {
      figures.unshift({ label: 'CPU a second while idle, beyond none waiting', value: Math.max(0, waiting - alone), unit: 'ms', budget: 2 });
    }
    return figures;
  },
};

interface Observer {
  readonly session: string;
  /** Begins to wait from where it is. */
  readonly wait: () => void;
  /** Settles with the wait that is under way. */
  readonly woken: () => Promise<void>;
}

async function observer(daemon: BenchDaemon, session: string, defer: (close: () => unknown) => void): Promise<Observer> {
  const connection = unixHttp(daemon.socket);
  defer(connection.close);
  const observe = async (token?: string): Promise<string> => {
    const asked = token === undefined ? {} : { after_observation_token: token, wait_secs: 60 };
    const answer = (await connection.post('/api/tools/observe_session_messages', { arguments: { session_id: session, ...asked } })) as {
      readonly output: { readonly observation_token: string };
    };
    return answer.output.observation_token;
  };
  let token = await observe();
  let waiting: Promise<void> = Promise.resolve();
  return {
    session,
    wait: () => {
      // The bench closes its connections before its daemon: a wait that is cut by that is no failure of the row.
      waiting = observe(token).then(
        (next) => void (token = next),
        () => undefined,
      );
    },
    woken: () => waiting,
  };
}

/** Milliseconds of CPU a second that the daemon takes by itself; null where the system does not say. */
async function idleCpuMs(daemon: BenchDaemon, wc: string): Promise<number | null> {
  const { pid } = JSON.parse(execFileSync(wc, ['daemon', 'status', '--json'], { env: daemon.env, encoding: 'utf8' })) as { readonly pid: number };
  const before = cpuMs(pid);
  if (before === null) return null;
  await delay(IDLE_MS);
  return ((cpuMs(pid) ?? before) - before) / (IDLE_MS / 1_000);
}

function cpuMs(pid: number): number | null {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  // Behind the name, which may hold blanks: user and system time are the 14th and 15th field, in ticks of 10 ms.
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
