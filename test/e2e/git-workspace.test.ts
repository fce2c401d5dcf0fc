import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import type { CliOptions, CliPlace, Ended } from './cli.js';
import { cliPlace, gitRepository } from './cli.js';

const COMMITS = 200;
const READ_EVERY_MS = 50;
/** A second's worth of reads: a machine that can not keep up gets no more, however long it is at it. */
const READS_AT_ONCE = 20;
const ESCAPE = '\u001b[';

let place: CliPlace;
let repository: string;
const run = promisify(execFile);

beforeAll(() => {
  place = cliPlace();
  repository = gitRepository(place);
  git('config', 'user.name', 'Someone');
  git('config', 'user.email', 'someone@example.com');
  for (let file = 0; file < 20; file += 1) write(`${file}.txt`, 'base\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'base');
  expect(wc(['project', 'add', '.']).code).toBe(0);
}, 60_000);
afterAll(() => {
  place.close();
});

const wc = (args: readonly string[], options: CliOptions = {}): Ended => place.wc(args, { cwd: repository, ...options });
const json = (args: readonly string[], options: CliOptions = {}): ToolResult => JSON.parse(wc([...args, '--json'], options).out) as ToolResult;
const write = (name: string, content: string): void => writeFileSync(join(repository, name), content);
const read = (name: string): string => readFileSync(join(repository, name), 'utf8');
const git = (...args: string[]): string => execFileSync('git', args, { cwd: repository, encoding: 'utf8' });

function callTool(socketPath: string, tool: string, args: object): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: `/api/tools/${tool}`, method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(JSON.parse(text) as ToolResult));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ arguments: args }));
  });
}

describe('a user who works beside us', () => {
  it('[00-D33] commits 200 times while we read 20 times a second: none fails, no lock is left', async () => {
    const { socket } = place.status();
    const tools: readonly (readonly [string, object])[] = [
      ['read_workspace_changes', { include_diff: true }],
      ['review_changes', { scope: 'workspace' }],
      ['get_git_status', {}],
      ['check_workspace_hygiene', {}],
      ['read_git_log', {}],
    ];
    const reads: Promise<ToolResult>[] = [];
    let underWay = 0;
    const reading = setInterval(() => {
      if (underWay >= READS_AT_ONCE) return;
      underWay += 1;
      const [tool, args] = tools[reads.length % tools.length] ?? ['get_git_status', {}];
      reads.push(callTool(socket, tool, { project: 'agent:local:repo', ...args }).finally(() => (underWay -= 1)));
    }, READ_EVERY_MS);
    try {
      for (let commit = 0; commit < COMMITS; commit += 1) {
        write(`${commit % 20}.txt`, `commit ${commit}\n`);
        // A lock of ours would make this fail.
        await run('git', ['commit', '-q', '-a', '-m', `commit ${commit}`], { cwd: repository });
      }
    } finally {
      clearInterval(reading);
    }
    const answers = await Promise.all(reads);
    expect(answers.length).toBeGreaterThan(20);
    const failures = answers.flatMap((answer) => (answer.success ? [] : [answer.output['error_kind']]));
    // A page whose two sides changed while it was read is no page; everything else must be there.
    expect(failures.filter((kind) => kind !== 'stale_continuation')).toEqual([]);
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe(String(COMMITS + 2));
    expect(readdirSync(join(repository, '.git'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'))).toEqual([]);
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
  }, 120_000);
});

describe('wc changes', () => {
  it('shows a diff, the sums alone with --stat, and no colour on a pipe', () => {
    write('0.txt', 'changed by hand\n');
    const whole = wc(['changes']);
    expect(whole.out).toContain('\n M 0.txt\n1 tracked file, +1 -1\n');
    expect(whole.out).toMatch(/@@ -1,1 \+1,1 @@\n-commit 180\n\+changed by hand\n$/);
    expect(wc(['changes', '--stat']).out).toMatch(/\n M 0\.txt\n1 tracked file, \+1 -1\n$/);
    expect(whole.out).not.toContain(ESCAPE);
  });

  it('has colour on a terminal, and none there under NO_COLOR', () => {
    const onTerminal = (env: NodeJS.ProcessEnv): string => place.shell(`script -qec "$WC changes" /dev/null`, { cwd: repository, env: { TERM: 'xterm', ...env } }).out;
    expect(onTerminal({ NO_COLOR: '' })).toContain(`${ESCAPE}31m-commit 180${ESCAPE}39m`);
    expect(onTerminal({ NO_COLOR: '1' })).not.toContain(ESCAPE);
  });
});

describe('wc checkpoint', () => {
  it('makes one, lists it, shows it, restores it after a restart of the daemon, and deletes it', () => {
    write('0.txt', 'kept\n');
    const made = json(['checkpoint', 'create', '--title', 'before lunch']).output['checkpoint'] as { checkpoint_id: string };
    const id = made.checkpoint_id;
    expect(git('status', '--porcelain')).toBe(' M 0.txt\n');
    expect(wc(['checkpoint', 'list']).out).toMatch(new RegExp(`^CHECKPOINT .*\n${id}  \\S+Z  snapshot  [0-9a-f]{8} +1  before lunch\n$`));
    expect(wc(['checkpoint', 'show', id]).out).toMatch(/title +before lunch\n[\s\S]*unstaged +1 file, \+1 -1\n[\s\S]*\n {2}0\.txt\n$/);
    write('0.txt', 'lost?\n');
    expect(wc(['daemon', 'stop']).code).toBe(0);
    const restored = wc(['checkpoint', 'restore', id]);
    expect(restored.out).toMatch(new RegExp(`^Restored ${id}: 1 file changed\\.\n {2}0\\.txt\nWhat was there before is kept: wc checkpoint restore wc_ckpt_`));
    expect(read('0.txt')).toBe('kept\n');
    const previous = /restore (wc_ckpt_[0-9a-f]{32})/.exec(restored.out)?.[1] ?? '';
    expect(wc(['checkpoint', 'restore', previous]).code).toBe(0);
    expect(read('0.txt')).toBe('lost?\n');
    expect(wc(['checkpoint', 'delete', id])).toMatchObject({ code: 1, err: expect.stringContaining('(confirm_required)') as string });
    expect(wc(['checkpoint', 'delete', id, '--confirm']).out).toBe(`Deleted ${id}.\n`);
    expect(wc(['checkpoint', 'show', id]).code).toBe(1);
  });
});

describe('the Session of a change', () => {
  it('records what was changed, refuses writes when it is read only, and none of it when it is closed', () => {
    const session = json(['start-session', '--title', 's', '--project', 'agent:local:repo']).output['session_id'] as string;
    const paths = ['--paths', '0.txt', '--session', session];
    const { output } = json(['restore-git-paths', ...paths]);
    expect(output).toMatchObject({ restored: ['0.txt'], session_recorded: true });
    const { events } = json(['session', 'show', session]).output as unknown as { events: Record<string, unknown>[] };
    expect(events.at(-1)).toMatchObject({ tool_name: 'restore_git_paths', status: 'succeeded', changed_paths: ['0.txt'] });
    const head = git('rev-parse', 'HEAD').trim();
    const readOnly = json(['start-session', '--title', 'r', '--mode', 'read_only', '--project', 'agent:local:repo']).output['session_id'] as string;
    write('0.txt', 'mine\n');
    const commit = ['commit-git-paths', '--expected-head', head, '--paths', '0.txt', '--message', 'm', '--session'];
    expect(json([...commit, readOnly]).output).toMatchObject({ error_kind: 'session_guard_denied' });
    expect(json(['session', 'close', session]).success).toBe(true);
    expect(json([...commit, session]).output).toMatchObject({ error_kind: 'session_closed' });
    expect(json(['checkpoint', 'create', '--session', session])).toMatchObject({ output: { error_kind: 'session_closed' } });
    expect([git('rev-parse', 'HEAD').trim(), read('0.txt')]).toEqual([head, 'mine\n']);
  });
});
