import { describe, expect, it } from 'vitest';
import { taskHistory } from '../../../src/daemon/continuity/evidence/task-history.js';
import { aggregateJobs } from '../../../src/daemon/continuity/evidence/job-aggregate.js';
import { handoffBriefSchema, type HandoffBrief } from '../../../src/daemon/continuity/handoff/brief.js';
import { handoffBrief } from '../../../src/daemon/continuity/handoff/build-brief.js';
import type { HandoffFacts } from '../../../src/daemon/continuity/handoff/handoff-facts.js';
import { reducedBrief } from '../../../src/daemon/continuity/handoff/reduce-brief.js';
import type { SessionEvent, SessionMessage } from '../../../src/daemon/sessions/index.js';
import { randomHandoff } from './random-handoff.js';
import { event, evidence, instruction, SESSION, snapshotOf, validation } from './session-events.js';

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const LONE_SURROGATE = /\\ud[89a-f]/i;

function factsOf(events: readonly SessionEvent[], changes: Partial<HandoffFacts> = {}): HandoffFacts {
  const snapshot = snapshotOf(events);
  return {
    snapshot,
    history: taskHistory(snapshot),
    board: { messages: [] },
    workspace: { status: 'available', git: { is_repository: true, branch: 'main', head: 'a'.repeat(40), dirty: true, conflicted: false, ahead: null, behind: null, operation: null } },
    jobs: aggregateJobs([]),
    validation: { status: 'read' },
    reports: { reports: [] },
    raced: { session: false, reports: false },
    ...changes,
  };
}

/** The lists in the order in which they give way, each with what it may hold at most. */
function lists(brief: HandoffBrief): readonly (readonly [items: readonly unknown[], whole: number])[] {
  const { progress, validation: standing, task_context: context, task, external_observations: reports, next_actions: actions } = brief;
  const whole = (total: number | null, most: number): number => Math.min(total ?? 0, most);
  return [
    [progress.recent_files.items ?? [], whole(progress.recent_files.total, 8)],
    [progress.changes.items ?? [], whole(progress.changes.total, 12)],
    // How many names a check told of is its own matter; none at all is what counts here.
    [standing.open_failures.items ?? [], (standing.open_failures.items ?? []).length],
    [context.relevant_files, context.relevant_files.length],
    [task.recent_progress.items ?? [], whole(task.recent_progress.total, 5)],
    [task.decisions.items ?? [], whole(task.decisions.total, 5)],
    [reports.items ?? [], whole(reports.total, 5)],
    [actions.items ?? [], whole(actions.total, 5)],
  ];
}

describe('the bound of a brief', () => {
  it('holds for 10,000 random Sessions, whose totals stay true', () => {
    let reduced = 0;
    for (let seed = 0; seed < 10_000; seed += 1) {
      const facts = randomHandoff(seed);
      const brief = handoffBrief(facts);
      const json = JSON.stringify(brief);
      const problem = (what: string): string => `seed ${seed}: ${what}`;
      if (Buffer.byteLength(json) > 8_192) expect.fail(problem('too large'));
      if (bytes(brief.task_context) > 4_096) expect.fail(problem('its context is too large'));
      if (LONE_SURROGATE.test(json)) expect.fail(problem('half a character'));
      const { task, progress, external_observations: reports } = brief;
      for (const list of [task.decisions, task.recent_progress, progress.changes, progress.recent_files, brief.validation.open_failures, reports, brief.next_actions]) {
        const { items, total, returned, truncated } = list;
        if (items === null ? [total, returned, truncated].some((part) => part !== null) : returned !== items.length || truncated !== items.length < (total ?? 0)) {
          expect.fail(problem(`a list contradicts itself: ${JSON.stringify(list)}`));
        }
      }
      const attempt = facts.history?.attempt ?? null;
      const count = (kind: SessionMessage['kind']): number | null => facts.board?.messages.filter((message) => message.kind === kind).length ?? null;
      const unique = (all: readonly (readonly string[])[] | undefined): number | null => (all === undefined ? null : new Set(all.flat()).size);
      const totals = {
        decisions: task.decisions.total,
        progress: task.recent_progress.total,
        read: progress.recent_files.total,
        changed: progress.changes.total,
        reports: reports.total,
      };
      const truth = {
        decisions: count('decision'),
        progress: count('progress'),
        read: unique(attempt?.map(({ event: { status, tool_name: tool, observed_paths: read } }) => (status === 'succeeded' && tool === 'read_files' ? (read ?? []) : []))),
        changed: unique(attempt?.map(({ event: { changed_paths: changed, effect_evidence: effect } }) => (effect?.state_changed === false ? [] : changed))),
        reports: 'reports' in facts.reports ? facts.reports.reports.length : null,
      };
      if (JSON.stringify(totals) !== JSON.stringify({ ...truth, read: attempt === null ? null : truth.read, changed: attempt === null ? null : truth.changed })) {
        expect.fail(problem(`${JSON.stringify(totals)} is not ${JSON.stringify(truth)}`));
      }
      // Whatever gave way, everything that gives way before it is gone.
      const shortest = lists(brief).findLastIndex(([items, whole]) => items.length < whole);
      if (lists(brief).slice(0, Math.max(0, shortest)).some(([items]) => items.length > 0)) expect.fail(problem('gave way out of order'));
      if (shortest >= 0) reduced += 1;
    }
    // The seeds are worth something: many of them do not fit.
    expect(reduced).toBeGreaterThan(500);
  });

  it('is a strict object of its schema', () => {
    for (let seed = 0; seed < 200; seed += 1) expect(handoffBriefSchema.parse(handoffBrief(randomHandoff(seed)))).toBeDefined();
  });

  it('[06-A25] emoji, long paths and full notes fit; recent files go first, and no character is halved', () => {
    const long = Array.from({ length: 20 }, (_, index) => `src/${String(index).padStart(2, '0')}${'p'.repeat(400)}.ts`);
    const notes: SessionMessage[] = Array.from({ length: 10 }, (_, index) => ({
      ...{ message_id: `wc_msg_${index.toString().padStart(16, '0')}`, session_id: SESSION, created_at: 1, status: 'open', priority: 'normal' },
      ...{ kind: index % 2 === 0 ? 'decision' : 'progress', message: '😀'.repeat(400), tags: [], reply_to: null, resolved_at: null, resolution: null },
    }));
    const events = [
      instruction(0, '😀'.repeat(600)),
      event(1, { tool_name: 'read_files', read_like: true, observed_paths: long }),
      event(2, { tool_name: 'edit_project_files', write_like: true, changed_paths: long.slice(0, 8) }),
      event(3, { tool_name: 'edit_project_files', write_like: true, changed_paths: long.slice(8) }),
    ];
    const brief = handoffBrief(factsOf(events, { board: { messages: notes } }));
    expect(bytes(brief)).toBeLessThanOrEqual(8_192);
    expect(JSON.stringify(brief)).not.toMatch(LONE_SURROGATE);
    expect(brief.progress.recent_files).toEqual({ items: [], total: 20, returned: 0, truncated: true });
    expect(brief.progress.changes.total).toBe(20);
    expect(brief.task.recent_progress.total).toBe(5);
    // It is as large as it may be: the next thing to give way would have fitted.
    expect(brief.task.root_instruction).toEqual({ excerpt: '😀'.repeat(600), truncated: false });
  });

  it('takes whole characters off the longer instruction, off the root’s where both are as long', () => {
    const brief = handoffBrief(factsOf([instruction(0, '漢'.repeat(10)), instruction(1, '😀'.repeat(11))]));
    const least = reducedBrief(brief, 0);
    expect(least.task).toMatchObject({ root_instruction: { excerpt: '', truncated: true }, latest_instruction: { excerpt: '', truncated: true } });
    const fixed = bytes(least);
    const to = (room: number) => {
      const { root_instruction: root, latest_instruction: latest } = reducedBrief(brief, fixed + room).task;
      return [[...(root?.excerpt ?? '')].length, [...(latest?.excerpt ?? '')].length];
    };
    // 10 characters of 3 bytes and 11 of 4: one of the latest goes first, then they go in turns, the
    // root's first; the first cut of each also turns its `false` into a `true`.
    expect(to(76)).toEqual([10, 11]);
    expect(to(75)).toEqual([10, 10]);
    expect(to(71)).toEqual([10, 10]);
    expect(to(70)).toEqual([9, 10]);
    expect(to(67)).toEqual([9, 10]);
    expect(to(66)).toEqual([9, 9]);
    expect(to(0)).toEqual([0, 0]);
  });

  it('gives a context list way before a note, and says so in the context', () => {
    const events = [
      instruction(0, 'x'),
      validation(1, evidence({ failures: Array.from({ length: 20 }, (_, index) => ({ kind: 'test', name: `${index}${'n'.repeat(230)}`, file: 'f'.repeat(500), line: 1 })), failures_total: 20 })),
    ];
    const { task_context: context } = handoffBrief(factsOf(events));
    expect(bytes(context)).toBeLessThanOrEqual(4_096);
    expect(context.failure_locations.length).toBeLessThan(10);
    expect(context.truncated).toBe(true);
    expect(context.next_steps).toEqual([{ step: 'resolve_failure', event_id: 'evt_00000000000000000000000000000001' }]);
  });
});

describe('the state of a task is the first that holds', () => {
  const passed = [instruction(0, 'x'), event(1, { kind: 'tool_call_started', call_id: `wc_call_${'1'.repeat(32)}`, tool_name: 'cargo_test' }), validation(2, evidence({ status: 'passed', evidence_kind: null }), { call_id: `wc_call_${'1'.repeat(32)}` })];
  const failed = [instruction(0, 'x'), validation(1, evidence())];
  const job = (status: 'running' | 'stop_requested') => aggregateJobs([{ job_id: 'job_1', status, purpose: 'test' }]);
  const message = (kind: SessionMessage['kind']): HandoffFacts['board'] => ({
    messages: [{ message_id: `wc_msg_${'0'.repeat(16)}`, session_id: SESSION, created_at: 1, kind, status: 'open', priority: 'normal', message: 'm', tags: [], reply_to: null, resolved_at: null, resolution: null }],
  });
  const closed = { ...snapshotOf(failed), session: { ...snapshotOf(failed).session, lifecycle: 'closed' as const } };
  const git = (changes: object): HandoffFacts['workspace'] => ({
    status: 'available',
    git: { is_repository: true, branch: 'main', head: 'a'.repeat(40), dirty: false, conflicted: false, ahead: null, behind: null, operation: null, ...changes },
  });
  it.each<[string, string, readonly SessionEvent[], Partial<HandoffFacts>]>([
    ['closed, whatever else', 'closed', failed, { snapshot: closed, raced: { session: true, reports: false } }],
    ['raced before blocked', 'insufficient_evidence', failed, { raced: { session: true, reports: false } }],
    ['a report race as well', 'insufficient_evidence', failed, { raced: { session: false, reports: true } }],
    ['conflicts', 'blocked', passed, { workspace: git({ conflicted: true, dirty: true }) }],
    ['a Job at work', 'blocked', passed, { jobs: job('running') }],
    ['a Job that is stopping blocks nothing', 'ready_to_continue', passed, { jobs: job('stop_requested') }],
    ['a failure', 'blocked', failed, {}],
    ['an open risk', 'blocked', passed, { board: message('risk') }],
    ['a question blocks nothing', 'ready_to_continue', passed, { board: message('question') }],
    ['a todo blocks nothing', 'ready_to_continue', passed, { board: message('todo') }],
    ['dirty and passed', 'ready_to_continue', passed, {}],
    ['dirty and nothing ran', 'needs_validation', [instruction(0, 'x')], {}],
    ['dirty and not asked', 'needs_validation', passed, { validation: { status: 'not_requested' } }],
    ['clean and not asked', 'insufficient_evidence', passed, { validation: { status: 'not_requested' }, workspace: git({}) }],
    ['clean and nothing ran', 'ready_to_continue', [instruction(0, 'x')], { workspace: git({}) }],
    ['no repository', 'insufficient_evidence', passed, { workspace: git({ is_repository: false }) }],
    ['no board', 'insufficient_evidence', passed, { board: null }],
    ['Jobs that are not known', 'insufficient_evidence', passed, { jobs: { status: 'unavailable', reasonCode: 'runner_unavailable' } }],
    ['no tail', 'insufficient_evidence', passed, { history: null, workspace: git({}) }],
    ['a store of reports that is lost', 'ready_to_continue', passed, { reports: { unavailable: 'store_unavailable' } }],
  ])('%s: %s', (_what, state, events, changes) => {
    expect(handoffBrief(factsOf(events, changes)).progress.state).toBe(state);
  });
});

describe('texts at their cuts', () => {
  const excerpt = (text: string) => handoffBrief(factsOf([instruction(0, text)])).task.latest_instruction;
  it.each([
    ['600 emoji', '😀'.repeat(600), { excerpt: '😀'.repeat(600), truncated: false }],
    ['601 emoji', '😀'.repeat(601), { excerpt: '😀'.repeat(600), truncated: true }],
    ['a combining mark at the cut', `${'a'.repeat(599)}e\u0301`, { excerpt: `${'a'.repeat(599)}e`, truncated: true }],
    ['marks of direction', '\u202eabc\u2066', { excerpt: '\u202eabc\u2066', truncated: false }],
    ['half a surrogate pair', 'a\ud83db', { excerpt: 'a\ufffdb', truncated: false }],
    ['a credential across the cut', `${'a '.repeat(295)}Bearer ${'x'.repeat(40)}`, { excerpt: `${'a '.repeat(295)}Bearer [re`, truncated: true }],
    ['paths and code', 'see file:///srv/x and C:\\y `rm -rf /`', { excerpt: 'see file:///srv/x and C:\\y `rm -rf /`', truncated: false }],
  ])('%s', (_what, text, expected) => {
    expect(excerpt(text)).toEqual(expected);
  });
});
