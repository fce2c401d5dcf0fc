import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateFolder, statePaths, type StatePaths } from '../../src/protocol/state-folder.js';
import { parseConfig } from '../../src/daemon/config.js';
import { takeLock } from '../../src/daemon/lock.js';
import { listenOnSocket, removeSocket, type SocketPlace } from '../../src/daemon/socket.js';
import { prepareStateFolder, StartRefused } from '../../src/daemon/state-folder.js';
import { windowKey } from '../../src/daemon/kernel/window-key.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-found-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const uid = process.getuid?.() ?? 0;

describe('the state folder', () => {
  it('is where the variables say, else where the platform keeps state', () => {
    const home = '/home/ada';
    expect(stateFolder({ env: { WC_HOME: '/x' }, platform: 'linux', home })).toBe('/x');
    expect(stateFolder({ env: { XDG_STATE_HOME: '/s' }, platform: 'linux', home })).toBe('/s/webcodex');
    expect(stateFolder({ env: {}, platform: 'linux', home })).toBe('/home/ada/.local/state/webcodex');
    expect(stateFolder({ env: {}, platform: 'darwin', home })).toBe('/home/ada/Library/Application Support/webcodex');
  });

  it('is made private, and one that others can write is refused with the mend', () => {
    const paths = statePaths(join(folder, 'state'));
    prepareStateFolder(paths, uid);
    expect(statSync(paths.folder).mode & 0o777).toBe(0o700);
    chmodSync(paths.folder, 0o770);
    expect(() => prepareStateFolder(paths, uid)).toThrow(/chmod 700/);
  });

  it('of another user is refused', () => {
    const paths = statePaths(join(folder, 'state'));
    prepareStateFolder(paths, uid);
    expect(() => prepareStateFolder(paths, uid + 1)).toThrow(/another user/);
  });

  it('that cannot be made says so', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => prepareStateFolder(statePaths(join(folder, 'file', 'state')), uid)).toThrow(StartRefused);
  });
});

describe('the lock', () => {
  it('has one holder, whose name a second one is told', async () => {
    const paths = statePaths(folder);
    const lock = takeLock(paths, { pid: 4711, version: '9.9.9', started_at: 'then' });
    const second = await inAnotherProcess(paths.lock);
    expect(second).toBe('SQLITE_BUSY');
    lock.release();
    expect(await inAnotherProcess(paths.lock)).toBe('taken');
  });

  it('tells an orderly end from a crash', () => {
    const paths = statePaths(folder);
    const first = takeLock(paths, { pid: 1, version: '1', started_at: 'then' });
    expect(first.takenOverFromCrash).toBe(false);
    first.release();
    const second = takeLock(paths, { pid: 2, version: '1', started_at: 'then' });
    expect(second.takenOverFromCrash).toBe(false);
    // What a crash leaves: the holder's name, and no lock.
    const crashed = readFileSync(paths.lockHolder, 'utf8');
    second.release();
    writeFileSync(paths.lockHolder, crashed);
    const third = takeLock(paths, { pid: 3, version: '1', started_at: 'then' });
    expect(third.takenOverFromCrash).toBe(true);
    third.release();
  });
});

/** Tries the lock from a process of its own, as a second daemon would. */
function inAnotherProcess(lockPath: string): Promise<string> {
  const script = `
    const D = require('better-sqlite3');
    const d = new D(process.argv[1], { timeout: 0 });
    try { d.pragma('locking_mode = EXCLUSIVE'); d.exec('BEGIN EXCLUSIVE'); console.log('taken'); }
    catch (error) { console.log(error.code); }`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', script, lockPath], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', reject);
    child.on('close', () => resolve(text.trim()));
  });
}

describe('the configuration', () => {
  it('fills in its defaults', () => {
    expect(parseConfig(null, 'config.json')).toMatchObject({
      sessions: { hot_session_capacity_target: 100, historical_session_retention_limit: 100 },
      runner: { env: 'login', noninteractive: true, max_concurrent_jobs: 4, spool_max_bytes: 67_108_864 },
      audit: { retention_days: 90, max_rows: 1_000_000 },
      mcp: { text_copy: 'always' },
    });
  });

  it.each([
    ['{"sessions": {"hot_session_capacity_target": -1}}', 'sessions.hot_session_capacity_target'],
    ['{"runner": {"max_concurrent_jobs": 65}}', 'runner.max_concurrent_jobs'],
    ['{"runner": {"max_jobs": 4}}', 'runner.max_jobs'],
    ['{"mcp": {"text_copy": "sometimes"}}', 'mcp.text_copy'],
    ['{"speed": 1}', 'speed'],
  ])('refuses %s by the name of its key', (text, key) => {
    expect(() => parseConfig(text, 'config.json')).toThrow(`config.json: "${key}"`);
  });

  it('refuses what is not JSON', () => {
    expect(() => parseConfig('{', 'config.json')).toThrow(/config.json is not JSON/);
  });
});

const place = (paths: StatePaths): SocketPlace => ({ path: paths.socket, pointer: paths.socketPointer });

describe('the socket', () => {
  it('replaces a stale one and is private', async () => {
    const paths = statePaths(folder);
    writeFileSync(paths.socket as string, 'stale');
    const server = createServer();
    const path = await listenOnSocket(server, place(paths));
    expect(path).toBe(paths.socket);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    server.close();
  });

  it('goes to a short private folder when its path would be too long, and a file names it', async () => {
    const long = join(folder, 'x'.repeat(100));
    mkdirSync(long);
    const paths = statePaths(long);
    expect(paths.socket).toBeNull();
    const server = createServer();
    const path = await listenOnSocket(server, place(paths));
    expect(Buffer.byteLength(path)).toBeLessThan(100);
    expect(readFileSync(paths.socketPointer, 'utf8')).toBe(`${path}\n`);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    server.close();
    removeSocket(place(paths));
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('that no file system takes refuses the start with what to do', async () => {
    const paths = statePaths(join(folder, 'missing'));
    await expect(listenOnSocket(createServer(), place(paths))).rejects.toThrow(/set WC_HOME/);
  });
});

describe('a window', () => {
  it('is the digest of its domain, source and value', () => {
    expect(windowKey('openai-session', 'demo-window-1')).toBe(
      '07233e9f330058dee3950845e79eca6544fb9856aa96576c1317c631774f7907',
    );
    expect(windowKey('cli-window', ' demo ')).toBe(
      createHash('sha256').update('wc.client-window.v1\0cli-window\0demo').digest('hex'),
    );
  });

  it('is none for a value without its form', () => {
    for (const value of [undefined, '', '   ', 'two words', 'x'.repeat(257), 'ümlaut']) {
      expect(windowKey('openai-session', value)).toBeNull();
    }
  });
});
