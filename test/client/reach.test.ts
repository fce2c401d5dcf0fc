import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientError } from '../../src/client/index.js';
import { connect } from '../../src/client/index.js';
import { compareVersions } from '../../src/client/compare-versions.js';
import { probeHealth } from '../../src/client/health.js';
import { livingLockHolder } from '../../src/client/lock-holder.js';
import { takeStartTicket } from '../../src/client/start-ticket.js';
import { fakeDaemon, sendJson } from './fake-daemon.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-reach-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function listening(path: string, onConnect: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnect);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

async function failureOf(options: { readonly WC_HOME?: string; readonly HOME?: string }): Promise<ClientError> {
  return connect({ adapter: 'cli', env: options, autostart: false }).then(
    () => Promise.reject(new Error('it connected')),
    (error: unknown) => error as ClientError,
  );
}

describe('health', () => {
  it('is absent where no socket stands, where nobody listens, and without a path', async () => {
    const path = join(folder, 'daemon.sock');
    const probe = (socketPath: string | null) => probeHealth({ socketPath, headers: {} });
    await expect(probe(null)).resolves.toEqual({ state: 'absent' });
    await expect(probe(path)).resolves.toEqual({ state: 'absent' });
    writeFileSync(path, 'a file that is no socket');
    await expect(probe(path)).resolves.toEqual({ state: 'absent' });
  });

  it('is silent where something takes the connection and says nothing', async () => {
    const path = join(folder, 'daemon.sock');
    const server = await listening(path, () => undefined);
    await expect(probeHealth({ socketPath: path, headers: {}, within: 100 })).resolves.toEqual({
      state: 'silent',
      reason: 'it gave no answer within 0.1 s',
    });
    server.close();
  });

  it('is silent where something answers that is no daemon', async () => {
    const path = join(folder, 'daemon.sock');
    const server = await listening(path, (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    await expect(probeHealth({ socketPath: path, headers: {} })).resolves.toMatchObject({ state: 'silent' });
    server.close();
  });
});

describe('the state folder', () => {
  it('that others can write is refused, with what to do', async () => {
    chmodSync(folder, 0o777);
    const error = await failureOf({ WC_HOME: folder });
    expect(error.kind).toBe('state_folder_refused');
    expect(error.exitCode).toBe(3);
    expect(error.message).toBe(`The state folder ${folder} can be written by others (mode 777).`);
    expect(error.hint).toBe(`Run: chmod 700 ${folder}`);
  });

  it('that is a link or a file is refused', async () => {
    const [link, file] = [join(folder, 'link'), join(folder, 'file')];
    symlinkSync(folder, link);
    writeFileSync(file, '');
    expect((await failureOf({ WC_HOME: link })).kind).toBe('state_folder_refused');
    expect((await failureOf({ WC_HOME: file })).kind).toBe('state_folder_refused');
  });

  it('that is not there means that no daemon runs', async () => {
    const error = await failureOf({ WC_HOME: join(folder, 'none') });
    expect(error.kind).toBe('daemon_not_running');
    expect(error.exitCode).toBe(3);
  });

  it('with a path too long for a socket leads to it by the pointer', async () => {
    const daemon = await fakeDaemon((_, response) => sendJson(response, 200, { success: true, output: {} }));
    const deep = join(folder, 'd'.repeat(120));
    mkdirSync(deep, { mode: 0o700 });
    writeFileSync(join(deep, 'daemon.sock.path'), `${join(daemon.folder, 'daemon.sock')}\n`);
    const client = await connect({ adapter: 'cli', env: { WC_HOME: deep }, autostart: false });
    await expect(client.callTool('list_tools', {})).resolves.toEqual({ success: true, output: {} });
    client.close();
    await daemon.close();
  });
});

describe('versions', () => {
  it.each([
    ['0.1.0', '0.1.0', 0],
    ['0.1.0', '0.2.0', -1],
    ['0.10.0', '0.9.9', 1],
    ['1.0.0-rc.1', '1.0.0', -1],
    ['1.0.0', '1.0.0-rc.1', 1],
    ['1.0.0+build', '1.0.0', 0],
    ['garbage', '0.0.1', -1],
  ])('%s against %s', (a, b, expected) => {
    expect(Math.sign(compareVersions(a, b))).toBe(expected);
  });

  it('an older daemon that serves calls is kept, and said', async () => {
    const daemon = await fakeDaemon((_, response) => sendJson(response, 200, {}), { version: '0.0.1', calls_in_flight: 2 });
    const notices: string[] = [];
    const client = await connect({ adapter: 'cli', env: daemon.env, onNotice: (line) => notices.push(line) });
    expect(notices).toEqual([
      'the daemon is older (0.0.1) than this client (0.1.0) and serves 2 calls; it is replaced when it is idle.',
    ]);
    client.close();
    await daemon.close();
  });

  it('a newer daemon is used as it is', async () => {
    const daemon = await fakeDaemon((_, response) => sendJson(response, 200, {}), { version: '9.0.0' });
    const client = await connect({ adapter: 'cli', env: daemon.env });
    expect((await client.ensure()).version).toBe('9.0.0');
    client.close();
    await daemon.close();
  });
});

describe('the start ticket', () => {
  const now = (): number => Date.now();

  it('is one client\'s at a time', () => {
    const path = join(folder, 'daemon.starting');
    const ticket = takeStartTicket(path, now);
    expect(ticket).not.toBeNull();
    expect(takeStartTicket(path, now)).toBeNull();
    ticket!.release();
    expect(takeStartTicket(path, now)).not.toBeNull();
  });

  it('of a client that is gone, or that took too long, is void', () => {
    const path = join(folder, 'daemon.starting');
    writeFileSync(path, String(2 ** 22 - 1));
    expect(takeStartTicket(path, now)).not.toBeNull();
    writeFileSync(path, String(process.pid));
    utimesSync(path, 0, 0);
    expect(takeStartTicket(path, now)).not.toBeNull();
  });
});

describe('the lock holder', () => {
  it('is only believed when its process lives', () => {
    const path = join(folder, 'lock.holder');
    expect(livingLockHolder(path)).toBeNull();
    writeFileSync(path, '');
    expect(livingLockHolder(path)).toBeNull();
    writeFileSync(path, JSON.stringify({ pid: 2 ** 22 - 1 }));
    expect(livingLockHolder(path)).toBeNull();
    writeFileSync(path, JSON.stringify({ pid: process.pid }));
    expect(livingLockHolder(path)).toEqual({ pid: process.pid });
  });
});
