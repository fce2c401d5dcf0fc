import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUDIT_SCHEMA } from '../../../src/daemon/audit/schema.js';
import { percentile, Samples } from '../../../src/daemon/audit/reads/samples.js';
import { readInSnapshot } from '../../../src/daemon/audit/reads/index.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import type { CredentialKind } from '../../../src/daemon/kernel/principal.js';
import { measureToolSurface } from '../../../src/protocol/tool-surface.js';
import { auditWorld, callIn, callRecord, EDIT, failedCall, OWNER, toolFacts, withDatabase, type AuditWorld } from './audit-fixture.js';

const EVENT_KEYS = [
  'action_name',
  'changed_files',
  'duration_ms',
  'ended_at',
  'endpoint',
  'error_summary',
  'event_id',
  'http_status',
  'ids',
  'operation',
  'project',
  'request_bytes',
  'response_bytes',
  'session_id',
  'started_at',
  'status',
  'summary',
  'warning_summary',
];

describe('attribution', () => {
  const as = (credential: string, oauthClientId: string | null = null) => ({
    ...OWNER,
    credential: credential as CredentialKind,
    userId: 'user-7',
    oauthClientId,
  });

  async function worldOfTwo(): Promise<AuditWorld> {
    const world = auditWorld();
    world.audit.record(callIn('s', { principal: as('oauth2', 'client-1') }));
    world.audit.record(callIn('s', { principal: as('agent_token', 'r1') }));
    return world;
  }

  it('[05-A8] names an OAuth client for OAuth2 access tokens alone', async () => {
    const world = await worldOfTwo();
    expect(await world.rows('SELECT principal_kind, principal_user_id, oauth_client_id FROM action_events ORDER BY rowid')).toEqual([
      { principal_kind: 'oauth2', principal_user_id: 'user-7', oauth_client_id: 'client-1' },
      { principal_kind: 'agent_token', principal_user_id: 'user-7', oauth_client_id: null },
    ]);
  });

  it('[05-A9] shows eighteen members of an event and none that attributes it', async () => {
    const world = await worldOfTwo();
    const { session, events } = await world.session('s');
    for (const event of events) expect(Object.keys(event).sort()).toEqual(EVENT_KEYS);
    expect(Object.keys(session)).toHaveLength(17);
    const stats = (await world.ask('stats')).body;
    expect(stats['attribution']).toEqual({
      by_principal_kind: { oauth2: 1, agent_token: 1 },
      attributed_count: 2,
      unattributed_count: 0,
      by_oauth_client: [{ client_id: 'client-1', name: null, count: 1 }],
    });
    expect(JSON.stringify([session, events, stats])).not.toContain('user-7');
  });

  it('names the owner of the socket, and pairs windows by a canonical principal or by none', async () => {
    const world = auditWorld();
    world.audit.record(callRecord());
    world.audit.record(callRecord({ principal: { ...as('open'), authority: null } }));
    expect(
      await world.rows(
        'SELECT principal_kind, principal_user_id, principal_correlation_kind, principal_correlation_id FROM action_events ORDER BY rowid',
      ),
    ).toEqual([
      {
        principal_kind: 'local_owner',
        principal_user_id: 'uid:1000',
        principal_correlation_kind: 'local-owner',
        principal_correlation_id: 'local-owner:uid:1000',
      },
      { principal_kind: 'open', principal_user_id: 'user-7', principal_correlation_kind: null, principal_correlation_id: null },
    ]);
  });
});

describe('tools/list', () => {
  const result = {
    tools: [{ name: 'call_runtime_tool', title: 'Rufe é auf' }, { name: 'read_files' }],
    _meta: { ttl: 1 },
  };
  const list = {
    principal: OWNER,
    adapter: 'mcp_2026' as const,
    window: null,
    affinity: { header: null, headerAlias: null, query: null },
    startedAtMs: 1_000_000_000,
    endedAtMs: 1_000_000_002,
    durationMs: 2.5,
    handedAtMs: 1_000_000_002,
    httpStatus: 200,
    requestBytes: 60,
  };

  it('[05-A21] has a row of its own with counts and bytes of the final result', async () => {
    const world = auditWorld();
    world.audit.recordToolsList({ ...list, surface: measureToolSurface(result, 'stateless_2026', true) });
    expect(await world.sessions()).toMatchObject([{ total_actions: 1, success_count: 1 }]);
    expect(await world.newest()).toMatchObject({
      endpoint: '/mcp',
      action_name: 'toolsList',
      operation: 'mcp_tools_list',
      duration_ms: 2,
      summary: {
        transport: 'mcp',
        tool_surface: {
          schema_version: 1,
          protocol_era: 'stateless_2026',
          compact_schemas: true,
          tool_count: 2,
          serialized_tools_bytes: Buffer.byteLength(JSON.stringify(result.tools)),
          serialized_result_bytes: Buffer.byteLength(JSON.stringify(result)),
          gateway_tool_included: true,
        },
      },
    });
    expect((await world.storedBytes()).includes('read_files')).toBe(false);
  });

  it('says only how it came in when it failed', async () => {
    const world = auditWorld();
    world.audit.recordToolsList({ ...list, surface: null });
    expect(await world.newest()).toMatchObject({ status: 'failed', summary: { transport: 'mcp' } });
    expect((await world.newest()).summary).not.toHaveProperty('tool_surface');
  });
});

describe('stats', () => {
  it('has exactly these members on an empty store', async () => {
    expect((await auditWorld().ask('stats')).body).toEqual({
      by_endpoint: {},
      by_project: {},
      by_status: {},
      attribution: { by_principal_kind: {}, attributed_count: 0, unattributed_count: 0, by_oauth_client: [] },
      edit_count: 0,
      context_count: 0,
      job_count: 0,
      command_count: 0,
      report_count: 0,
      artifact_count: 0,
      git_count: 0,
      shell_count: 0,
      changed_files_distinct_count: 0,
      job_ids_distinct_count: 0,
      events_scanned: 0,
      events_available: 0,
      sessions_scanned: 0,
      truncated_sessions: 0,
      partial: false,
      truncated: false,
      undecodable_events: 0,
    });
  });

  it('[05-A22] says how much of 201 events it scanned', async () => {
    const world = auditWorld();
    for (let at = 0; at < 201; at += 1) world.audit.record(callIn('s'));
    expect((await world.ask('stats')).body).toMatchObject({
      events_scanned: 200,
      events_available: 201,
      truncated_sessions: 1,
      truncated: true,
      partial: true,
    });
    expect((await world.ask('stats', { session_id: 's' })).body).toMatchObject({
      events_scanned: 201,
      events_available: 201,
      truncated_sessions: 0,
      truncated: false,
      partial: false,
    });
  });

  it('[05-A23] cuts limits to their range and refuses what is no status', async () => {
    const world = auditWorld();
    world.audit.record(callIn('a'));
    world.audit.record(callIn('b'));
    expect((await world.ask('sessions', { limit: 0 })).body['sessions']).toHaveLength(1);
    expect((await world.ask('sessions', { limit: 9999 })).body['sessions']).toHaveLength(2);
    expect(await world.ask('sessions', { status: 'idle' })).toMatchObject({
      status: 400,
      body: { status: 400, error_kind: 'invalid_audit_request', error: expect.stringContaining('status') as string },
    });
  });

  it.each([
    ['sessions', { limit: '5' }],
    ['sessions', { limit: 1.5 }],
    ['sessions', []],
    ['sessions', 'text'],
    ['session', {}],
    ['session', { session_id: '  ' }],
    ['session', { session_id: 7 }],
    ['stats', { session_id: '' }],
    ['stats', { sesion_id: 'typo' }],
    ['query', { kind: 'everything' }],
    ['query', { kind: 'events', cursor: '1; DROP TABLE action_events' }],
    ['close', { session_id: ' ' }],
  ])('refuses the body of %s: %j', async (route, body) => {
    expect(await auditWorld().ask(route, body)).toMatchObject({ status: 400, body: { error_kind: 'invalid_audit_request' } });
  });

  it('has an answer for a body that is no JSON', () => {
    for (const { malformedBody } of auditWorld().audit.routes) {
      expect(malformedBody).toMatchObject({ status: 400, body: { status: 400, error_kind: 'invalid_audit_request' } });
    }
  });

  it('answers unknown_action_session for a session that does not exist', async () => {
    const world = auditWorld();
    for (const route of ['session', 'stats']) {
      expect(await world.ask(route, { session_id: 'nobody' })).toMatchObject({
        status: 404,
        body: { error_kind: 'unknown_action_session' },
      });
    }
  });

  it('is closed to anonymous callers', async () => {
    const anonymous = { ...OWNER, credential: 'open' as const };
    expect(await auditWorld().ask('stats', {}, anonymous)).toMatchObject({ status: 401, body: { error_kind: 'unauthorized' } });
  });

  it('counts work by tool and category, at most once an event', async () => {
    const world = auditWorld();
    const tools = [
      ['edit_project_files', 'edit'],
      ['apply_patch', 'patch'],
      ['read_files', 'file'],
      ['find_references', 'lsp'],
      ['list_projects', 'project'],
      ['list_jobs', 'job'],
      ['run_shell', 'execution'],
      ['execute_session_shell', 'execution'],
      ['get_session_shell_status', 'execution'],
      ['run_process', 'execution'],
      ['cargo_test', 'validation'],
      ['review_changes', 'git'],
      ['create_workspace_checkpoint', 'checkpoint'],
      ['check_workspace_hygiene', 'cleanup'],
      ['list_tools', 'runtime'],
      ['read_session_summary', 'session'],
      ['search_memory', 'memory'],
    ] as const;
    for (const [name, category] of tools) world.audit.record(callRecord({ facts: toolFacts({ name, category }) }));
    expect((await world.ask('stats')).body).toMatchObject({
      edit_count: 2,
      context_count: 3,
      job_count: 1,
      command_count: 2,
      report_count: 2,
      artifact_count: 2,
      git_count: 1,
      shell_count: 3,
      events_scanned: tools.length,
    });
  });

  it('counts distinct files and Jobs, projects, endpoints and outcomes', async () => {
    const world = auditWorld();
    const jobs = (outcomeFacts: object) => callRecord({ facts: EDIT, outcomeFacts });
    world.audit.record(jobs({ changedPaths: ['a', 'b'], jobId: 'job-1' }));
    world.audit.record(jobs({ changedPaths: ['b', 'c'], telemetry: { job_convergence: { observed: [{ job_id: 'job-1' }, { job_id: 'job-2' }] } } }));
    world.audit.record(failedCall({ error_kind: 'unknown_project' }, { project: null }));
    expect((await world.ask('stats')).body).toMatchObject({
      by_endpoint: { '/api/tools/{name}': 3 },
      by_project: { 'agent:local:demo': 2 },
      by_status: { success: 2, failed: 1 },
      changed_files_distinct_count: 3,
      job_ids_distinct_count: 2,
    });
  });

  it('reads counts and rows in one snapshot, whatever is written between them', () => {
    const world = auditWorld();
    const insert = `INSERT INTO action_events (event_id, session_id, started_at, ended_at, duration_ms, endpoint, action_name,
      status, changed_files_json, ids_json, summary_json) VALUES (hex(randomblob(8)), 's', 1, 1, 1, 'e', 'a', 'success', '[]', '{}', '{}')`;
    const reader = openDatabase(world.path, [AUDIT_SCHEMA]);
    reader.exec(`INSERT INTO action_sessions (session_id, status, created_at, updated_at) VALUES ('s', 'open', 1, 1)`);
    reader.exec(insert);
    const prepare = reader.prepare.bind(reader);
    let written = 0;
    reader.prepare = ((sql: string) => {
      const statement = prepare(sql);
      const pluck = statement.pluck.bind(statement);
      statement.pluck = ((...state: [boolean?]) => {
        const plucked = pluck(...state);
        const get = plucked.get.bind(plucked);
        plucked.get = (...values: unknown[]) => {
          const count = get(...values);
          withDatabase(world.path, (other) => other.exec(insert));
          written += 1;
          return count;
        };
        return plucked;
      });
      return statement;
    }) as typeof reader.prepare;
    const stats = readInSnapshot(reader, 'stats', { sessionId: 's', limit: 20 });
    reader.close();
    expect(written).toBe(1);
    expect(stats).toMatchObject({ events_available: 1, events_scanned: 1, truncated: false });
  });

  it('has no statistics of a session that does not exist', async () => {
    expect(await auditWorld().ask('query', { kind: 'tools', session_id: 'nobody' })).toMatchObject({
      status: 404,
      body: { error_kind: 'unknown_action_session' },
    });
  });

  it('keeps statistics to the sessions that were used last', async () => {
    const world = auditWorld();
    for (const [session, startedAtMs] of [['old', 1_000], ['new', 9_000], ['middle', 5_000]] as const) {
      world.audit.record(callIn(session, { startedAtMs, endedAtMs: startedAtMs }));
    }
    const asked = await world.ask('query', { kind: 'tools', last_sessions: 2 });
    expect(asked.body).toMatchObject({ coverage: { events: 2, first_started_at: 5, last_started_at: 9 } });
  });

  it('[05-A29] answers audit_query_failed and no partial body when a read fails', async () => {
    const world = auditWorld();
    world.audit.record(callIn('s'));
    await world.sessions();
    withDatabase(world.path, (database) => {
      database.pragma('foreign_keys = OFF');
      database.exec('DROP TABLE action_events');
    });
    for (const [route, body] of [
      ['stats', {}],
      ['session', { session_id: 's' }],
      ['query', { kind: 'tools' }],
    ] as const) {
      const answer = await world.ask(route, body);
      expect(answer).toMatchObject({ status: 500, body: { status: 500, error_kind: 'audit_query_failed' } });
      expect(Object.keys(answer.body).sort()).toEqual(['error', 'error_kind', 'status']);
    }
  });

  it('reads rows with broken documents as empty, and counts them', async () => {
    const world = auditWorld();
    world.audit.record(callIn('s', { facts: EDIT, outcomeFacts: { changedPaths: ['a'] } }));
    world.audit.record(callIn('s'));
    await world.sessions();
    withDatabase(world.path, (database) =>
      database.exec(`UPDATE action_events SET summary_json = '{"model_ergon', changed_files_json = '{}', ids_json = 'null'
        WHERE operation = 'edit_project_files'`),
    );
    expect((await world.ask('stats')).body).toMatchObject({
      undecodable_events: 1,
      partial: true,
      truncated: false,
      edit_count: 0,
      context_count: 1,
      changed_files_distinct_count: 0,
    });
    const broken = (await world.session('s')).events.find(({ operation }) => operation === 'edit_project_files')!;
    expect(broken).toMatchObject({ summary: {}, ids: {}, changed_files: [] });
    expect((await world.ask('query', { kind: 'tools' })).body).toMatchObject({ totals: { calls: 2, unmeasured: 1 } });
  });

  it('leaves kinds of credentials in aggregates alone, although a key of that name would be redacted', async () => {
    const world = auditWorld();
    world.audit.record(callRecord({ principal: { ...OWNER, credential: 'api_token' } }));
    expect((await world.ask('stats')).body['attribution']).toMatchObject({ by_principal_kind: { api_token: 1 } });
  });
});

describe('statistics per tool', () => {
  const tools = async (world: AuditWorld, filter: object = {}) =>
    (await world.ask('query', { kind: 'tools', ...filter })).body as never as {
      totals: Record<string, unknown>;
      tools: Record<string, unknown>[];
      coverage: unknown;
    };
  const timed = (durationMs: number, resultBytes: number | null = null, startedAtMs = 1_000_000_000) =>
    callRecord({ durationMs, resultBytes, startedAtMs });

  it.each([
    [[10, 20, 30, 40], 20, 40],
    [[7], 7, 7],
    [[], null, null],
  ])('[05-A27] takes the nearest rank of %j', async (durations, p50, p95) => {
    const world = auditWorld();
    for (const duration of durations) world.audit.record(timed(duration));
    expect((await tools(world)).totals['duration_ms']).toEqual({ samples: durations.length, p50, p95 });
  });

  it('[05-A27] takes the nearest rank of any values, in parts or together', () => {
    const parts = fc.array(fc.array(fc.nat({ max: 1e9 }), { maxLength: 40 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const collections = values.map((part) => {
          const samples = new Samples();
          for (const value of part) samples.add(value);
          return samples;
        });
        const sorted = values.flat().sort((a, b) => a - b);
        const expected = sorted.length === 0 ? null : sorted[Number((BigInt(percent * sorted.length) + 99n) / 100n) - 1];
        expect(percentile(collections, percent)).toBe(expected);
      }),
    );
  });

  it('leaves calls without a result out of sizes, and rows without telemetry out of everything', async () => {
    const world = auditWorld();
    world.audit.record(timed(10, 100));
    world.audit.record(timed(20, 300));
    world.audit.record(failedCall({ error_kind: 'invalid_arguments' }, { outcome: 'invalid', reachedHandler: false, durationMs: 1 }));
    world.audit.record(failedCall({ error_kind: 'NOT A KIND' }, { durationMs: 2, resultBytes: null }));
    world.audit.record(failedCall({ error_kind: 'outcome_unknown' }, { durationMs: 3, resultBytes: null }));
    world.audit.noteRecovered();
    const answer = await tools(world);
    expect(answer.totals).toMatchObject({ calls: 6, success: 3, failed: 2, unknown: 1, unmeasured: 1 });
    expect(answer.coverage).toEqual({ events: 6, first_started_at: 1_000_000, last_started_at: 1_000_000 });
    expect(answer.tools).toEqual([
        {
          tool: 'read_files',
          calls: 5,
          success: 2,
          failed: 2,
          unknown: 1,
          unmeasured: 0,
          duration_ms: { samples: 5, p50: 3, p95: 20 },
          result_bytes: { samples: 2, p50: 100, p95: 300 },
          outcomes: { success: 2, invalid: 1, tool_failed: 2 },
          error_kinds: { invalid_arguments: 1, '(none)': 1, outcome_unknown: 1 },
        },
        {
          tool: 'daemon_recovered',
          calls: 1,
          success: 1,
          failed: 0,
          unknown: 0,
          unmeasured: 1,
          duration_ms: { samples: 0, p50: null, p95: null },
          result_bytes: { samples: 0, p50: null, p95: null },
          outcomes: {},
          error_kinds: {},
        },
    ]);
  });

  it('keeps to a session, a tool and a span of time that ends before its end', async () => {
    const world = auditWorld();
    for (const at of [10, 20, 30]) world.audit.record(timed(at, null, at * 1000));
    world.audit.record(callIn('other', { facts: EDIT, startedAtMs: 20_000 }));
    const calls = async (filter: object) => (await tools(world, filter)).totals['calls'];
    expect(await calls({ since: 20, until: 30 })).toBe(2);
    expect(await calls({ since: 20, until: 30, tool: 'read_files' })).toBe(1);
    expect(await calls({ session_id: 'other' })).toBe(1);
    expect(await calls({ tool: 'no_tool' })).toBe(0);
  });
});

describe('events', () => {
  const events = async (world: AuditWorld, filter: object) =>
    (await world.ask('query', { kind: 'events', ...filter })).body as never as {
      events: { event_id: string; started_at: number; operation: string }[];
      next_cursor: string | null;
      follow_cursor: string;
    };

  it('orders by start, ties newest first, and pages without a gap or a repeat', async () => {
    const world = auditWorld();
    for (const at of [5, 5, 7, 5, 6]) world.audit.record(callIn('s', { startedAtMs: at * 1000 }));
    const whole = (await world.session('s')).events;
    expect(whole.map(({ started_at }) => started_at)).toEqual([7, 6, 5, 5, 5]);
    const byInsert = await world.rows<{ event_id: string }>('SELECT event_id FROM action_events WHERE started_at = 5 ORDER BY rowid DESC');
    expect(whole.slice(2).map(({ event_id }) => event_id)).toEqual(byInsert.map(({ event_id }) => event_id));
    for (const order of ['newest', 'oldest'] as const) {
      const paged: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof events>> = await events(world, { order, limit: 2, ...(cursor === null ? {} : { cursor }) });
        paged.push(...page.events.map(({ event_id }) => event_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      const expected = whole.map(({ event_id }) => event_id);
      expect(paged).toEqual(order === 'newest' ? expected : expected.reverse());
    }
  });

  it('lets a reader follow what is written, whenever it started', async () => {
    const world = auditWorld();
    world.audit.record(callRecord({ startedAtMs: 50_000 }));
    const { follow_cursor } = await events(world, {});
    const nothing = await events(world, { order: 'inserted', cursor: follow_cursor });
    expect(nothing).toMatchObject({ events: [], next_cursor: follow_cursor });
    world.audit.record(callRecord({ startedAtMs: 10_000 }));
    const more = await events(world, { order: 'inserted', cursor: follow_cursor });
    expect(more.events.map(({ started_at }) => started_at)).toEqual([10]);
    expect(more.next_cursor).toBe(more.follow_cursor);
  });

  it('finds what failed, of one tool', async () => {
    const world = auditWorld();
    world.audit.record(callRecord());
    world.audit.record(failedCall({ error_kind: 'not_found' }));
    world.audit.record(failedCall({ error_kind: 'not_found' }, { facts: EDIT }));
    const found = await events(world, { failed: true, tool: 'read_files' });
    expect(found.events).toHaveLength(1);
  });

  it('lists sessions by their last use', async () => {
    const world = auditWorld();
    for (const [id, at] of [['a', 30], ['b', 50], ['c', 40]] as const) world.audit.record(callIn(id, { startedAtMs: at * 1000, endedAtMs: at * 1000 }));
    await world.ask('close', { session_id: 'c' });
    const ids = async (body: object) =>
      ((await world.ask('query', { kind: 'sessions', ...body })).body['sessions'] as { session_id: string }[]).map(({ session_id }) => session_id);
    expect(await ids({})).toEqual(['b', 'c', 'a']);
    expect(await ids({ status: 'open' })).toEqual(['b', 'a']);
    expect(await ids({ since: 40 })).toEqual(['b', 'c']);
  });
});
