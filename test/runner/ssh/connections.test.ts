import { describe, expect, it } from 'vitest';
import type { SshResource } from '../../../src/protocol/runner/ssh.js';
import type { RemoteConnection } from '../../../src/runner/ssh/connection.js';
import { SshConnections, type Dialled } from '../../../src/runner/ssh/connections.js';
import { until } from '../jobs/execution-house.js';

const BOX: SshResource = { transport: 'openssh', host: 'box' };

/** A connection that only lives and ends; what carries commands is tested with real hosts. */
class Stub implements RemoteConnection {
  alive = true;
  closed = false;
  isAlive(): Promise<boolean> {
    return Promise.resolve(this.alive);
  }
  open(): Promise<{ readonly failed: 'channel_refused' }> {
    return Promise.resolve({ failed: 'channel_refused' });
  }
  ask(): Promise<null> {
    return Promise.resolve(null);
  }
  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

function house(options: { readonly idleMs?: number; readonly dialled?: () => Promise<Dialled> } = {}): { readonly made: Stub[]; readonly faults: unknown[]; readonly connections: SshConnections } {
  const made: Stub[] = [];
  const faults: unknown[] = [];
  const dial = (): Promise<Dialled> => {
    const stub = new Stub();
    made.push(stub);
    return Promise.resolve(stub);
  };
  return { made, faults, connections: new SshConnections({ dial: options.dialled ?? dial, onFault: (fault) => faults.push(fault), ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }) }) };
}

async function held(connections: SshConnections, session: string, resource = BOX): Promise<Exclude<Awaited<ReturnType<SshConnections['acquire']>>, { failed: unknown }>> {
  const one = await connections.acquire(session, 'box', resource);
  if ('failed' in one) throw new Error(one.failed);
  return one;
}

describe('the connections to resources', () => {
  it('are one for a Session, a resource and its definition', async () => {
    const { made, connections } = house();
    await Promise.all([held(connections, 'a'), held(connections, 'a')]);
    expect(made).toHaveLength(1);
    await held(connections, 'b');
    await held(connections, 'a', { ...BOX, default_cwd: '/' });
    expect([made.length, connections.count]).toEqual([3, 2]);
    expect(made.map(({ closed }) => closed)).toEqual([false, false, false]);
    await connections.close();
    expect(made.every(({ closed }) => closed)).toBe(true);
    expect(await connections.acquire('a', 'box', BOX)).toEqual({ failed: 'connection_lost' });
  });

  it('end with their last command when their resource is gone, and take no new one', async () => {
    const { made, connections } = house();
    const [first, second] = [await held(connections, 'a'), await held(connections, 'a')];
    connections.retireOutdated({ box: BOX });
    expect(connections.count).toBe(1);
    connections.retireOutdated({});
    expect(connections.count).toBe(0);
    first.giveBack();
    first.giveBack();
    expect(made[0]?.closed).toBe(false);
    second.giveBack();
    await until('it is closed', () => made[0]?.closed === true);
  });

  it('end when nobody used them for a while, and not before', async () => {
    const { made, connections } = house({ idleMs: 30 });
    const one = await held(connections, 'a');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([connections.count, made[0]?.closed]).toEqual([1, false]);
    one.giveBack();
    await until('it is closed', () => made[0]?.closed === true);
    expect(connections.count).toBe(0);
  });

  it('that are dead are dialled anew once; the second time it is told', async () => {
    const { made, connections } = house();
    (await held(connections, 'a')).giveBack();
    made[0]!.alive = false;
    await held(connections, 'a');
    expect([made.length, made[0]?.closed, made[1]?.closed]).toEqual([2, true, false]);
    const dead = house({ dialled: () => Promise.resolve(Object.assign(new Stub(), { alive: false })) });
    expect(await dead.connections.acquire('a', 'box', BOX)).toEqual({ failed: 'connection_lost' });
  });

  it('that were not to be had are forgotten, and a fault of ours is told', async () => {
    let answers: Dialled = { failed: 'unreachable' };
    const { connections } = house({ dialled: () => Promise.resolve(answers) });
    expect(await connections.acquire('a', 'box', BOX)).toEqual({ failed: 'unreachable' });
    expect(connections.count).toBe(0);
    answers = new Stub();
    await held(connections, 'a');
    const broken = house({ dialled: () => Promise.reject(new Error('no')) });
    expect(await broken.connections.acquire('a', 'box', BOX)).toEqual({ failed: 'unknown' });
    expect(broken.faults).toHaveLength(1);
  });

  it('of a Session that is over are let go of', async () => {
    const { made, connections } = house();
    const one = await held(connections, 'a');
    await held(connections, 'b');
    expect(connections.release('a')).toBe(1);
    expect(connections.count).toBe(1);
    one.giveBack();
    await until('it is closed', () => made[0]?.closed === true);
    expect(made[1]?.closed).toBe(false);
  });
});
