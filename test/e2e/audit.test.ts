import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliPlace } from './cli.js';
import { cliPlace, WC } from './cli.js';
import { postTool } from './raw-http.js';

let place: CliPlace;
let socket: string;

beforeAll(() => {
  place = cliPlace();
  place.wc(['daemon', 'start']);
  socket = place.status().socket;
}, 60_000);
afterAll(() => place.close());

/** One call that succeeds and one that is refused, in an audit session of that name. */
async function callsIn(session: string): Promise<void> {
  const headers = { 'x-action-session-id': session };
  await postTool(socket, 'list_projects', { arguments: {} }, headers);
  await postTool(socket, 'read_files', { arguments: { no_such_field: 1 } }, headers);
}

const json = (args: readonly string[]): Record<string, unknown> => {
  const { code, out, err } = place.wc([...args, '--json']);
  expect([args.join(' '), code, err]).toEqual([args.join(' '), 0, '']);
  return JSON.parse(out) as Record<string, unknown>;
};

/** `wc audit tail`, read line by line. */
class Tail {
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];
  private wake: () => void = () => undefined;
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[]) {
    this.child = spawn(WC, ['audit', 'tail', ...args], { env: place.env, stdio: ['ignore', 'pipe', 'ignore'] });
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      this.wake();
    });
  }

  /** The next line, as it comes. */
  async next(): Promise<string> {
    if (this.lines.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.lines.shift() ?? '';
  }

  interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.ended;
  }
}

describe('wc audit', () => {
  it('[05-A7] closes a session for good, and keeps when and why it was closed first', async () => {
    await callsIn('closing');
    const first = json(['audit', 'close', 'closing', '--note', 'enough']);
    const again = json(['audit', 'close', 'closing']);
    expect(first).toMatchObject({ already_closed: false, session: { session_id: 'closing', status: 'closed', note: 'enough', total_actions: 2 } });
    expect(again).toEqual({ ...first, already_closed: true });
    expect(place.wc(['audit', 'close', 'closing']).out).toMatch(/^closing was closed already, at .*Z; actions 2: 1 ok, 1 failed, 0 unknown\.\n$/);
    const unknown = place.wc(['audit', 'close', 'nobody']);
    expect([unknown.code, unknown.out, unknown.err]).toEqual([1, '', 'wc: there is no such audit session.\n']);
  });

  it('shows durations, outcomes and error kinds by tool', async () => {
    await callsIn('measured');
    const shown = place.wc(['audit', 'stats', '--session', 'measured']).out.split('\n');
    expect(shown[0]).toMatch(/^TOOL +CALLS +OK +UNKNOWN +P50 +P95 +P50-P95 +BYTES P50 +BYTES P95 +ERRORS$/);
    expect(shown.find((line) => line.startsWith('read_files'))).toMatch(/ 1 +0% +0 .*█.* - +- +invalid_arguments 1$/);
    const { totals } = json(['audit', 'stats', '--session', 'measured', '--tool', 'read_files', '--since', '2h']) as never as { totals: object };
    expect(totals).toMatchObject({ calls: 1, failed: 1, error_kinds: { invalid_arguments: 1 }, outcomes: { invalid: 1 } });
    expect(json(['audit', 'stats', '--session', 'measured', '--until', '2h'])).toMatchObject({ coverage: { events: 0 } });
    expect(json(['audit', 'stats', '--limit', '1', '--tool', 'list_projects'])).toMatchObject({ totals: { calls: 1 } });
    expect(place.wc(['audit', 'stats', '--session', 'nobody'])).toMatchObject({ code: 1, out: '' });
    expect(place.wc(['audit', 'stats', '--since', 'yesterday'])).toMatchObject({ code: 2, out: '' });
  });

  it('exports what a session shows, to a private file that is whole, or as CSV', async () => {
    await callsIn('exported');
    const file = join(place.folder, 'calls.ndjson');
    const told = json(['audit', 'export', '--since', '1h', '--output', file]);
    const events = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told).toEqual({ file, format: 'ndjson', events: events.length });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    const shown = json(['audit', 'session', 'exported']) as never as { events: { event_id: string }[] };
    const exported = events.filter((event) => event['session_id'] === 'exported');
    expect(exported.reverse()).toEqual(shown.events);
    expect(Object.keys(exported[0] ?? {})).toHaveLength(18);

    await callsIn('=1+1');
    const lines = place.wc(['audit', 'export', '--since', '1h', '--format', 'csv']).out.split('\r\n');
    expect(lines[0]?.split(',')).toHaveLength(18);
    expect(lines.at(-1)).toBe('');
    expect(lines.slice(-3, -1).every((line) => line.includes(`,'=1+1,`))).toBe(true);
    expect(lines.at(-2)).toContain('""error_kind"":""invalid_arguments""');
    expect(place.wc(['audit', 'export', '--since', '1h', '--json'])).toMatchObject({ code: 2, out: '' });
  });

  it('follows what is written, whichever daemon writes it, until it is interrupted', async () => {
    await callsIn('tailed');
    const tail = new Tail(['--session', 'tailed', '-n', '1', '--json']);
    const operation = async (): Promise<unknown> => (JSON.parse(await tail.next()) as { operation: string }).operation;
    expect(await operation()).toBe('read_files');
    await callsIn('elsewhere');
    await callsIn('tailed');
    expect([await operation(), await operation()]).toEqual(['list_projects', 'read_files']);

    place.wc(['daemon', 'stop']);
    place.wc(['daemon', 'start']);
    socket = place.status().socket;
    await callsIn('tailed');
    expect([await operation(), await operation()]).toEqual(['list_projects', 'read_files']);
    expect(await tail.interrupt()).toBe(0);
  });

  it('shows a line a call, those that failed alone where that is asked for', async () => {
    await callsIn('lines');
    const tail = new Tail(['--session', 'lines', '--failed']);
    expect(await tail.next()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  failed  +\d+ ms +\d+ B  read_files  invalid_arguments$/);
    await callsIn('lines');
    expect(await tail.next()).toContain('read_files');
    await tail.interrupt();
  });

  it('[05-A29] ends with one line and nothing on standard output when the audit cannot be read', async () => {
    await callsIn('broken');
    place.wc(['daemon', 'stop']);
    const path = join(place.home, 'audit.db');
    const database = new SqliteDatabase(path);
    database.pragma('foreign_keys = OFF');
    database.exec('ALTER TABLE action_events RENAME TO hidden');
    database.close();
    const target = join(place.folder, 'nothing.ndjson');
    for (const args of [['stats'], ['export', '--since', '1h'], ['export', '--since', '1h', '-o', target], ['tail']]) {
      const { code, out, err } = place.wc(['audit', ...args]);
      expect([args.join(' '), code, out]).toEqual([args.join(' '), 1, '']);
      expect(err).toMatch(/^wc: the audit (?:store cannot be used|could not be read): .*\.\n$/);
    }
    expect(readdirSync(place.folder)).not.toContain('nothing.ndjson');
    // Tools go on, whatever became of the audit.
    expect(place.wc(['list-projects', '--json']).code).toBe(0);
  });
});
