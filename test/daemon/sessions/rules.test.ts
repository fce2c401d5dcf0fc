import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuthorityFingerprint, IncarnationFingerprint, ProjectId, SessionId } from '../../../src/protocol/ids.js';
import { AccessOrder } from '../../../src/daemon/sessions/access-order.js';
import { canonicalFinishedEvents } from '../../../src/daemon/sessions/canonical-events.js';
import { eventPaths } from '../../../src/daemon/sessions/event-paths.js';
import { normalizeExecutionContext } from '../../../src/daemon/sessions/execution-context.js';
import { incarnationFingerprint } from '../../../src/daemon/sessions/incarnation.js';
import { inputSummary } from '../../../src/daemon/sessions/input-summary.js';
import { storableInstruction } from '../../../src/daemon/sessions/instruction.js';
import { capabilityOf, resumeCapability } from '../../../src/daemon/sessions/mode-guards.js';
import { allocateSessionId } from '../../../src/daemon/sessions/session-id.js';
import { appended, newestEvents } from '../../../src/daemon/sessions/tail-bounds.js';
import { MAX_EXPIRY_ORDINAL, nextOrdinal, restoreTombstones, type Tombstone } from '../../../src/daemon/sessions/tombstone.js';
import { validationOutputSummary } from '../../../src/daemon/sessions/validation-output.js';

describe('ids', () => {
  test('an id is wc_sess_ and 12 random bytes in base64url', () => {
    expect(allocateSessionId((size) => Buffer.alloc(size, 0xff), () => false)).toBe('wc_sess_________________');
  });

  test('an occupied id is tried again, sixteen times in all', () => {
    let tries = 0;
    expect(allocateSessionId((size) => Buffer.alloc(size, tries), () => (tries += 1) < 16)).not.toBeNull();
    expect(tries).toBe(16);
    tries = 0;
    expect(allocateSessionId((size) => Buffer.alloc(size), () => (tries += 1) > 0)).toBeNull();
    expect(tries).toBe(16);
  });

  test('the incarnation is the digest of its recipe, with no project as nothing', () => {
    const life = {
      sessionId: 'wc_sess_AAAAAAAAAAAAAAAA' as SessionId,
      createdAt: 1_800_000_000,
      project: null,
      ownerFingerprint: 'a'.repeat(64) as AuthorityFingerprint,
    };
    const recipe = `webcodex.workflow-session-incarnation.v1\0wc_sess_AAAAAAAAAAAAAAAA\x001800000000\0\0${'a'.repeat(64)}`;
    expect(incarnationFingerprint(life)).toBe(createHash('sha256').update(recipe).digest('hex'));
    expect(incarnationFingerprint({ ...life, project: 'agent:local:demo' as ProjectId })).not.toBe(incarnationFingerprint(life));
  });
});

describe('mode and guards', () => {
  const open = { deny_write_tools: false, deny_shell_tools: false };
  const both = { deny_write_tools: true, deny_shell_tools: true };

  test('read_only forces both guards, normal has those asked for', () => {
    expect(capabilityOf({ mode: 'read_only' })).toEqual({ mode: 'read_only', guards: both });
    expect(capabilityOf({ guards: { deny_shell_tools: true } })).toEqual({
      mode: 'normal',
      guards: { deny_write_tools: false, deny_shell_tools: true },
    });
  });

  test('a resume in the same mode adds guards up and never takes one off', () => {
    const stored = { mode: 'normal' as const, guards: { deny_write_tools: true, deny_shell_tools: false } };
    expect(resumeCapability(stored, {}, false)).toMatchObject({ capability: stored, changed: false });
    expect(resumeCapability(stored, { guards: { deny_shell_tools: true } }, false)).toMatchObject({
      capability: { mode: 'normal', guards: both },
      changed: true,
    });
  });

  test('from read_only to normal needs the right to write', () => {
    const stored = { mode: 'read_only' as const, guards: both };
    expect(resumeCapability(stored, {}, false)).toEqual({ denied: true });
    expect(resumeCapability(stored, {}, true)).toMatchObject({ capability: { mode: 'normal', guards: open }, changed: true });
    expect(resumeCapability(stored, { mode: 'read_only' }, false)).toMatchObject({ changed: false });
  });
});

describe('execution context', () => {
  const of = (given: Parameters<typeof normalizeExecutionContext>[0]) => normalizeExecutionContext(given, true);

  test.each([
    ['a//./b\\c', 'a/b/c'],
    ['.', '.'],
    ['./', '.'],
    ['src', 'src'],
    ['日本/x y', '日本/x y'],
  ])('[01-A29] default_cwd %j is %j', (cwd, expected) => {
    expect(of({ default_cwd: cwd })).toEqual({ context: { default_cwd: expected } });
  });

  test.each(['../x', '/x', 'file:x', 'a/../b', '\\x', 'C:\\x', 'C:x', 'a\nb', 'a\0b', 'http://x', 'x'.repeat(4097)])(
    '[01-A29] default_cwd %j is invalid_execution_context',
    (cwd) => {
      expect(of({ default_cwd: cwd })).toMatchObject({
        failure: { output: { error_kind: 'invalid_execution_context', field: 'default_cwd', state_changed: false } },
      });
    },
  );

  test('default_cwd holds no credential', () => {
    expect(of({ default_cwd: `out/ghp_${'a1B2'.repeat(9)}` })).toMatchObject({
      failure: { output: { error_kind: 'invalid_execution_context', field: 'default_cwd', state_changed: false } },
    });
  });

  test('with a resource the folder is a path on that machine', () => {
    expect(of({ default_cwd: '/srv/x', resource: 'build-1.lan' })).toEqual({
      context: { default_cwd: '/srv/x', resource: 'build-1.lan' },
    });
    expect(of({ default_cwd: '', resource: 'b' })).toMatchObject({ failure: { output: { field: 'default_cwd' } } });
    for (const resource of ['', 'a..b', 'a b', 'x'.repeat(81), 'ä']) {
      expect(of({ resource })).toMatchObject({ failure: { output: { field: 'resource' } } });
    }
  });

  test('a shell is sh or bash', () => {
    expect(of({ default_shell: 'bash' })).toEqual({ context: { default_shell: 'bash' } });
    expect(of({ default_shell: 'zsh' })).toMatchObject({ failure: { output: { field: 'default_shell' } } });
  });

  test('without a project there are no defaults, and clearing none is fine', () => {
    expect(normalizeExecutionContext({ default_cwd: 'a' }, false)).toMatchObject({
      failure: { output: { error_kind: 'session_execution_context_requires_project' } },
    });
    expect(normalizeExecutionContext({}, false)).toEqual({ context: {} });
  });

  test('no accepted folder leaves the project', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z./\\:~ ]{0,12}$/), (cwd) => {
        const outcome = of({ default_cwd: cwd });
        if ('failure' in outcome) return;
        const parts = (outcome.context.default_cwd ?? '').split('/');
        expect(parts).not.toContain('..');
        expect(parts).not.toContain('');
        expect(outcome.context.default_cwd).not.toMatch(/^\/|\\/);
      }),
    );
  });
});

test('an instruction has 1 to 4,000 characters after trimming, and is stored without credentials', () => {
  expect(storableInstruction('  do it  ')).toEqual({ instruction: 'do it' });
  expect(storableInstruction('😀'.repeat(4_000))).toEqual({ instruction: '😀'.repeat(4_000) });
  for (const raw of ['', '   ', 'x'.repeat(4_001)]) {
    expect(storableInstruction(raw)).toMatchObject({ failure: { output: { error_kind: 'invalid_coding_instruction' } } });
  }
  expect(storableInstruction('use token=abc123def in /srv/x')).toEqual({ instruction: 'use token=[redacted] in /srv/x' });
});

describe('input summary', () => {
  test('keeps listed inputs only', () => {
    expect(inputSummary({ path: 'a', command: 'rm -rf /' }, ['path'])).toEqual({ path: 'a' });
    expect(inputSummary({ command: 'rm' }, ['path'])).toBeNull();
  });

  test('16 keys, 8 items, 120 characters', () => {
    const wide = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, index]));
    const summary = inputSummary({ wide, list: Array.from({ length: 10 }, (_, index) => index), text: 'x'.repeat(200) }, ['wide', 'list', 'text']);
    expect(Object.keys(summary?.['wide'] as object)).toHaveLength(16);
    expect(summary?.['list']).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(summary?.['text']).toBe('x'.repeat(120));
  });

  test('secrets, secret names, absolute paths and deep members go', () => {
    expect(
      inputSummary(
        { items: [{ path: 'src/a.ts', apiKey: 'abc' }, { path: '/root/x', deep: { deeper: { deepest: 1 } } }], note: 'token=abc123xyz' },
        ['items', 'note'],
      ),
    ).toEqual({
      items: [{ path: 'src/a.ts', apiKey: '[redacted]' }, { path: '[absolute path]', deep: {} }],
      note: 'token=[redacted]',
    });
  });
});

test('paths of events are project-relative, lexical, unique and bounded', () => {
  expect(
    eventPaths(['src/a.ts', './src//a.ts', '/etc/passwd', '../x', 'a/../b', 'C:/x', 'file:x', 'bad\nname', '', 'x'.repeat(513), 'b'], 8),
  ).toEqual(['src/a.ts', 'b']);
  expect(eventPaths(['a', 'b', 'c'], 2)).toEqual(['a', 'b']);
  expect(eventPaths([`out/ghp_${'a1B2'.repeat(9)}.txt`], 8)).toEqual(['out/[redacted].txt']);
});

test('a tail evicts first in first out, and says what it does not show', () => {
  let tail = { eventsObserved: 0, firstRetainedSequence: 0 };
  for (let count = 0; count < 7; count += 1) tail = appended(tail, 5);
  expect(tail).toEqual({ eventsObserved: 7, firstRetainedSequence: 2 });
  expect(newestEvents(tail, 3)).toEqual({
    from: 4,
    facts: {
      events_total: 7,
      events_retained: 5,
      events_evicted: 2,
      retention_truncated: true,
      ledger_first_retained_sequence: 2,
      events_returned: 3,
      first_retained_sequence: 4,
      events_truncated: true,
    },
  });
});

describe('canonical finished events', () => {
  type Finished = Parameters<typeof canonicalFinishedEvents>[0][number];
  const finish = (changes: Partial<Finished>): Finished => ({
    kind: 'tool_call_finished',
    tool_name: 'read_files',
    status: 'succeeded',
    call_id: 'wc_call_1',
    logical_invocation_id: 'wc_inv_1',
    logical_invocation_role: 'recorder',
    ...changes,
  });
  const recorder = finish({});
  const business = finish({ call_id: 'wc_call_2', logical_invocation_role: 'business' });

  test('[01-A24] two ends of one call count once, the business one', () => {
    expect(canonicalFinishedEvents([business, recorder])).toEqual([business]);
    expect(canonicalFinishedEvents([recorder, business])).toEqual([business]);
  });

  test.each<[string, Finished[]]>([
    ['a third event', [recorder, business, finish({ call_id: 'wc_call_3' })]],
    ['two of one role', [recorder, finish({ call_id: 'wc_call_2' })]],
    ['another tool', [recorder, { ...business, tool_name: 'run_shell' }]],
    ['another status', [recorder, { ...business, status: 'failed' }]],
    ['one call id', [recorder, { ...business, call_id: 'wc_call_1' }]],
    ['no call id', [recorder, { ...business, call_id: undefined }]],
    ['no correlation', [finish({ logical_invocation_id: undefined }), finish({ logical_invocation_id: undefined })]],
  ])('%s keeps all, in ledger order', (_what, events) => {
    expect(canonicalFinishedEvents(events)).toEqual(events);
  });

  test('other kinds are no finished events', () => {
    expect(canonicalFinishedEvents([{ ...recorder, kind: 'tool_call_started' }])).toEqual([]);
  });
});

describe('tombstones', () => {
  const row = (id: string, expiryOrdinal: number): Tombstone => ({
    sessionId: id as SessionId,
    ownerFingerprint: 'a'.repeat(64) as AuthorityFingerprint,
    incarnation: id.repeat(64) as IncarnationFingerprint,
    expiryOrdinal,
  });
  const short = ({ kept, greatestOrdinal }: ReturnType<typeof restoreTombstones>) => ({
    kept: kept.map((tombstone) => [tombstone.sessionId, tombstone.expiryOrdinal]),
    greatestOrdinal,
  });

  test('[01-A13] first of one ordinal, greater of one id, and dropped rows count for the next ordinal', () => {
    const restored = restoreTombstones([row('A', 5), row('B', 5), row('A', 4), row('C', 9)], () => false);
    expect(short(restored)).toEqual({ kept: [['A', 5], ['C', 9]], greatestOrdinal: 9 });
    expect(nextOrdinal(restored.greatestOrdinal, 2)).toEqual({ ordinal: 10 });
  });

  test('[01-A14] a live Session wins over its tombstone', () => {
    expect(short(restoreTombstones([row('A', 5), row('B', 7)], (id) => id === 'A'))).toEqual({ kept: [['B', 7]], greatestOrdinal: 7 });
  });

  test('an ordinal beyond the greatest counts as the greatest', () => {
    expect(short(restoreTombstones([row('A', 2 ** 60)], () => false)).greatestOrdinal).toBe(MAX_EXPIRY_ORDINAL);
  });

  test('above the greatest ordinal there is none: the retained ones are renumbered', () => {
    expect(nextOrdinal(MAX_EXPIRY_ORDINAL - 1, 3)).toEqual({ ordinal: MAX_EXPIRY_ORDINAL });
    expect(nextOrdinal(MAX_EXPIRY_ORDINAL, 3)).toEqual({ renumberFirst: true, ordinal: 4 });
  });
});

test('recency: access moves to the end, Closed has an order of its own', () => {
  const order = new AccessOrder();
  const id = (name: string) => name as SessionId;
  order.add(id('a'), 'closed');
  order.add(id('b'), 'active');
  order.add(id('c'), 'closed');
  order.touch(id('a'));
  order.touch(id('never'));
  expect([...order.closedOldestFirst()]).toEqual(['c', 'a']);
  order.add(id('b'), 'closed');
  order.remove(id('c'));
  expect([...order.closedOldestFirst()]).toEqual(['a', 'b']);
  expect([order.retainedCount, order.closedCount]).toEqual([2, 2]);
});

test('validation tails: 800 characters, lines with credentials gone, key blocks gone whole', () => {
  const of = (stdoutTail: string) =>
    validationOutputSummary({ purpose: 'test', cwd: '.', stdoutTail, stderrTail: '', truncated: false }, 'completed');
  expect(of('ok 1\nok 2\n')).toEqual({
    purpose: 'test',
    cwd: '.',
    stdout_tail: 'ok 1\nok 2\n',
    stderr_tail: '',
    truncated: false,
    execution_state: 'completed',
  });
  expect(of(`${'x'.repeat(500)}${'y'.repeat(800)}`)).toMatchObject({ stdout_tail: 'y'.repeat(800), truncated: true });
  expect(of('before\ntoken=abc123xyz\nafter')).toMatchObject({ stdout_tail: 'before\nafter', truncated: true });
  expect(of('SECRETBODY\n-----END RSA PRIVATE KEY-----\nafter')).toMatchObject({ stdout_tail: '\nafter', truncated: true });
});
