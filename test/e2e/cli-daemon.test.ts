import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/client/process-alive.js';
import type { CliPlace } from './cli.js';
import { cliPlace } from './cli.js';

let place: CliPlace;
beforeEach(() => {
  place = cliPlace();
});
afterEach(() => {
  place.close();
});

/** The stable shape of `wc daemon status --json`, in the order of its members. */
const STATUS_KEYS = ['running', 'pid', 'version', 'socket', 'started_at', 'runner'];

describe('the life of the daemon', () => {
  it('is started, told of, and stopped', async () => {
    const before = place.wc(['daemon', 'status', '--json']);
    expect(before.code).toBe(3);
    expect(JSON.parse(before.out)).toEqual({
      running: false,
      pid: null,
      version: null,
      socket: join(place.home, 'daemon.sock'),
      started_at: null,
      runner: null,
    });

    expect(place.wc(['daemon', 'start']).code).toBe(0);
    await expect.poll(() => (place.status() as { runner?: unknown }).runner, { timeout: 20_000 }).not.toBeNull();
    const during = place.wc(['daemon', 'status', '--json']);
    expect(during.code).toBe(0);
    const status = JSON.parse(during.out) as Record<string, unknown>;
    expect(Object.keys(status)).toEqual(STATUS_KEYS);
    expect(status).toMatchObject({ running: true, version: '0.1.0', socket: join(place.home, 'daemon.sock') });
    expect(Object.keys(status['runner'] as object)).toEqual(['pid', 'instance_id']);

    const stopped = place.wc(['daemon', 'stop', '--json']);
    expect(JSON.parse(stopped.out)).toEqual({ stopped: true, pid: status['pid'] });
    expect(isAlive(status['pid'] as number)).toBe(false);
    expect(place.wc(['daemon', 'stop', '--json'])).toEqual({ code: 0, out: '{"stopped":false,"pid":null}\n', err: '' });
  });

  it('begins with any command, and once for twenty at a time', async () => {
    const ended = await Promise.all(Array.from({ length: 20 }, () => place.start(['list-tools', '--json'])));
    expect(ended.map(({ code }) => code)).toEqual(Array(20).fill(0));
    for (const { out } of ended) expect((JSON.parse(out) as { success: boolean }).success).toBe(true);
    expect(readFileSync(join(place.home, 'daemon.log'), 'utf8')).not.toContain('already serves');
    expect(readdirSync(place.home)).not.toContain('daemon.starting');
  });

  it('starts anew after kill -9, which costs the next command a start and nothing else', () => {
    place.wc(['daemon', 'start']);
    for (let round = 0; round < 3; round += 1) {
      const { pid } = place.status();
      process.kill(pid!, 'SIGKILL');
      const next = place.wc(['list-tools', '--json']);
      expect(next).toMatchObject({ code: 0, err: '' });
      expect(place.status().pid).not.toBe(pid);
    }
  });
});

describe('a daemon of an older version', () => {
  /** A process that serves as an older daemon would, and ends when it is asked to. */
  const OLDER = `
    const { createServer } = require('node:http');
    const [socket, callsInFlight] = process.argv.slice(1);
    createServer((request, response) => {
      const health = { status: 'ok', version: '0.0.9', pid: process.pid, started_at: '', calls_in_flight: Number(callsInFlight), runner: null };
      response.end(JSON.stringify(request.url === '/api/health' ? health : { success: true, output: { by: 'the older one' } }));
      if (request.url === '/api/daemon/stop') response.on('close', () => process.exit(0));
    }).listen(socket, () => process.stdout.write('listening'));
  `;

  async function older(callsInFlight: number): Promise<number> {
    mkdirSync(place.home, { mode: 0o700 });
    const child = spawn(process.execPath, ['-e', OLDER, join(place.home, 'daemon.sock'), String(callsInFlight)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return child.pid!;
  }

  it('is replaced when it serves no call', async () => {
    const pid = await older(0);
    const { code, out, err } = await place.start(['list-tools', '--json']);
    expect([code, err]).toEqual([0, 'wc: replacing the daemon of version 0.0.9 by 0.1.0\n']);
    expect(out).not.toContain('the older one');
    expect(isAlive(pid)).toBe(false);
  });

  it('serves on while it has calls', async () => {
    const pid = await older(1);
    const { code, out } = await place.start(['list-tools', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { success: true, output: { by: 'the older one' } }]);
    process.kill(pid);
  });
});

describe('a daemon that a command started', () => {
  it('inherits nothing: `x=$(wc …)` returns, and a lock on a descriptor of the caller is free afterwards', () => {
    const lock = join(place.folder, 'caller.lock');
    const line = `exec 9>'${lock}' 200>'${lock}.high'; flock 9; flock 200; x=$("$WC" list-jobs --json); echo "$x"`;
    const { code, out } = place.shell(`bash -c '${line.replaceAll("'", `'\\''`)}'`);
    expect(code).toBe(0);
    expect((JSON.parse(out) as { success: boolean }).success).toBe(true);
    expect(place.shell(`flock -n '${lock}' true && flock -n '${lock}.high' true`).code).toBe(0);
  });

  it('has no descriptor, folder, terminal or session of its caller', () => {
    place.shell(`exec 5<'${process.execPath}'; "$WC" daemon start`);
    const { pid } = place.status();
    const links = openFiles(pid!);
    expect(links).not.toContain(process.execPath);
    expect(readlinkSync(`/proc/${pid!}/fd/0`)).toBe('/dev/null');
    expect(readlinkSync(`/proc/${pid!}/fd/1`)).toBe(join(place.home, 'daemon.log'));
    expect(readlinkSync(`/proc/${pid!}/cwd`)).toBe('/');
    const [, session, terminal] = /\) \S (?:\d+) (?:\d+) (\d+) (-?\d+)/.exec(readFileSync(`/proc/${pid!}/stat`, 'utf8')) ?? [];
    expect([session, terminal]).toEqual([String(pid), '0']);
    expect(readFileSync(`/proc/${pid!}/status`, 'utf8')).toMatch(/^Umask:\t0077$/m);
  });

  it('does not know the calling variables', () => {
    place.wc(['daemon', 'start'], { env: { WC_SESSION: '~s1', NODE_OPTIONS: '--no-warnings', WC_TOKEN: '' } });
    const environment = readFileSync(`/proc/${place.status().pid!}/environ`, 'utf8');
    expect(environment).not.toMatch(/WC_SESSION=|NODE_OPTIONS=|WC_TOKEN=/);
  });
});

/** What a process has open; a descriptor that it closes while we look was no inherited one. */
function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

describe('without a daemon', () => {
  it('twenty calls against a stopped one each end with exit code 3 and one line, and start no second', async () => {
    place.wc(['daemon', 'start']);
    const { pid } = place.status();
    process.kill(pid!, 'SIGSTOP');
    // A daemon that has only just begun is waited for longer; this one is no beginner.
    const holder = join(place.home, 'lock.holder');
    const { started_at: startedAt, ...rest } = JSON.parse(readFileSync(holder, 'utf8')) as Record<string, unknown>;
    writeFileSync(holder, JSON.stringify({ ...rest, started_at: new Date(Date.parse(startedAt as string) - 60_000).toISOString() }));
    const began = performance.now();
    const ended = await Promise.all(Array.from({ length: 20 }, () => place.start(['list-projects', '--json', '--input', '{}'])));
    // 2 s for the answer, and whatever twenty processes take on this machine.
    expect(performance.now() - began).toBeLessThan(20_000);
    for (const { code, out, err } of ended) {
      expect(code).toBe(3);
      expect(out).toBe('');
      expect(err).toBe(
        `wc: The daemon at ${place.home}/daemon.sock does not answer: it gave no answer within 2 s. Continue or end it (its pid stands in ${place.home}/lock.holder), then try again.\n`,
      );
    }
    process.kill(pid!, 'SIGCONT');
    expect(place.status().pid).toBe(pid);
  });

  it('a state folder that others can write is refused, and nothing is started in it', () => {
    mkdirSync(place.home);
    chmodSync(place.home, 0o777);
    const refused = {
      code: 3,
      out: '',
      err: `wc: The state folder ${place.home} can be written by others (mode 777). Run: chmod 700 ${place.home}\n`,
    };
    expect(place.wc(['list-projects', '--json'])).toEqual(refused);
    expect(place.wc(['project', 'list'])).toEqual(refused);
    expect(place.wc(['daemon', 'start'])).toEqual(refused);
    expect(readdirSync(place.home)).toEqual([]);
    chmodSync(place.home, 0o700);
  });

  it('a start that fails says why, in the daemon\'s own words', () => {
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, 'config.json'), '{"no_such_key": 1}');
    const { code, out, err } = place.wc(['list-projects', '--json']);
    expect(code).toBe(3);
    expect(out).toBe('');
    expect(err).toMatch(/^wc: The daemon did not start \(exit code 1\): .*no_such_key.*\n$/);
  });

  it('commands that end with a program\'s code say 125', () => {
    mkdirSync(place.home, { mode: 0o777 });
    chmodSync(place.home, 0o777);
    expect(place.wc(['run-shell', 'true', '--project', 'x']).code).toBe(125);
    expect(place.wc(['run-process', '--json', '--input', '{}']).code).toBe(125);
    chmodSync(place.home, 0o700);
  });
});

describe('the log', () => {
  it('is shown in lines for people, or as it is', () => {
    place.wc(['daemon', 'start']);
    expect(place.wc(['daemon', 'logs', '-n', '5']).out).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z info /m);
    const [line = ''] = place.wc(['daemon', 'logs', '--json']).out.split('\n');
    expect(JSON.parse(line)).toHaveProperty('msg');
    place.wc(['daemon', 'stop']);
    expect(place.wc(['daemon', 'logs']).code).toBe(0);
  });
});

describe('wc daemon run', () => {
  it('serves in the foreground and ends by SIGTERM with exit code 0', async () => {
    const running = place.start(['daemon', 'run']);
    await expect.poll(() => place.status().running, { timeout: 20_000 }).toBe(true);
    process.kill(place.status().pid!, 'SIGTERM');
    const { code, out } = await running;
    expect([code, out]).toEqual([0, '']);
  });
});
