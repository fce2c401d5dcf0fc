import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '../../src/protocol/catalog.js';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import type { CliOptions, CliPlace, Ended } from './cli.js';
import { cliPlace, gitRepository } from './cli.js';

const CATALOG = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'catalog.json'), 'utf8')) as Catalog;
const SECONDS = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;

let place: CliPlace;
let repository: string;

beforeAll(() => {
  place = cliPlace();
  repository = gitRepository(place);
  writeFileSync(join(repository, 'a.txt'), 'alpha\nbeta\ngamma\n');
}, 60_000);
afterAll(() => {
  place.close();
});

const wc = (args: readonly string[], options: CliOptions = {}): Ended => place.wc(args, { cwd: repository, ...options });
const json = (args: readonly string[], options: CliOptions = {}): ToolResult => JSON.parse(wc([...args, '--json'], options).out) as ToolResult;

/** Commands that end with the code of the program that they ran, and with 125 when they ran none. */
const ENDS_LIKE_A_PROGRAM = [
  'cargo-check',
  'cargo-fmt',
  'cargo-test',
  'execute-session-shell',
  'go-test',
  'project-validate',
  'run-process',
  'run-script',
  'run-shell',
];

describe('every tool', () => {
  it('has a command whose --json is its exact ToolResult, one document on one line', async () => {
    for (const { command } of CATALOG.tools) {
      const { code, out, err } = await place.start([command, '--json', '--input', '{"no_such_field":1}'], { cwd: repository });
      const result = JSON.parse(out) as ToolResult;
      expect(out.trimEnd().split('\n'), command).toHaveLength(1);
      expect(result, command).toMatchObject({ success: false, output: { error_kind: 'invalid_arguments' } });
      expect([code, err], command).toEqual([ENDS_LIKE_A_PROGRAM.includes(command) ? 125 : 1, '']);
    }
  }, 120_000);

  it('has help that names its inputs', () => {
    const { code, out } = wc(['search-project-texts', '--help']);
    expect(code).toBe(0);
    for (const flag of ['--queries=JSON', '--project=PROJECT', '--session=SESSION', '--record=SESSION', '--input=JSON', '--json']) {
      expect(out).toContain(flag);
    }
    expect(wc(['help', 'job', 'logs']).out).toContain('--follow');
  });
});

describe('a task in a folder', () => {
  it('begins by where the person stands, and says how to go on', () => {
    const begun = wc(['work-on-project', 'Look around']);
    expect(begun.code).toBe(0);
    expect(begun.out).toMatch(/^Task started\.\nsession +wc_sess_\S+ \(~s1\)\nproject +agent:local:repo \(~p1\), newly registered at /);
    expect(begun.out.trimEnd().split('\n').at(-1)).toBe("for the next commands: export WC_SESSION='~s1' WC_PROJECT='~p1'");
    const resumed = json(['work-on-project', 'Look again'], { env: { WC_SESSION: '~s1' } });
    expect(resumed.output).toMatchObject({ continuation: 'resumed_explicitly', project: 'agent:local:repo' });
  });

  it('takes its selectors from flags, from variables, or from the folder, in that order', () => {
    const env = { WC_SESSION: '~s1', WC_PROJECT: 'no-such-project' };
    expect(json(['changes', '--project', '~p1'], { env }).success).toBe(true);
    expect(json(['changes'], { env }).output['error_kind']).toBe('unknown_project');
    expect(json(['changes']).success).toBe(true);
    expect(wc(['changes'], { cwd: place.folder })).toEqual({
      code: 2,
      out: '',
      err: `wc: No project is registered at or above ${place.folder}. Begin with \`wc work-on-project\` or \`wc project add\`, or give --project.\n`,
    });
  });

  it('records calls in the Session, and in a recorder besides', () => {
    const recorder = json(['start-session', 'the recorder', '--project', '~p1']).output['session_id'] as string;
    const read = json(['files', 'read', 'a.txt'], { env: { WC_SESSION: '~s1', WC_PROJECT: '~p1', WC_RECORD: recorder } });
    expect(read.output['session_recorded']).toBe(true);
    for (const session of ['~s1', recorder]) {
      const { events } = json(['session', 'show', session]).output as unknown as { events: { tool_name: string }[] };
      expect(events.at(-1)?.tool_name).toBe('read_files');
    }
  });
});

describe('the files of a project', () => {
  it('are read: text alone on a pipe, what fails on standard error', () => {
    expect(wc(['files', 'read', 'a.txt'])).toEqual({ code: 0, out: 'alpha\nbeta\ngamma\n', err: '' });
    expect(wc(['files', 'read', 'a.txt:2'])).toEqual({ code: 0, out: 'beta\n', err: '… there is more: a.txt:3-\n' });
    expect(wc(['files', 'read', 'a.txt:2-', 'none.txt'])).toEqual({
      code: 1,
      out: '==> a.txt <==\nbeta\ngamma\n',
      err: 'error: "none.txt" does not exist. (not_found)\n',
    });
  });

  it('are searched, listed and edited', () => {
    expect(wc(['files', 'search', 'b.t', '-C', '1'])).toEqual({ code: 0, out: 'a.txt-1-alpha\na.txt:2:beta\na.txt-3-gamma\n', err: '' });
    expect(wc(['files', 'search', 'a(', '--literal'])).toEqual({ code: 0, out: '', err: 'Nothing was found.\n' });
    expect(wc(['files', 'search', '('])).toMatchObject({ code: 1, err: expect.stringContaining('(invalid_pattern)') as string });
    expect(wc(['files', 'list']).out).toBe('SIZE  TYPE  NAME\n17 B  file  a.txt\nnot listed: .git\n');
    expect(wc(['files', 'edit', 'a.txt', '--replace', 'beta', '--with', 'BETA'])).toEqual({
      code: 0,
      out: 'edited a.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n',
      err: '',
    });
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('alpha\nBETA\ngamma\n');
    expect(wc(['files', 'edit', 'a.txt', '--delete', 'x', '--dry-run'])).toMatchObject({ code: 1, err: expect.stringContaining('(match_not_found)') as string });
    expect(wc(['files', 'edit', 'a.txt', '--replace', 'x']).err).toBe('wc: --replace needs --with.\n');
    expect(wc(['files', 'edit', 'a.txt']).code).toBe(2);
  });

  it('show their changes, and the report on the task', () => {
    const changes = wc(['changes', '--include-diff']).out;
    expect(changes).toMatch(/^main @ [0-9a-f]{8}\n\?\? a\.txt\n$/);
    const report = wc(['finish', '~s1']);
    expect([report.code, report.out.split('\n')[0]]).toEqual([0, 'Task outcome: warn']);
  });
});

describe('projects, Sessions and the audit', () => {
  it('are listed for people', () => {
    expect(wc(['project', 'list']).out).toBe(`REF  PROJECT           FOLDER\n~p1  agent:local:repo  ${repository}\n`);
    expect(wc(['project', 'show']).out).toContain(`folder      ${repository}`);
    expect(wc(['session', 'list']).out).toMatch(new RegExp(`^~s1  wc_sess_\\S+  active  ${SECONDS}  Look around$`, 'm'));
    expect(wc(['audit', 'stats']).out).toMatch(/^work_on_project +3 +66% .* invalid_arguments 1$/m);
    expect(wc(['audit', 'sessions']).out).toMatch(/^[0-9a-f-]{36} +open /m);
  });

  it('are shown one at a time', () => {
    const { sessions } = JSON.parse(wc(['audit', 'sessions', '--json']).out) as { sessions: { session_id: string }[] };
    const shown = wc(['audit', 'session', sessions[0]!.session_id, '--tool', 'edit_project_files', '--failed']);
    expect(shown.out).toMatch(/edit_project_files +\S+ .*match_not_found$/m);
    expect(wc(['audit', 'session', 'no-such-session'])).toEqual({ code: 1, out: '', err: 'wc: there is no such audit session.\n' });
    expect(wc(['audit', 'stats', '--since', 'yesterday']).code).toBe(2);
  });

  it('a Session is closed once, and stays readable', () => {
    expect(wc(['session', 'close', '~s1']).out).toMatch(/^Session wc_sess_\S+ is closed\.\n$/);
    expect(wc(['session', 'close', '~s1']).out).toMatch(/^Session wc_sess_\S+ was closed before\.\n$/);
    expect(wc(['session', 'show', '~s1']).out).toMatch(/^state +closed, normal$/m);
  });

  it('a project is registered and removed, and its files stay', () => {
    const other = join(place.folder, 'other');
    mkdirSync(other);
    expect(wc(['project', 'add', other]).out).toMatch(/^Project registered\.\nproject +agent:local:other /);
    expect(wc(['project', 'remove', 'agent:local:other']).out).toBe('agent:local:other is no project any more.\n');
    expect(wc(['project', 'remove', 'never-one'])).toMatchObject({ code: 1, err: expect.stringContaining('(unknown_project)') as string });
  });
});

describe('tokens', () => {
  it('are shown once, let others in, and are revoked', () => {
    const created = wc(['token', 'create', 'ci', '--scope', 'project:read', '--scope', 'runtime:read', '--json']);
    const { name, token, scopes, ...rest } = JSON.parse(created.out) as Record<string, unknown>;
    expect([name, scopes, rest]).toEqual(['ci', ['project:read', 'runtime:read'], {}]);
    const env = { WC_TOKEN: String(token) };
    expect(json(['list-projects'], { env }).success).toBe(true);
    expect(json(['project', 'add', place.folder], { env }).output['error_kind']).toBe('insufficient_scope');
    expect(wc(['token', 'list']).out).toMatch(/^ci +in force .* project:read runtime:read$/m);
    expect(wc(['token', 'list'], { env })).toMatchObject({ code: 1, out: '' });
    expect(wc(['token', 'revoke', 'ci']).out).toBe("Token 'ci' is revoked.\n");
    expect(wc(['list-projects', '--json'], { env })).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^wc: .*token/) as string });
    expect(wc(['token', 'create', 'x', '--scope', 'no:such']).code).toBe(2);
    expect(wc(['token', 'create', 'x']).code).toBe(2);
  });
});

describe('manners', () => {
  it('no colour on a pipe; colour on a terminal, unless NO_COLOR', () => {
    expect(wc(['project', 'list'], { env: { FORCE_COLOR: '' } }).out).not.toContain('\u001b');
    const onTerminal = (env: NodeJS.ProcessEnv): string => place.shell(`script -qec '"$WC" project list' /dev/null`, { env: { TERM: 'xterm', ...env } }).out;
    expect(onTerminal({ NO_COLOR: '' })).toContain('\u001b[2m');
    expect(onTerminal({ NO_COLOR: '1' })).not.toContain('\u001b[');
  });

  it('a mistake in the command line is exit code 2, one line, and nothing sent', () => {
    expect(wc(['project', 'list', '--no-such-flag'])).toEqual({
      code: 2,
      out: '',
      err: "wc: Nonexistent flag: --no-such-flag. See 'wc project list --help'.\n",
    });
    expect(wc(['list-projects', '--limit', 'many'])).toMatchObject({ code: 2, err: "wc: --limit takes a whole number, not 'many'.\n" });
    expect(wc(['list-projects', '--json', '--input', '[]']).code).toBe(2);
    expect(wc(['list-projects', '--json', '--input', '@none.json'])).toMatchObject({ code: 2, err: 'wc: none.json can not be read (ENOENT).\n' });
    expect(wc(['read-tool-manifest', 'a', 'b']).code).toBe(2);
    expect(wc(['project', 'lst']).err).toBe("wc: 'project lst' is no command of wc. Did you mean 'wc project list'?\n");
  });

  it('--input comes from the line, a file, or standard input', () => {
    writeFileSync(join(repository, 'input.json'), '{"limit":1}');
    for (const args of [['--input', '{"limit":1}'], ['--input', '@input.json']]) {
      expect(json(['list-projects', ...args]).output['returned_count']).toBe(1);
      expect(wc(['list-projects', ...args]).out).toContain('returned_count: 1');
    }
    expect(json(['list-projects', '--input', '-'], { input: '{"query":"other"}' }).output['returned_count']).toBe(0);
  });

  it('a tool that says no is exit code 1, its sentence and its kind on standard error', () => {
    expect(wc(['read-session-summary', 'wc_sess_0000000000000000'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error: .* \(unknown_session_id\)\n/) as string,
    });
  });

  it('works from a folder that is gone, and without a HOME', () => {
    const gone = join(place.folder, 'gone');
    mkdirSync(gone);
    expect(place.shell(`cd '${gone}' && rmdir '${gone}' && "$WC" list-projects --json`).code).toBe(0);
    expect(place.shell('env -u HOME "$WC" list-projects --json').code).toBe(0);
    chmodSync(place.home, 0o700);
  });
});
