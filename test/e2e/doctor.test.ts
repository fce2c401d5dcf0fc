import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, openSync, closeSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/client/doctor/index.js';
import type { CliPlace } from './cli.js';
import { cliPlace } from './cli.js';

interface Report {
  readonly code: number | null;
  readonly ok: boolean;
  readonly broken: number;
  readonly findings: readonly Finding[];
  of(check: string): Finding | undefined;
}

let place: CliPlace;
let home: string;

beforeAll(() => {
  place = cliPlace();
  home = join(place.folder, 'home');
  mkdirSync(home);
});
afterAll(() => {
  place.close();
});

async function doctor(): Promise<Report> {
  const { code, out } = await place.start(['doctor', '--json'], { env: { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '' } });
  const report = JSON.parse(out) as Omit<Report, 'code' | 'of'>;
  return { ...report, code, of: (check) => report.findings.find((finding) => finding.check === check) };
}

describe('wc doctor', () => {
  it('looks at everything without a daemon, and neither starts one nor makes a folder', async () => {
    const report = await doctor();
    expect(report.findings.map(({ check }) => check)).toEqual(
      ['wc', 'node', 'sqlite', 'ripgrep', 'state_folder', 'lock', 'socket', 'daemon', 'path', 'git', 'ssh', 'tmux', 'service', 'mcp'],
    );
    expect([report.code, report.ok, report.broken]).toEqual([0, true, 0]);
    expect(report.findings.every(({ status, fix }) => (status === 'ok') === (fix === null))).toBe(true);
    expect(existsSync(place.home)).toBe(false);
  });

  it('ends with 1 and says what to do about a setting, an entry and a folder that are broken', async () => {
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, 'config.json'), '{ "runner": { "enviroment": "login" } }');
    mkdirSync(join(home, '.cursor'));
    writeFileSync(join(home, '.cursor', 'mcp.json'), '{ "mcpServers": { "wc": { "command": "/gone/wc", "args": ["mcp"] } } }');
    mkdirSync(join(home, '.gemini'));
    writeFileSync(join(home, '.gemini', 'settings.json'), '{ "a": ');
    const report = await doctor();
    expect([report.code, report.broken]).toEqual([1, 3]);
    expect(report.of('config')).toMatchObject({ status: 'broken', detail: expect.stringContaining('"runner.enviroment": there is no such key') as string });
    expect(report.of('mcp_cursor')).toMatchObject({ status: 'broken', fix: 'Write it anew: wc mcp install cursor' });
    expect(report.of('mcp_gemini')?.detail).toMatch(/settings\.json: It is no valid JSON/);
    writeFileSync(join(place.home, 'config.json'), '{}');
    chmodSync(place.home, 0o777);
    expect((await doctor()).of('state_folder')).toEqual({ check: 'state_folder', status: 'broken', detail: expect.stringContaining('can be written by others') as string, fix: `Run: chmod 700 ${place.home}` });
    chmodSync(place.home, 0o700);
    const people = place.wc(['doctor'], { env: { HOME: home } });
    expect(people.out).toContain('BROKEN   mcp_cursor: Cursor: the entry in ');
    expect(people.out).toContain('\n         -> Write it anew: wc mcp install cursor\n');
    expect(readdirSync(place.home)).toEqual(['config.json']);
  });

  it('names a daemon with its Runner, sizes, and who else has a store open; and one that does not answer', async () => {
    place.wc(['daemon', 'start']);
    const store = openSync(join(place.home, 'ledger.db'), 'r');
    const reader = spawn('sleep', ['60'], { stdio: [store, 'ignore', 'ignore'] });
    closeSync(store);
    try {
      const { pid } = place.status();
      const report = await doctor();
      expect(report.of('daemon')?.detail).toContain(`pid ${pid}, version `);
      expect(report.of('lock')?.detail).toBe(`held by the daemon (pid ${pid})`);
      expect(report.of('runner')?.status).toBe('ok');
      expect(report.of('sizes')).toMatchObject({ facts: { ledger: expect.any(Number) as number, total: expect.any(Number) as number } });
      if (process.platform === 'linux') expect(report.of('sizes')?.detail).toContain(`sleep (pid ${reader.pid})`);
      process.kill(pid ?? 0, 'SIGSTOP');
      const silent = await doctor();
      expect([silent.code, silent.of('daemon')?.status]).toEqual([1, 'broken']);
      expect(silent.of('daemon')?.detail).toContain('does not answer');
    } finally {
      reader.kill();
    }
  });
});
