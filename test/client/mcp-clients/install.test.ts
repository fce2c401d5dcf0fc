import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configPath } from '../../../src/client/mcp-clients/config-of.js';
import {
  CLIENT_IDS,
  clientOf,
  ConfigBackups,
  ConfigRefused,
  install,
  listConfigs,
  ourEntry,
  planInstall,
  planUninstall,
  stableNode,
  uninstall,
  type ClientId,
  type ConfigPlaces,
  type Scope,
  type ServerEntry,
} from '../../../src/client/mcp-clients/index.js';

let folder: string;
let places: ConfigPlaces;
let backups: ConfigBackups;
let time: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-clients-'));
  places = { home: join(folder, 'home'), platform: 'linux', env: { PATH: '/usr/bin:/bin', SSH_AUTH_SOCK: '/agent' }, projectRoot: join(folder, 'project') };
  time = Date.UTC(2026, 6, 1);
  backups = new ConfigBackups(join(folder, 'state'), () => new Date((time += 1_000)));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const entryFor = (scope: Scope, node = '/opt/node'): ServerEntry =>
  ourEntry({ node, packageRoot: '/opt/webcodex', stateFolder: '/state', env: places.env, scope });
const plan = (id: ClientId, scope: Scope = 'user', node?: string) =>
  planInstall({ client: clientOf(id), scope, name: 'wc', entry: entryFor(scope, node), byFile: false }, places);
const remove = (id: ClientId, scope: Scope = 'user') => planUninstall({ client: clientOf(id), scope, name: 'wc', byFile: false }, backups, places);

function put(id: ClientId, text: string, scope: Scope = 'user'): string {
  const path = configPath(clientOf(id), scope, places) ?? '';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const JSONC = (servers: string): string => `{\n  // mine\n  "${servers}": {\n    "other": { "command": "x", "env": { "API_KEY": "hush" } }, // theirs\n  },\n}\n`;
const FIXTURES: Readonly<Record<ClientId, string>> = {
  'claude-code': '{"numStartups":3,"mcpServers":{"other":{"command":"x"}}}',
  codex: '# mine\nmodel = "m"\n\n[mcp_servers.other] # theirs\ncommand = "x"\n',
  cursor: JSONC('mcpServers'),
  vscode: JSONC('servers'),
  'claude-desktop': JSONC('mcpServers'),
  gemini: JSONC('mcpServers'),
  zed: JSONC('context_servers'),
  opencode: JSONC('mcp'),
};

describe.each(CLIENT_IDS)('%s', (id) => {
  it.each(['with a configuration', 'without one'])('gets the server in and out again to the byte, %s', async (how) => {
    const before = how === 'without one' ? null : FIXTURES[id];
    const path = before === null ? (configPath(clientOf(id), 'user', places) ?? '') : put(id, before);
    const added = await plan(id);
    expect(added.action).toBe('added');
    expect(existsSync(path)).toBe(before !== null);
    expect(await install(added, backups, places)).toEqual(before === null ? null : expect.stringContaining(join('state', 'mcp-backups', id)));
    const [listed] = await listConfigs('wc', places, [clientOf(id)]);
    expect(listed).toMatchObject({ state: 'installed', entry: { command: '/opt/node', args: ['/opt/webcodex/dist/cli/wc.cjs', 'mcp'], env: { WC_HOME: '/state' } } });
    if (before !== null) for (const kept of before.match(/(#|\/\/) \w+/g) ?? []) expect(readFileSync(path, 'utf8')).toContain(kept);
    const again = await plan(id);
    expect([again.action, again.diff]).toEqual(['unchanged', '']);

    const updated = await plan(id, 'user', '/usr/local/bin/node');
    expect(updated.action).toBe('updated');
    await install(updated, backups, places);
    const out = await remove(id);
    expect(out.action).toBe('restored');
    await uninstall(out, backups, places);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
    expect((await remove(id)).action).toBe('absent');
  });
});

describe('an entry', () => {
  it('hands variables on as its client can: by name, by reference, or as they are', async () => {
    const lines = async (id: ClientId, scope: Scope): Promise<string[]> => (await plan(id, scope)).text.split('\n').filter((line) => line.includes('SSH_AUTH_SOCK')).map((line) => line.trim());
    expect(await lines('codex', 'user')).toEqual(['env_vars = ["SSH_AUTH_SOCK"]']);
    expect(await lines('cursor', 'user')).toEqual(['"SSH_AUTH_SOCK": "${env:SSH_AUTH_SOCK}"']);
    expect(await lines('gemini', 'user')).toEqual(['"SSH_AUTH_SOCK": "$SSH_AUTH_SOCK"']);
    expect(await lines('opencode', 'project')).toEqual(['"SSH_AUTH_SOCK": "{env:SSH_AUTH_SOCK}"']);
    expect(await lines('claude-code', 'project')).toEqual(['"SSH_AUTH_SOCK": "${SSH_AUTH_SOCK:-}"']);
    expect(await lines('zed', 'user')).toEqual(['"SSH_AUTH_SOCK": "/agent"']);
    expect(await lines('zed', 'project')).toEqual([]);
  });

  it('is not made from a cache, and names a Node that outlives an update', () => {
    expect(() => ourEntry({ node: '/n', packageRoot: '/home/u/.npm/_npx/1f/node_modules/webcodex', stateFolder: '/s', env: {}, scope: 'user' })).toThrow(ConfigRefused);
    for (const [name, file] of [['real', 'node'], ['bin', 'node'], ['other', 'node']] as const) {
      mkdirSync(join(folder, name));
      if (name === 'bin') symlinkSync(join(folder, 'real', 'node'), join(folder, name, file));
      else writeFileSync(join(folder, name, file), name);
    }
    const real = join(folder, 'real', 'node');
    expect(stableNode(real, `relative:${join(folder, 'other')}:${join(folder, 'bin')}`)).toBe(join(folder, 'bin', 'node'));
    expect(stableNode(process.execPath, '/nowhere')).toBe(process.execPath);
  });
});

describe('a configuration', () => {
  it('that is a link stays one, and what it leads to is written, even where that is not there yet', async () => {
    const [path, target] = [put('cursor', ''), join(folder, 'dotfiles', 'mcp.json')];
    rmSync(path);
    symlinkSync('../../dotfiles/mcp.json', path);
    await install(await plan('cursor'), backups, places);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toHaveProperty('mcpServers.wc');
    chmodSync(target, 0o640);
    await install(await plan('cursor', 'user', '/n'), backups, places);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    await uninstall(await remove('cursor'), backups, places);
    expect([lstatSync(path).isSymbolicLink(), existsSync(target)]).toEqual([true, false]);
  });

  it.each([
    ['does not parse', (): string => put('zed', '{ "a": '), /settings\.json: It is no valid JSON: value expected at line 1/],
    ['is read-only', (): string => (chmodSync(put('zed', '{}'), 0o444), ''), /settings\.json can not be written: it is read-only/],
    ['has another server of that name', (): string => put('zed', '{"context_servers":{"wc":{"command":"docker"}}}'), /has another server called "wc"/],
    ['has a server of that name in another form', (): string => put('zed', '{"context_servers":{"wc":{"url":"https://x"}}}'), /has another server called "wc"/],
    ['is no text', (): string => (writeFileSync(put('zed', ''), Buffer.from([0x7b, 0xff])), ''), /is no text in UTF-8/],
    ['is a folder', (): string => (rmSync(put('zed', '')), mkdirSync(join(places.home, '.config/zed/settings.json')), ''), /is no file/],
  ])('that %s is left as it is', async (_what, prepare, reason) => {
    prepare();
    await expect(plan('zed')).rejects.toThrow(reason);
    expect(existsSync(join(folder, 'state'))).toBe(false);
    expect(readdirSync(join(places.home, '.config', 'zed'))).toEqual(['settings.json']);
  });

  it('that somebody wrote between the look and the change is not overwritten', async () => {
    const path = put('cursor', '{}');
    const planned = await plan('cursor');
    writeFileSync(path, '{ "theirs": 1 }');
    await expect(install(planned, backups, places)).rejects.toThrow('changed by somebody else');
    expect(readFileSync(path, 'utf8')).toBe('{ "theirs": 1 }');
  });

  it('that was changed since keeps the changes when the server is taken out', async () => {
    const path = put('cursor', FIXTURES.cursor);
    await install(await plan('cursor'), backups, places);
    writeFileSync(path, readFileSync(path, 'utf8').replace('// mine', '// changed'));
    const out = await remove('cursor');
    expect(out.action).toBe('removed');
    await uninstall(out, backups, places);
    expect(readFileSync(path, 'utf8')).toBe(FIXTURES.cursor.replace('// mine', '// changed'));
  });

  it('is shown by its changed lines, without the secrets on them', async () => {
    put('cursor', '{"mcpServers":{"other":{"command":"x","env":{"API_KEY":"hush","token": "hush2"}}}}');
    const { diff } = await plan('cursor');
    expect(diff).not.toContain('hush');
    expect(diff).toContain('"API_KEY":"…"');
    expect(diff).toContain('"WC_HOME":"/state"');
  });

  it('keeps five backups of it at most, and the one that undoes the install', async () => {
    put('cursor', '{}');
    for (let round = 0; round < 8; round += 1) await install(await plan('cursor', 'user', `/n${round}`), backups, places);
    expect(readdirSync(join(folder, 'state', 'mcp-backups')).filter((name) => name.endsWith('.bak'))).toHaveLength(6);
    await uninstall(await remove('cursor'), backups, places);
    expect(readFileSync(join(places.home, '.cursor', 'mcp.json'), 'utf8')).toBe('{}');
  });
});

describe('Claude Code\'s own command', () => {
  /** Stands in for the client: it merges as the real one does, and writes down what it was called with. */
  const CLAUDE = `#!${process.execPath}
const fs = require('node:fs');
const file = process.env.HOME + '/.claude.json';
const [, verb, , , name, json] = process.argv.slice(2);
fs.appendFileSync(process.env.HOME + '/calls', verb + ' ' + name + '\\n');
const config = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
config.mcpServers ??= {};
if (verb === 'add-json' && name in config.mcpServers) { console.error('MCP server ' + name + ' already exists in user config'); process.exit(1); }
if (verb === 'add-json') config.mcpServers[name] = JSON.parse(json); else delete config.mcpServers[name];
fs.writeFileSync(file, JSON.stringify(config, null, 2));
`;

  it('adds, replaces and removes, since the client writes the file while it runs', async () => {
    mkdirSync(join(places.home, 'bin'), { recursive: true });
    writeFileSync(join(places.home, 'bin', 'claude'), CLAUDE, { mode: 0o755 });
    places = { ...places, env: { ...places.env, PATH: join(places.home, 'bin'), HOME: places.home } };
    put('claude-code', FIXTURES['claude-code']);
    await install(await plan('claude-code'), backups, places);
    await install(await plan('claude-code', 'user', '/n'), backups, places);
    expect((await plan('claude-code')).action).toBe('updated');
    writeFileSync(join(places.home, '.claude.json'), readFileSync(join(places.home, '.claude.json'), 'utf8').replace('"numStartups": 3', '"numStartups": 4'));
    await uninstall(await remove('claude-code'), backups, places);
    expect(readFileSync(join(places.home, 'calls'), 'utf8')).toBe('add-json wc\nremove wc\nadd-json wc\nremove wc\n');
    expect(JSON.parse(readFileSync(join(places.home, '.claude.json'), 'utf8'))).toEqual({ numStartups: 4, mcpServers: { other: { command: 'x' } } });
  });
});
