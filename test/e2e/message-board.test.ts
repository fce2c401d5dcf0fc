import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliPlace, type CliPlace } from './cli.js';

type Output = Record<string, unknown>;
type Answer = { readonly success: boolean; readonly output: Output };

let place: CliPlace;
let project: string;
const clients: Client[] = [];

beforeAll(() => {
  place = cliPlace();
  project = join(place.folder, 'project');
  mkdirSync(project);
  execFileSync('git', ['init', '-q', project]);
  writeFileSync(join(project, 'AGENTS.md'), '# Rules\nBe brief.\n');
});
afterAll(async () => {
  for (const client of clients) await client.close();
  place.close();
});

/** An MCP client of the stateless era in a window of its own. */
async function windowed(name: string): Promise<(tool: string, args: Output, envelope?: Output) => Promise<Answer>> {
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.folder, WC_HOME: place.home };
  await client.connect(new StdioClientTransport({ command: join(import.meta.dirname, '..', '..', 'bin', 'webcodex'), args: ['mcp'], env }));
  clients.push(client);
  return async (tool, args, envelope) => {
    const given = { tool, arguments: args, ...(envelope === undefined ? {} : { _wc: envelope }) };
    const result = await client.callTool({ name: 'call_runtime_tool', arguments: given, _meta: { 'openai/session': name } });
    const answer = result.structuredContent as Answer;
    const found = answer.output['peer_awareness'];
    if (found !== undefined) awareness.push({ window: name, ...(found as Omit<Awareness, 'window'>) });
    return answer;
  };
}

/** Which peers which window was told of: each once. */
interface Awareness {
  readonly window: string;
  readonly project: string;
  readonly new_peers: readonly { readonly peer_id: string; readonly source: string }[];
}
const awareness: Awareness[] = [];

const bodies = (answer: Answer): unknown[] | undefined =>
  (answer.output['session_attention'] as { messages: { message: string }[] } | undefined)?.messages.map(({ message }) => message);
const ref = (answer: Answer): string => (answer.output['session_attention'] as { ack_ref: string }).ack_ref;

describe('two windows and a terminal on one task', () => {
  it('[02-A9] [02-A13] lose and confuse nothing, with the daemon killed in the middle', { timeout: 60_000 }, async () => {
    const coordinator = await windowed('coordinator');
    const worker = await windowed('worker');
    const work = await coordinator('work_on_project', { client_id: 'local', path: project, instruction: 'build it together' });
    const session_id = work.output['session_id'] as string;
    const record = { record: session_id };
    const baseline = await coordinator('observe_session_messages', { session_id });
    const posted = await coordinator('post_session_message', { session_id, kind: 'todo', message: 'write the parser', requires_ack: true, delivery_key: 'todo-1' }, record);
    const todo = posted.output['message_id'] as string;

    // The worker is shown it until it says that it has it, and again as soon as it does not.
    const shown = await worker('list_session_messages', { session_id }, record);
    expect(bodies(shown)).toEqual(['write the parser']);
    expect(bodies(await worker('list_session_messages', { session_id }, { ...record, ack_ref: ref(shown) }))).toEqual([]);
    expect(bodies(await worker('list_session_messages', { session_id }, record))).toEqual(['write the parser']);

    const assignment = await worker('get_session_assignment', { session_id, message_id: todo });
    const fence = assignment.output['assignment_fence'];
    const more = place.wc(['session', 'post', 'and its tests', '--session', session_id, '--reply-to', todo, '--json']);
    expect(more.code).toBe(0);
    const completion = { session_id, message_id: todo, answer: 'parser and tests stand', completion_key: 'done-1' };
    const stale = await worker('complete_session_message', { ...completion, expected_assignment_fence: fence }, record);
    expect(stale.output).toMatchObject({ error_kind: 'assignment_stale', state_changed: false });
    const fresh = stale.output['fresh_assignment_fence'];

    // The daemon dies; the next call of each begins another one over the same ledger.
    process.kill(place.status().pid ?? 0, 'SIGKILL');
    const done = await worker('complete_session_message', { ...completion, expected_assignment_fence: fresh }, record);
    expect(done).toMatchObject({ success: true, output: { replayed: false, answer: { author_session_id: session_id } } });
    const again = await worker('complete_session_message', { ...completion, expected_assignment_fence: fresh }, record);
    expect(again.output).toMatchObject({ replayed: true, answer_message_id: done.output['answer_message_id'] });

    const observed = await coordinator('observe_session_messages', { session_id, after_observation_token: baseline.output['observation_token'], wait_secs: 5 });
    expect(observed.output).toMatchObject({ changed: true, history_lost: false, has_more: false, wait_outcome: 'immediate' });
    const kinds = (observed.output['messages'] as { kind: string; status: string }[]).map(({ kind, status }) => `${kind} ${status}`);
    expect(kinds).toEqual(['note open', 'todo resolved', 'answer open']);
    const quiet = await coordinator('observe_session_messages', { session_id, after_observation_token: observed.output['observation_token'] });
    expect(quiet.output).toMatchObject({ changed: false, messages: [] });
    const replay = await coordinator('post_session_message', { session_id, kind: 'todo', message: 'write the parser', requires_ack: true, delivery_key: 'todo-1' });
    expect(replay.output).toMatchObject({ message_id: todo, replayed: true });

    // Peers, gap and materials: what a window brings along without being asked for authority.
    const projectId = work.output['project'] as string;
    await worker('read_files', { project: projectId, items: [{ path: 'AGENTS.md' }] });
    const found = await coordinator('read_files', { project: projectId, items: [{ path: 'AGENTS.md' }] }, { context: ['project.instructions', 'workflow.resume', 'jobs.attention'] });
    expect(awareness.map(({ window }) => window).sort()).toEqual(['coordinator', 'worker']);
    expect(awareness.every(({ project: where }) => where === projectId)).toBe(true);
    expect(found.output['workflow_recording_attention']).toMatchObject({ candidate_session_id: session_id });
    const materials = (found.output['context_projection'] as { materials: { status: string; projection: Output }[] }).materials;
    expect(materials.map(({ status }) => status)).toEqual(['available', 'available', 'available']);
    expect(materials[0]?.projection).toMatchObject({ sources: [{ path: 'AGENTS.md', content: '# Rules\nBe brief.\n' }] });
    expect(materials[1]?.projection).toMatchObject({ candidates: [{ session_id, project: projectId }] });
    const peer = awareness.find(({ window }) => window === 'coordinator')?.new_peers[0];
    expect(peer?.source).toBe('openai-session');
    await coordinator('post_peer_message', { peer_id: peer?.peer_id, kind: 'note', message: 'well done' });
    const told = await worker('read_files', { project: projectId, items: [{ path: 'AGENTS.md' }] });
    expect(told.output['peer_messages']).toMatchObject({ messages: [{ message: 'well done' }] });
    const activity = await coordinator('read_current_window_activity', { limit: 50 });
    const events = activity.output['events'] as { tool_name: string; window_transition_kind: string; next_call_gap_ms: number | null }[];
    expect(activity.output['status']).toBe('available');
    expect(events[0]?.tool_name).toBe('post_peer_message');
    expect(events.filter(({ next_call_gap_ms: gap }) => gap !== null).length).toBeGreaterThan(0);

    // What a person sees and does of the same.
    const listed = place.wc(['session', 'messages', session_id]);
    expect(listed.out).toContain('parser and tests stand');
    const second = JSON.parse(place.wc(['session', 'todo', 'tidy up', '--session', session_id, '--json']).out) as Answer;
    const answered = place.wc(['session', 'answer', second.output['message_id'] as string, 'tidied', '--session', session_id]);
    expect(answered).toMatchObject({ code: 0 });
    expect(answered.out).toContain('tidied');
    const note = JSON.parse(place.wc(['session', 'post', 'wrong', '--session', session_id, '--json']).out) as Answer;
    const better = place.wc(['session', 'replace', note.output['message_id'] as string, 'right', '--session', session_id, '--json']);
    const id = (JSON.parse(better.out) as { output: { message: { message_id: string } } }).output.message.message_id;
    expect(place.wc(['session', 'withdraw', id, '--session', session_id]).out).toContain('withdrawn');
    const late = JSON.parse(place.wc(['session', 'replace', id, 'late', '--session', session_id, '--json']).out) as Answer;
    expect(late.output['error_kind']).toBe('session_message_not_open');
    expect(place.wc(['peers']).out).toContain(peer?.peer_id);
    const asked = place.wc(['list-projects', '--window', 'tty', '--context', 'webcodex.workflow', '--json']);
    expect((JSON.parse(asked.out) as { output: Output }).output['context_projection']).toMatchObject({ materials: [{ status: 'available' }] });
    expect(place.wc(['window', 'activity'], { env: { WC_WINDOW: 'nobody' } }).out).toContain('Nothing was recorded');

    // The ledger that came of it is one that an import takes as it is.
    expect(JSON.parse(place.wc(['ledger', 'verify', '--json']).out)).toMatchObject({ sound: true, findings_total: 0 });
  });
});
