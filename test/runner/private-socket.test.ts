import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileIdentity, listenPrivately, SocketInUseError } from '../../src/runner/private-socket.js';

let folder: string;
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-socket-'));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

function server(): Server {
  const made = createServer();
  servers.push(made);
  return made;
}

test('the socket is made with mode 0600, and the umask stays as it was', async () => {
  const umask = process.umask(0o022);
  try {
    const path = join(folder, 's');
    await listenPrivately(server(), path);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
  } finally {
    expect(process.umask(umask)).toBe(0o022);
  }
});

test('a socket that answers is left alone', async () => {
  const path = join(folder, 's');
  const identity = await listenPrivately(server(), path);
  await expect(listenPrivately(server(), path)).rejects.toThrow(SocketInUseError);
  expect(fileIdentity(path)).toBe(identity);
});

test('a socket that a killed process left behind is replaced', async () => {
  const path = join(folder, 's');
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL');
  const left = fileIdentity(path);
  expect(await listenPrivately(server(), path)).not.toBe(left);
});

test('a path that names nothing has no identity', () => {
  expect(fileIdentity(join(folder, 'gone'))).toBeNull();
});
