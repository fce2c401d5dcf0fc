import { createServer, type AddressInfo } from 'node:net';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { releaseConnectionsMethod, type Ssh2Resource } from '../../../src/protocol/runner/ssh.js';
import { runnerSettingsSchema } from '../../../src/protocol/runner/settings.js';
import type { ExecutionReport } from '../../../src/protocol/runner/execution.js';
import { isRefusal } from '../../../src/runner/request.js';
import { connectSsh2 } from '../../../src/runner/ssh/ssh2-handshake.js';
import type { Ssh2Connection } from '../../../src/runner/ssh/ssh2-connection.js';
import { executionHouse, refused, type ExecutionHouse } from '../jobs/execution-house.js';
import { startMisbehavingServer, type MisbehavingServer } from './misbehaving-server.js';

let server: MisbehavingServer;
let house: ExecutionHouse;
let folder: string;

beforeAll(async () => {
  server = await startMisbehavingServer();
  process.env['HOME'] = server.home;
  house = await executionHouse();
  house.execution.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: { box: server.resource } } }));
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wc-bad-')));
});
beforeEach(async () => {
  await house.ask(releaseConnectionsMethod, { session_id: 's1' });
  server.misdeed = 'nothing';
  server.commands.length = 0;
});
afterAll(async () => {
  await house.close();
  expect(house.faults).toEqual([]);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (command: string): ReturnType<ExecutionHouse['start']> =>
  house.start({ program: { kind: 'shell', command, shell: 'sh' }, source: 'run_shell', session_id: 's1', remote: { resource: 'box', cwd: folder } });

async function run(command: string): Promise<ExecutionReport> {
  const started = await start(command);
  if (isRefusal(started) || started.outcome !== 'finished') throw new Error(JSON.stringify(started));
  return started.report;
}

const connect = (bounds: { openMs?: number; handshakeMs?: number }, resource: Ssh2Resource = server.resource): ReturnType<typeof connectSsh2> =>
  connectSsh2({ resource, sshKeygen: '/usr/bin/ssh-keygen', env: { PATH: process.env['PATH'] ?? '' }, home: server.home, bounds });

async function connected(bounds: { openMs?: number }): Promise<Ssh2Connection> {
  const connection = await connect(bounds);
  if ('failed' in connection) throw new Error(connection.failed);
  return connection;
}

describe('a server that misbehaves', () => {
  it('by cutting the stream into bytes changes nothing', async () => {
    server.misdeed = 'split-frames';
    const report = await run('printf "\\0exit\\0x\\0" >&2; echo out; exit 6');
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 6, cwd: folder });
    expect([report.stdout.text, report.stderr.text]).toEqual(['out\n', '\0exit\0x\0']);
  });

  it('by refusing the channel, or the command, starts nothing, and is used again', async () => {
    server.misdeed = 'refuse-channel';
    expect(refused(await start('true'))).toMatchObject({ error_kind: 'ssh_connection_failed', detail: { execution_state: 'not_started', reason_code: 'channel_refused' } });
    server.misdeed = 'refuse-command';
    expect(refused(await start('true'))).toMatchObject({ error_kind: 'ssh_command_spawn_failed', detail: { execution_state: 'not_started' } });
    server.misdeed = 'nothing';
    expect(await run('exit 3')).toMatchObject({ exit_code: 3 });
  });

  it('[03-A29] by a reset in the middle of a command leaves its outcome unknown, and gets it once', async () => {
    server.misdeed = 'reset-mid-command';
    const trace = join(folder, 'once');
    expect(await run(`echo x >>${trace}; echo begun; exec sleep 0.2`)).toMatchObject({ execution_state: 'outcome_unknown', error_code: 'ssh_transport_failed', remote_termination: 'unverified' });
    expect(server.commands.filter((command) => command.includes(trace))).toHaveLength(1);
    server.misdeed = 'nothing';
    expect((await run(`cat ${trace}`)).stdout.text).toBe('x\n');
  });

  it('by saying nothing of the end is believed the wrapper’s word', async () => {
    server.misdeed = 'no-exit-status';
    expect(await run('exit 5')).toMatchObject({ execution_state: 'completed', exit_code: 5 });
  });

  it('by never answering a channel, or a command, leaves it unknown, and gets no further one', async () => {
    for (const misdeed of ['silent-channel', 'silent-command'] as const) {
      const connection = await connected({ openMs: 100 });
      server.misdeed = misdeed;
      const opened = await connection.open('true', { stdin: null, stdout: 'pipe' });
      expect('failed' in opened ? opened : await opened.ended).toEqual({ code: null, exact: true, signal: null });
      expect(await connection.isAlive()).toBe(false);
      expect(await connection.open('true', { stdin: null, stdout: 'pipe' })).toEqual({ failed: 'connection_lost' });
      await connection.close();
      server.misdeed = 'nothing';
    }
  });

  it('by never answering a question of our own is given up on in time', async () => {
    const connection = await connected({});
    server.misdeed = 'silent-command';
    const from = performance.now();
    expect(await connection.ask('true', 100)).toBeNull();
    expect(performance.now() - from).toBeLessThan(2_000);
    await connection.close();
  });

  it('by never coming to the end of the handshake is given up on in time', async () => {
    server.misdeed = 'silent-authentication';
    expect(await connect({ handshakeMs: 300 })).toEqual({ failed: 'handshake_timeout' });
    const mute = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    expect(await connect({ handshakeMs: 100 }, { ...server.resource, port: (mute.address() as AddressInfo).port })).toEqual({ failed: 'handshake_timeout' });
    await new Promise((resolve) => mute.close(resolve));
    const other = createServer((socket) => socket.on('error', () => undefined).resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    expect(await connect({}, { ...server.resource, port: (other.address() as AddressInfo).port })).toEqual({ failed: 'unknown' });
    await new Promise((resolve) => other.close(resolve));
  });

  it('by another key than before is not spoken to', async () => {
    expect(await run('true')).toMatchObject({ exit_code: 0 });
    server.commands.length = 0;
    server.changeKey();
    await house.ask(releaseConnectionsMethod, { session_id: 's1' });
    expect(refused(await start('true'))).toMatchObject({ error_kind: 'ssh_connection_failed', detail: { execution_state: 'not_started', reason_code: 'host_key_changed' } });
    expect(server.commands).toEqual([]);
  });
});
