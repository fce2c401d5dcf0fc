import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type DaemonClient } from '../../src/client/index.js';
import type { ToolResult } from '../../src/protocol/tool-result.js';

const WC = join(import.meta.dirname, '..', '..', 'bin', 'webcodex');

let folder: string;
let env: Record<string, string>;
let client: DaemonClient | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-ledger-faults-'));
  mkdirSync(join(folder, 'project'));
  execFileSync('git', ['init', '-q', join(folder, 'project')]);
  env = { PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') };
  client = null;
});
afterEach(() => {
  client?.close();
  spawnSync(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

interface Verified {
  readonly sound: boolean;
}

function verified(): Verified {
  return JSON.parse(execFileSync(WC, ['ledger', 'verify', '--json'], { env, encoding: 'utf8' })) as Verified;
}

describe('kill -9 of the daemon', () => {
  it('loses no answered event, whenever it comes, and leaves sound chains', async () => {
    const wc = (client = await connect({ adapter: 'cli', env }));
    const work = await wc.callTool('work_on_project', {
      arguments: { client_id: 'local', path: join(folder, 'project'), instruction: 'survive' },
    });
    const sessionId = work.output['session_id'] as string;
    const answered: string[] = [];
    for (let life = 0; life < 3; life += 1) {
      const { pid } = await wc.ensure();
      const before = answered.length;
      const calls = Array.from({ length: 60 }, async () => {
        const result = await wc.callTool('list_tools', { arguments: { summary_only: true }, recording_session_id: sessionId });
        answered.push(result.output['session_event_id'] as string);
        // In the middle of the others: some are answered, some committed, some not begun.
        if (answered.length === before + 5 * (life + 1)) process.kill(pid, 'SIGKILL');
      });
      await Promise.allSettled(calls);
      expect(answered.length).toBeGreaterThanOrEqual(before + 5 * (life + 1));
    }
    const summary = await wc.callTool('read_session_summary', { arguments: { session_id: sessionId, limit: 200 } }, { repeatable: true });
    const { events, events_total: total } = summary.output as { events: { event_id: string; call_id?: string; kind: string }[]; events_total: number };
    expect(total).toBeGreaterThan(answered.length * 2);
    const exported = execFileSync(WC, ['session', 'export', sessionId], { env, encoding: 'utf8' });
    for (const eventId of answered) expect(exported).toContain(eventId);
    expect(events.length).toBe(Math.min(200, total));
    expect(verified()).toMatchObject({ sound: true });
  }, 60_000);
});

describe('a full disk', () => {
  it('refuses an export, keeps the ledger sound, and leaves no copy behind', () => {
    const script = `
      set -e
      mount -t tmpfs -o size=8m tmpfs "$MNT"
      export WC_HOME="$MNT/state"
      "${WC}" start-session --title full --json > /dev/null
      dd if=/dev/zero of="$MNT/fill" bs=4096 2>/dev/null || true
      n=0
      while "${WC}" start-session --title "$n" --json > "$OUT/full.json" && [ $n -lt 400 ]; do n=$((n + 1)); done
      code=0; "${WC}" ledger export > "$OUT/export.json" 2> "$OUT/export.err" || code=$?
      echo $code > "$OUT/export.code"
      ls "$MNT/state" > "$OUT/left"
      rm "$MNT/fill"
      "${WC}" start-session --title mended --json > "$OUT/mended.json"
      "${WC}" ledger verify --json > "$OUT/verify.json"
      "${WC}" daemon stop > /dev/null
    `;
    const run = inNamespace(script);
    expect(run.stderr).toBe('');
    expect(read<ToolResult>('full.json').output).toMatchObject({ error_kind: 'storage_unavailable', state_changed: false });
    expect(Number(readFileSync(join(folder, 'export.code'), 'utf8'))).toBe(1);
    expect(readFileSync(join(folder, 'left'), 'utf8')).not.toContain('snapshot');
    expect(read<ToolResult>('mended.json').success).toBe(true);
    expect(read<Verified>('verify.json')).toMatchObject({ sound: true });
  }, 120_000);
});

describe('a read-only file system', () => {
  it('refuses the start in one line, and the ledger is whole when it can be written again', () => {
    const script = `
      set -e
      mount -t tmpfs -o size=16m tmpfs "$MNT"
      export WC_HOME="$MNT/state"
      "${WC}" start-session --title kept --json > "$OUT/kept.json"
      "${WC}" daemon stop > /dev/null
      mount -o remount,ro "$MNT"
      code=0; "${WC}" list-tools --summary-only --json > /dev/null 2> "$OUT/refused.err" || code=$?
      echo $code > "$OUT/refused.code"
      mount -o remount,rw "$MNT"
      "${WC}" ledger verify --json > "$OUT/verify.json"
      "${WC}" daemon stop > /dev/null
    `;
    const run = inNamespace(script);
    expect(run.stderr).toBe('');
    expect(Number(readFileSync(join(folder, 'refused.code'), 'utf8'))).toBe(3);
    expect(readFileSync(join(folder, 'refused.err'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
    expect(read<Verified & { readonly sessions_checked: number }>('verify.json')).toMatchObject({ sound: true, sessions_checked: 1 });
  }, 60_000);
});

/** Runs a script that may mount, with its mounts to itself. */
function inNamespace(script: string) {
  const mount = join(folder, 'mount');
  mkdirSync(mount);
  return spawnSync('unshare', ['-rm', 'sh', '-c', script], { env: { ...env, MNT: mount, OUT: folder }, encoding: 'utf8' });
}

function read<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Shape;
}
