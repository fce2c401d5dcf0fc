import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createTaskRepository } from '../../fixtures/coding-task.js';
import type { HandoffBrief } from '../../src/daemon/continuity/handoff/brief.js';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import { cliPlace, WC, type CliPlace } from './cli.js';

const FILE = 'src/duration.js';
const OLD_TEXT = 'total = Number(match[1]) * unit;';
const NEW_TEXT = 'total += Number(match[1]) * unit;';
const FAILING = 'several parts are added up';

let place: CliPlace;
let repository: string;
afterEach(async () => {
  place.close();
  await rm(dirname(repository), { recursive: true, force: true });
});

/** One line of `wc` in the repository, as a person types it. */
function wc(...args: string[]): string {
  const { code, out, err } = place.wc(args, { cwd: repository, env: { WC_SESSION: '~s1', WC_PROJECT: '~p1' } });
  expect([args[0], code, args[0] === 'project-validate' ? '' : err]).toEqual([args[0], args[0] === 'project-validate' ? 1 : 0, '']);
  return out;
}

const json = (...args: string[]): ToolResult['output'] => (JSON.parse(wc(...args, '--json')) as ToolResult).output;
const brief = (): HandoffBrief => json('handoff')['handoff_brief'] as HandoffBrief;

/** Another client, which knows nothing but the Session's id. */
async function secondClient<Outcome>(use: (call: (tool: string, args: object) => Promise<ToolResult>) => Promise<Outcome>): Promise<Outcome> {
  const client = new Client({ name: 'second', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StdioClientTransport({ command: WC, args: ['mcp'], env: place.env as Record<string, string>, stderr: 'ignore' }));
  try {
    return await use(async (tool, args) => (await client.callTool({ name: tool, arguments: args as Record<string, unknown> })).structuredContent as ToolResult);
  } finally {
    await client.close();
  }
}

describe('a task that one client leaves and another one takes up', () => {
  it.each([
    ['by one daemon', false],
    ['over restarts of the daemon', true],
  ])('%s: blocked, then ready to continue, then a pass', async (_how, restarts) => {
    place = cliPlace();
    repository = await createTaskRepository();
    const between = (): void => {
      if (restarts) expect(place.wc(['daemon', 'stop']).code).toBe(0);
    };
    place.shell('git config user.name t && git config user.email t@localhost', { cwd: repository });
    expect(place.wc(['work-on-project', 'Make the failing test pass'], { cwd: repository }).code).toBe(0);
    wc('files', 'edit', FILE, '--replace', 'let total = 0;', '--with', 'let total = 0; // of all parts');
    wc('project-validate', 'test');
    between();

    const left = brief();
    expect(left).toMatchObject({
      progress: { state: 'blocked', changes: { items: [FILE] } },
      workspace: { status: 'available', branch: 'main', dirty: true },
      validation: { status: 'failed' },
      basis: { complete: true, reason_codes: [] },
    });
    expect(left.validation.open_failures.items?.[0]).toContain(FAILING);
    const page = wc('handoff');
    expect(page.split('\n')[0]).toBe('State: blocked');
    expect(page).toContain(FAILING);
    if (!restarts) expect(normalized(page)).toBe(documented('blocked'));

    await secondClient(async (call) => {
      const sessionId = left.session.session_id;
      const read = (await call('read_session_handoff', { session_id: sessionId })).output['handoff_brief'] as HandoffBrief;
      expect(read.progress).toEqual(left.progress);
      const { tool, arguments: args } = read.task_context.continuation;
      const resumed = await call(tool, { ...args, instruction: 'Go on: add the parts up' });
      expect((resumed.output['suggested_next_actions'] as string[])[0]).toContain(FAILING);
      between();
      const on = { project: resumed.output['project'], session_id: sessionId };
      const edit = { kind: 'replace_exact', old_text: OLD_TEXT, new_text: NEW_TEXT };
      expect((await call('edit_project_files', { ...on, changes: [{ kind: 'edit', path: FILE, edits: [edit] }] })).success).toBe(true);
      expect((await call('read_session_handoff', { session_id: sessionId })).output['handoff_brief']).toMatchObject({ progress: { state: 'blocked' } });
      expect(await call('project_validate', { ...on, action: 'test' })).toMatchObject({ success: true, output: { validation: { status: 'passed' } } });
    });
    between();

    const fixed = brief();
    expect(fixed).toMatchObject({
      progress: { state: 'ready_to_continue' },
      workspace: { dirty: true },
      validation: { status: 'passed', open_failures: { total: 0 } },
      task: { root_instruction: { excerpt: 'Make the failing test pass' }, latest_instruction: { excerpt: 'Go on: add the parts up' } },
    });
    expect(normalized(wc('handoff'))).toBe(documented('ready'));
    json('commit-git-paths', '--expected-head', fixed.workspace.head ?? '', '--paths', FILE, '--message', 'Add the parts up');
    const finished = json('finish');
    expect(finished).toMatchObject({
      task_outcome: { status: 'pass', blocking: false, blocking_reasons: [], warning_reasons: [] },
      evidence_history: { status: 'mixed_resolved' },
      handoff_brief: { progress: { state: 'ready_to_continue' } },
    });
    const evidence = wc('session', 'show', '--evidence');
    expect(evidence).toMatch(/^validation +passed, 1 passed, 1 failed, 1 resolved$/m);
    expect(evidence).toMatch(/^since last change +passed$/m);
  }, 90_000);
});

/** What differs from run to run by nature. */
function normalized(page: string): string {
  return page.replaceAll(/wc_sess_[A-Za-z0-9_-]{16}/g, 'wc_sess_Qm3xkT0vR8yLhN2a').replaceAll(/@ [0-9a-f]{8}/g, '@ 1a2b3c4d');
}

/** The page of the worked example in the documentation. */
function documented(which: 'blocked' | 'ready'): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'handoff.md'), 'utf8');
  const blocks = [...text.matchAll(/```console\n\$ wc handoff ~s1\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return (which === 'blocked' ? blocks[0] : blocks[1]) ?? expect.fail(`docs/handoff.md shows no ${which} page`);
}
