import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { $ } from 'zx';
import { CODING_TASK, createTaskRepository, type TaskFacts } from '../../fixtures/coding-task.js';
import { EXPORT_SELECTORS, type PerformedCommand, performByCli } from '../../scripts/coding-task-by-cli.js';
import { transcriptCommands } from '../../scripts/generation/transcript.js';
import type { ToolResult } from '../../src/protocol/tool-result.js';

const root = join(import.meta.dirname, '..', '..');
const wc = join(root, 'bin', 'wc');

/** A surface's own state folder and copy of the repository. */
interface Place {
  readonly stateFolder: string;
  readonly repository: string;
  readonly env: Record<string, string>;
}

type Event = Record<string, unknown>;

/** The calls that leave a pair in their Session: the first one begins it, the last one only reports on it. */
const RECORDED = CODING_TASK.slice(1, -1);
const TASK_TOOLS = new Set(CODING_TASK.map(({ tool }) => tool));

const places: Place[] = [];
let terminal: { readonly place: Place; readonly commands: readonly PerformedCommand[] };
let legacy: Place;
let stateless: Place;

beforeAll(async () => {
  terminal = await byTerminal();
  legacy = await byMcp('legacy');
  stateless = await byMcp({ pin: '2026-07-28' });
}, 120_000);

afterAll(async () => {
  for (const { stateFolder, repository, env } of places) {
    await $({ env, quiet: true, nothrow: true })`${wc} daemon stop`;
    await rm(stateFolder, { recursive: true, force: true });
    await rm(dirname(repository), { recursive: true, force: true });
  }
}, 60_000);

describe('the coding task from a terminal, over MCP with a handshake, and over stateless MCP', () => {
  it('fixes the repository each time', async () => {
    for (const { repository } of places) {
      expect(await readFile(join(repository, 'src', 'duration.js'), 'utf8')).toContain('total += Number');
      expect((await $({ cwd: repository, quiet: true, nothrow: true })`node --test`).exitCode).toBe(0);
    }
  });

  it('leaves the same evidence in the three ledgers', async () => {
    const [first, ...others] = await Promise.all([terminal.place, legacy, stateless].map(evidenceOf));
    expect(first?.map(({ kind }) => kind)).toEqual(['task_instruction', ...RECORDED.flatMap(() => ['tool_call_started', 'tool_call_finished'])]);
    for (const other of others) expect(other).toEqual(first);
  });

  it('records the failing run before the edit, the edit, and the passing run after it', async () => {
    const finished = (await evidenceOf(stateless)).filter(({ kind }) => kind === 'tool_call_finished');
    expect(finished.map(({ tool_name, status, exit_code, changed_paths }) => [tool_name, status, exit_code, changed_paths])).toEqual([
      ['search_project_texts', 'succeeded', null, []],
      ['read_files', 'succeeded', null, []],
      ['project_validate', 'failed', 1, []],
      ['edit_project_files', 'succeeded', null, ['src/duration.js']],
      ['project_validate', 'succeeded', 0, []],
      ['read_workspace_changes', 'succeeded', null, []],
    ]);
  });

  it('shows an operator every call of the task', async () => {
    for (const place of [terminal.place, legacy, stateless]) {
      const { tools } = (await json(place, ['audit', 'stats', '--json'])) as { tools: { tool: string; outcomes: object }[] };
      const outcomes = tools.map(({ tool, outcomes: of }) => [tool, of] as const).filter(([tool]) => TASK_TOOLS.has(tool));
      expect(Object.fromEntries(outcomes)).toEqual({
        edit_project_files: { success: 1 },
        finish_coding_task: { success: 1 },
        read_files: { success: 1 },
        read_workspace_changes: { success: 1 },
        project_validate: { success: 1, tool_failed: 1 },
        search_project_texts: { success: 1 },
        work_on_project: { success: 1 },
      });
    }
  });
});

describe("the README's transcript", () => {
  it('shows the commands of the task', async () => {
    const typed = transcriptCommands(await readFile(join(root, 'README.md'), 'utf8'));
    const [begin, ...rest] = terminal.commands.map(({ line }) => line);
    expect(typed).toEqual([begin, EXPORT_SELECTORS, ...rest]);
  });
});

async function byTerminal(): Promise<typeof terminal> {
  const place = await newPlace();
  const commands: PerformedCommand[] = [];
  await performByCli({ wc, repository: place.repository, env: place.env }, (performed) => commands.push(performed));
  return { place, commands };
}

async function byMcp(mode: 'legacy' | { pin: string }): Promise<Place> {
  const place = await newPlace();
  // A model reaches HOME and registered folders; this one is elsewhere, so a person registers it.
  await json(place, ['project', 'add', place.repository, '--json']);
  const client = new Client({ name: 'coding-task', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: wc, args: ['mcp'], env: place.env, stderr: 'ignore' }));
  try {
    let facts: TaskFacts = { repository: place.repository, session: '', project: '', readRevision: 0 };
    for (const { tool, arguments: argumentsOf, fails, learn } of CODING_TASK) {
      const answer = await client.callTool({ name: tool, arguments: argumentsOf(facts) });
      const result = answer.structuredContent as ToolResult;
      expect(result.success, `${tool}: ${JSON.stringify(result)}`).toBe(fails !== true);
      expect(answer.content).toEqual([{ type: 'text', text: JSON.stringify(result) }]);
      facts = { ...facts, ...learn?.(result.output) };
    }
  } finally {
    await client.close();
  }
  return place;
}

async function newPlace(): Promise<Place> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'wc-e2e-'));
  const env = { ...(process.env as Record<string, string>), WC_HOME: stateFolder };
  const place = { stateFolder, repository: await createTaskRepository(), env };
  places.push(place);
  return place;
}

/**
 * What a Session's events say of the task, without what differs by nature: ids, times, the
 * surface, where the repository lies, and the tests' own output, which tells durations.
 */
async function evidenceOf(place: Place): Promise<Event[]> {
  const summary = await json(place, ['read-session-summary', '--json', '--input', JSON.stringify({ session_id: '~s1', limit: 200 })]);
  const { events } = (summary as { output: { events: Event[] } }).output;
  const comparable = JSON.stringify(events).replaceAll(dirname(place.repository), '~');
  return (JSON.parse(comparable) as Event[]).map((event) => {
    const {
      event_id: _event,
      session_id: _session,
      call_id: _call,
      logical_invocation_id: _invocation,
      transport: _transport,
      timestamp: _timestamp,
      started_at: _started,
      finished_at: _finished,
      duration_ms: _duration,
      permission,
      validation_output_summary: validation,
      ...same
    } = event;
    const { request_id: _request, ...decision } = (permission ?? {}) as Event;
    const { stdout_tail: _stdout, stderr_tail: _stderr, ...checked } = (validation ?? {}) as Event;
    return { ...same, permission: decision, validation: checked };
  });
}

async function json({ env, repository }: Place, args: readonly string[]): Promise<unknown> {
  return JSON.parse((await $({ cwd: repository, env, quiet: true })`${wc} ${args}`).stdout);
}
