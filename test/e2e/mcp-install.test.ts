import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListedConfig } from '../../src/client/mcp-clients/index.js';
import { CLIENT_IDS } from '../../src/client/mcp-clients/index.js';
import type { CliPlace, Ended } from './cli.js';
import { cliPlace } from './cli.js';

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

/** `wc mcp …` of a user whose home is this test's, without the clients of whoever runs it. */
const wcMcp = (...args: string[]): Promise<Ended> =>
  place.start(['mcp', ...args], { env: { HOME: home, PATH: `${process.execPath.replace(/\/node$/, '')}:/usr/bin:/bin`, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '' } });

describe('wc mcp install', () => {
  it('writes an entry for each client that starts with nothing but HOME and lists the tools, without a daemon', async () => {
    for (const pair of [CLIENT_IDS.slice(0, 4), CLIENT_IDS.slice(4)]) {
      for (const ended of await Promise.all(pair.map((id) => wcMcp('install', id, '--yes')))) {
        expect([ended.code, ended.err]).toEqual([0, '']);
        expect(ended.out).toMatch(/Started as a client does, it answers with \d+ tools in /);
      }
    }
    const { configs } = JSON.parse((await wcMcp('list', '--json')).out) as { configs: ListedConfig[] };
    expect(configs.map(({ client, state }) => [client, state])).toEqual(CLIENT_IDS.map((id) => [id, 'installed']));
    const { tools } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'catalog.json'), 'utf8')) as { tools: { name: string }[] };
    for (const { entry } of configs) {
      const own = Object.entries(entry?.env ?? {}).map(([name, value]) => `${name}=${value}`);
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(
        new StdioClientTransport({ command: '/usr/bin/env', args: ['-i', 'PATH=/usr/bin:/bin', `HOME=${home}`, ...own, entry?.command ?? '', ...(entry?.args ?? [])] }),
      );
      const listed = await client.listTools();
      await client.close();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(listed.tools.map(({ name }) => name)));
      expect(listed.tools[0]?.name).toBe('work_on_project');
    }
    expect(place.status().running).toBe(false);
  });

  it('takes no name that a client would refuse', async () => {
    for (const name of ['', 'a b', '__proto__']) {
      expect(await wcMcp('install', 'cursor', '--yes', '--name', name)).toMatchObject({ code: 2, err: expect.stringContaining('--name takes 1 to 64 letters, digits') as string });
    }
  });

  it('says in one document what it did, and changes nothing where it is only looked at', async () => {
    const project = join(place.folder, 'app', 'deep');
    mkdirSync(join(place.folder, 'app', '.git'), { recursive: true });
    mkdirSync(project);
    const install = (...flags: string[]): Promise<Ended> =>
      place.start(['mcp', 'install', 'cursor', '--project', '--json', ...flags], { env: { HOME: home }, cwd: project });
    const file = join(place.folder, 'app', '.cursor', 'mcp.json');
    expect(JSON.parse((await install('--dry-run')).out)).toMatchObject({ client: 'cursor', scope: 'project', file, action: 'added', written: false, backup: null });
    const done = await install('--yes');
    expect(JSON.parse(done.out)).toMatchObject({ action: 'added', written: true, start: { ok: true } });
    expect(JSON.parse((await install('--yes')).out)).toMatchObject({ action: 'unchanged', written: false, diff: '' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('mcpServers.wc.env.WC_HOME', place.home);
  });

  it('refuses in one line: a broken file, another server, no terminal to ask on, an unknown client', async () => {
    const zed = join(home, '.config', 'zed', 'settings.json');
    writeFileSync(zed, '{ "a": ');
    expect(await wcMcp('install', 'zed', '--yes')).toMatchObject({
      code: 1,
      err: `wc: ${zed}: It is no valid JSON: value expected at line 1, column 8. Mend it, or restore a version that its client can read.\n`,
    });
    expect((await wcMcp('list', 'zed')).code).toBe(1);
    writeFileSync(zed, '{ "context_servers": { "wc": { "command": "docker" } } }');
    expect((await wcMcp('uninstall', 'zed', '--yes')).err).toContain('is another server, which is left alone');
    expect(await wcMcp('uninstall', 'cursor')).toMatchObject({ code: 2, err: expect.stringContaining('--yes') as string });
    expect((await wcMcp('install', 'emacs')).code).toBe(2);
  });
});
