import { describe, expect, it } from 'vitest';
import type { EnvelopeShape } from '../../../src/daemon/kernel/ports.js';
import type { TelemetryFacts } from '../../../src/daemon/kernel/telemetry-facts.js';
import type { TelemetryClass } from '../../../src/protocol/tool-definition.js';
import { errorKindOf, type JsonObject } from '../../../src/protocol/tool-result.js';
import { jobRelation } from '../../../src/daemon/audit/ergonomics/job-relation.js';
import { envelopeShape } from '../../../src/daemon/kernel/take-off-envelope.js';
import { auditWorld, callRecord, EDIT, failedCall, NO_ENVELOPE, recordOf, toolFacts, WINDOW } from './audit-fixture.js';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const classed = (telemetry: TelemetryClass, name = 'a_tool') => toolFacts({ name, telemetry });

describe('the base fields', () => {
  it('holds exactly these on every call', () => {
    expect(recordOf(callRecord({ durationMs: 12.9, resultBytes: 28 }))).toEqual({
      schema_version: 12,
      tool_name: 'read_files',
      tool_category: 'file',
      success: true,
      duration_ms: 12,
      serialized_result_bytes: 28,
      error_kind: null,
      failure_kind: null,
      recovery_kind: null,
      execution_state: null,
      invocation: {
        record_present: false,
        ack_present: false,
        ack_ref_present: false,
        reply_present: false,
        resolve_present: false,
        context_present: false,
        control_present: false,
        ack_count: 0,
        context_requested_count: 0,
        context_unknown_count: 0,
        context_known: {
          'project.instructions': false,
          'webcodex.workflow': false,
          'workflow.resume': false,
          'jobs.attention': false,
          'skills.catalog': false,
          'plugins.catalog': false,
          'memory.bootstrap': false,
        },
        control_before: null,
        control_after_success: null,
      },
    });
  });

  it('[05-A10] counts UTF-8 bytes of the result, not code units', () => {
    const result = { success: true as const, output: { text: '中文', count: 2 } };
    expect(JSON.stringify(result)).toHaveLength(49);
    expect(recordOf(callRecord({ result, resultBytes: bytesOf(result) }))).toMatchObject({ serialized_result_bytes: 53 });
  });

  it('[05-A11] counts a failed result with its error', () => {
    const result = { success: false as const, output: { error_kind: 'session_closed' }, error: 'é' };
    const call = callRecord({ outcome: 'denied', reachedHandler: false, result, resultBytes: bytesOf(result) });
    expect(recordOf(call)).toMatchObject({ serialized_result_bytes: 71, error_kind: 'session_closed' });
  });

  it('[05-A12] has no kinds on success, and none that have not the form of one', () => {
    const success = callRecord({ result: { success: true, output: { error_kind: 'x', recovery_kind: 'wait' } } });
    expect(recordOf(success)).toMatchObject({ error_kind: null, recovery_kind: null });
    for (const error_kind of ['Bad kind!', 'k'.repeat(65), '']) {
      expect(recordOf(failedCall({ error_kind }))).toMatchObject({ success: false, error_kind: null });
    }
    const failed = failedCall({ error_kind: 'k'.repeat(64), failure_kind: 'timeout', recovery_kind: 'someday' });
    expect(recordOf(failed)).toMatchObject({ error_kind: 'k'.repeat(64), failure_kind: 'timeout', recovery_kind: null });
  });

  it('takes the execution state of the handler before that of the answer, on success too', () => {
    const facts = toolFacts({ name: 'run_process', category: 'execution', effect: 'execute' });
    const state = (executionState: 'running' | undefined, execution_state: string) =>
      recordOf(
        callRecord({
          facts,
          result: { success: true, output: { execution_state } },
          outcomeFacts: executionState === undefined ? {} : { effect: { executionState } },
        }),
      );
    expect(state('running', 'completed')).toMatchObject({ execution_state: 'running' });
    expect(state(undefined, 'completed')).toMatchObject({ execution_state: 'completed' });
    expect(state(undefined, 'half done')).toMatchObject({ execution_state: null });
  });

  it('is not made for tools that no model sees, and for none that does not exist', async () => {
    const world = auditWorld();
    world.audit.record(callRecord({ facts: toolFacts({ visibility: 'model_hidden' }) }));
    expect((await world.newest()).summary).toEqual({ transport: 'cli', outcome: 'success' });
    world.audit.record(
      callRecord({
        facts: null,
        toolName: 'rm_rf_my_secret',
        outcome: 'refused',
        reachedHandler: false,
        resultBytes: null,
        result: { success: false, output: { error_kind: 'unknown_tool' }, error: 'no such tool rm_rf_my_secret' },
      }),
    );
    expect(await world.newest()).toMatchObject({
      operation: 'unknown',
      action_name: 'unknown',
      endpoint: '/api/tools/{name}',
      status: 'failed',
      error_summary: 'unknown_tool',
      summary: { transport: 'cli', outcome: 'refused' },
    });
    expect((await world.storedBytes()).includes('rm_rf_my_secret')).toBe(false);
  });

  it.each(['refused', 'invalid', 'denied', 'tool_failed', 'success', 'cancelled', 'timed_out'] as const)(
    'tells the outcome %s apart from all others',
    async (outcome) => {
      const world = auditWorld();
      world.audit.record(callRecord({ outcome }));
      expect((await world.newest()).summary['outcome']).toBe(outcome);
    },
  );
});

describe('edits', () => {
  it('[05-A13] counts an edit that was refused for its arguments, without a size', async () => {
    const world = auditWorld();
    world.audit.record(
      failedCall({ error_kind: 'invalid_arguments' }, { facts: EDIT, outcome: 'invalid', reachedHandler: false, resultBytes: 90 }),
    );
    expect(await world.sessions()).toMatchObject([{ total_actions: 1, failed_count: 1 }]);
    expect((await world.newest()).summary.model_ergonomics).toMatchObject({
      error_kind: 'invalid_arguments',
      serialized_result_bytes: null,
      edit_surface: 'canonical',
      edit_outcome: 'rejected',
    });
  });

  it('[05-A14] [04-A21] leaves an edit uncertain when the hard bound cut it off', async () => {
    const world = auditWorld();
    world.audit.record(
      failedCall({ error_kind: 'dispatch_hard_timeout', state_changed: null }, { facts: EDIT, outcome: 'timed_out', resultBytes: 80 }),
    );
    expect(await world.sessions()).toMatchObject([{ timeout_or_unknown_count: 1, failed_count: 0 }]);
    const event = await world.newest();
    expect(event.status).toBe('unknown');
    expect(event.summary.model_ergonomics).toMatchObject({
      error_kind: 'dispatch_hard_timeout',
      edit_outcome: 'uncertain',
      serialized_result_bytes: null,
    });
  });

  it('[05-A19] tells conflicts, rejections and uncertainty apart', () => {
    const conflict = recordOf(failedCall({ error_kind: 'sha256_mismatch', changed: false }, { facts: EDIT }));
    expect(conflict).toMatchObject({ edit_outcome: 'conflict', edit_conflict_kind: 'sha256_mismatch' });
    const weird = recordOf(failedCall({ error_kind: 'weird_conflict' }, { facts: EDIT }));
    expect(weird).toMatchObject({ edit_outcome: 'rejected' });
    expect(weird).not.toHaveProperty('edit_conflict_kind');
    const changed = recordOf(failedCall({ error_kind: 'multiple_matches', changed: true }, { facts: EDIT }));
    expect(changed).toMatchObject({ edit_outcome: 'uncertain', edit_conflict_kind: 'multiple_matches' });
  });

  it.each<[JsonObject, string]>([
    [{ dry_run: true, would_change: true }, 'dry_run_would_change'],
    [{ dry_run: true, would_change: false }, 'dry_run_no_change'],
    [{ dry_run: false, changed: true }, 'applied'],
    [{ dry_run: false, changed: false }, 'no_change'],
  ])('classifies the success %j as %s', (output, outcome) => {
    expect(recordOf(callRecord({ facts: EDIT, result: { success: true, output } }))).toMatchObject({ edit_outcome: outcome });
  });

  it.each<[Record<string, string | boolean | null>, string]>([
    [{ error_kind: 'outcome_unknown' }, 'uncertain'],
    [{ error_kind: 'edit_write_failed', rollback_complete: false }, 'uncertain'],
    [{ error_kind: 'edit_write_failed', rollback_complete: true, state_changed: false }, 'rejected'],
    [{ error_kind: 'edit_write_failed', state_changed: true }, 'uncertain'],
    [{ error_kind: 'permission_denied' }, 'rejected'],
    [{ conflict_kind: 'overlapping_edits', error_kind: 'policy_rejected' }, 'conflict'],
  ])('classifies the failure %j as %s', (output, outcome) => {
    expect(recordOf(failedCall(output, { facts: EDIT }))).toMatchObject({ edit_outcome: outcome });
  });

  it('reads the conflict of a conflict recovery', () => {
    const result = {
      success: false as const,
      output: { error_kind: 'policy_rejected', conflict_recovery: { conflict_kind: 'match_not_found' } },
      error: 'x',
    };
    expect(recordOf(callRecord({ facts: EDIT, outcome: 'tool_failed', result }))).toMatchObject({
      edit_outcome: 'conflict',
      edit_conflict_kind: 'match_not_found',
    });
  });

  it('has finer outcomes for unified diffs, and only the surface for the advanced one', () => {
    const facts = { ...EDIT, name: 'apply_unified_diff', telemetry: 'edit_diff' as const };
    const telemetry: TelemetryFacts = { edit_outcome: 'malformed' };
    expect(recordOf(failedCall({ error_kind: 'policy_rejected' }, { facts, outcomeFacts: { telemetry } }))).toMatchObject({
      edit_surface: 'canonical',
      edit_outcome: 'malformed',
    });
    const advanced = recordOf(callRecord({ facts: { ...EDIT, telemetry: 'edit_advanced' } }));
    expect(advanced).toMatchObject({ edit_surface: 'advanced' });
    expect(advanced).not.toHaveProperty('edit_outcome');
  });
});

describe('the envelope', () => {
  const invocationOf = (shape: EnvelopeShape) => recordOf(callRecord({ envelope: shape }))['invocation'];

  it('[05-A15] saturates counts and keeps all seven known keys', () => {
    const contextKeys = [...Array.from({ length: 2000 }, (_, at) => `secret-${at}`), 'memory.bootstrap'];
    expect(invocationOf({ ...NO_ENVELOPE, present: { context: true }, contextKeys })).toMatchObject({
      context_present: true,
      context_requested_count: 1024,
      context_unknown_count: 1024,
      context_known: {
        'project.instructions': false,
        'webcodex.workflow': false,
        'workflow.resume': false,
        'jobs.attention': false,
        'skills.catalog': false,
        'plugins.catalog': false,
        'memory.bootstrap': true,
      },
    });
  });

  it('[05-A16] says that control was there and names no kind when there were two', () => {
    const shape = envelopeShape({ control: { before: { goal_progress: {}, wake_consume: {} } } });
    expect(invocationOf(shape)).toMatchObject({ control_present: true, control_before: null });
  });

  it('names the one kind of a phase, when it is a known one', () => {
    const shape = envelopeShape({ control: { before: { goal_progress: { token: 't' } }, after_success: { drop_tables: {} } } });
    expect(invocationOf(shape)).toMatchObject({ control_before: 'goal_progress', control_after_success: null });
  });

  it('sees keys before they are stripped: an empty list is present and counts nothing', () => {
    expect(invocationOf(envelopeShape({ ack: [] }))).toMatchObject({ ack_present: true, ack_count: 0, record_present: false });
  });
});

describe('reads of instruction files', () => {
  it('[05-A17] knows exact base names on both separators and keeps no path', async () => {
    const world = auditWorld();
    world.audit.record(
      callRecord({
        facts: classed('instruction_read', 'read_files'),
        rawArguments: { items: [{ path: 'docs\\AGENTS.md' }, { path: 'claude.md' }, { path: 7 }, null] },
      }),
    );
    expect((await world.newest()).summary.model_ergonomics!['instruction_read']).toEqual({ agents_md: true, claude_md: false });
    expect((await world.storedBytes()).includes('AGENTS.md')).toBe(false);
  });
});

describe('waits for Jobs', () => {
  const wait = (waited: Partial<NonNullable<TelemetryFacts['readiness']>>, success = true) =>
    callRecord({
      facts: classed('readiness', 'wait_for_job_readiness'),
      result: success ? { success, output: {} } : { success, output: { error_kind: 'unknown_job' }, error: 'x' },
      outcomeFacts: {
        telemetry: {
          readiness: {
            mode: 'all',
            requested_jobs: 3,
            unique_jobs: 2,
            waited_ms: 0.3,
            wait_state: 'ready',
            armed: true,
            ready_count: 2,
            pending_count: 0,
            ...waited,
          },
        },
      },
    });

  it('[05-A18] calls a wait of less than a millisecond a wait', () => {
    expect(recordOf(wait({}))['readiness']).toEqual({
      mode: 'all',
      requested_jobs: 3,
      unique_jobs: 2,
      waited_ms: 0,
      wait_state: 'ready',
      ready_count: 2,
      pending_count: 0,
    });
  });

  it('says already_ready only where nothing had to be armed', () => {
    expect(recordOf(wait({ armed: false }))['readiness']).toMatchObject({ wait_state: 'already_ready' });
    expect(recordOf(wait({ armed: false, wait_state: 'deadline' }))['readiness']).toMatchObject({ wait_state: 'deadline' });
  });

  it('is absent on failure and on other tools', () => {
    expect(recordOf(wait({}, false))).not.toHaveProperty('readiness');
    expect(recordOf(callRecord())).not.toHaveProperty('readiness');
  });
});

describe('work_on_project and finish', () => {
  const work = (rawArguments: Record<string, unknown>, telemetry: TelemetryFacts = {}) =>
    recordOf(callRecord({ facts: classed('work_on_project', 'work_on_project'), rawArguments, outcomeFacts: { telemetry } }));

  it.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ project: 'agent:local:x' }, { source: 'project', resume_requested: false, mode: 'checkout', mode_explicit: false }],
    [{ client_id: 'local', path: '/x' }, { source: 'path' }],
    [{ path: '/x' }, { source: 'invalid' }],
    [{ project: 'p', path: '/x' }, { source: 'invalid' }],
    [{ session_id: '~s1' }, { source: 'session', resume_requested: true }],
    [{ session_id: '~s1', project: 'p' }, { source: 'project', resume_requested: true }],
    [{}, { source: 'invalid' }],
    [{ project: 'p', mode: 'worktree', base_ref: 'main' }, { mode: 'worktree', mode_explicit: true, base_ref_present: true }],
    [{ project: 'p', mode: 'sideways' }, { mode: 'invalid', mode_explicit: true }],
    [{ project: 'p', guidance_profile: 'host_code_mode' }, { guidance_profile: 'host_code_mode', guidance_profile_explicit: true }],
    [{ project: 'p', include_extension_catalog: true }, { include_extension_catalog: true, include_extension_catalog_explicit: true }],
    [{ project: 'p', include_extension_catalog: 'yes' }, { include_extension_catalog: null, include_extension_catalog_explicit: true }],
    [{ project: 'p' }, { include_extension_catalog: false, include_extension_catalog_explicit: false, guidance_profile: 'direct' }],
  ])('describes the request %j', (given, expected) => {
    expect(work(given)['work_on_project']).toMatchObject(expected);
  });

  it('keeps unobserved, false and zero apart in the bootstrap', () => {
    const { bootstrap } = work(
      { project: 'p' },
      {
        bootstrap: {
          instructions_available: false,
          instruction_source_count: 5000,
          skills_returned_count: 0,
          workspace_status: 'dirty',
          semantic_status: 'made up',
        },
      },
    );
    expect(bootstrap).toEqual({
      instructions_available: false,
      instructions_content_included: null,
      instructions_truncated: null,
      workflow_available: null,
      skills_truncated: null,
      skills_available: null,
      plugins_truncated: null,
      plugins_available: null,
      semantic_supported: null,
      semantic_available: null,
      instruction_source_count: 1024,
      skills_returned_count: 0,
      plugins_returned_count: null,
      instruction_observation_status: null,
      workspace_status: 'dirty',
      semantic_status: null,
    });
  });

  it('has them on no other tool, and finish_summary_only on finish alone', () => {
    const other = recordOf(callRecord({ rawArguments: { summary_only: true } }));
    for (const member of ['work_on_project', 'bootstrap', 'finish_summary_only']) expect(other).not.toHaveProperty(member);
    const finish = (summary_only?: boolean) => recordOf(callRecord({ facts: classed('finish'), rawArguments: { summary_only } }));
    expect(finish(true)).toMatchObject({ finish_summary_only: true });
    expect(finish()).toMatchObject({ finish_summary_only: false });
  });
});

describe('Job convergence', () => {
  const salt = Buffer.from(Array.from({ length: 16 }, (_, at) => at));
  const execution = toolFacts({ name: 'run_shell', category: 'execution', effect: 'execute' });
  const session = 'wc_sess_a' as never;
  const relation = (job: string) =>
    jobRelation(salt, {
      principalKind: 'local_owner',
      principalId: 'uid:1000',
      windowKey: WINDOW,
      project: 'agent:local:demo',
      session: 'wc_sess_a',
      job,
    });

  it('[05-A20] derives a relation from the salt and all six scopes', () => {
    expect(
      jobRelation(salt, {
        principalKind: 'local',
        principalId: 'uid:1000',
        windowKey: 'w'.repeat(64),
        project: 'demo',
        session: 'wc_sess_a',
        job: 'job-1',
      }),
    ).toBe('e3b036a3a79a85e66a867e72afc080fa01cf22ae494df3e9f86b78de5e722fa2');
  });

  it('tells of a hand-off and of what was observed by their relations alone', async () => {
    const telemetry: TelemetryFacts = {
      job_convergence: {
        observed: [{ job_id: 'job-2', failure: true, terminal_observed_at_ms: 17 }],
        passive_terminal: [{ job_id: 'job-3', failure: true }, { job_id: 'job-4' }],
      },
    };
    const call = callRecord({
      facts: execution,
      window: WINDOW,
      session,
      outcomeFacts: { jobId: 'job-1' as never, effect: { executionState: 'running' }, telemetry },
    });
    const world = auditWorld({ randomBytes: () => salt });
    world.audit.record(call);
    const event = await world.newest();
    expect(event.summary.model_ergonomics!['job_convergence']).toEqual({
      pending_handoff_count: 1,
      passive_terminal_delivery_count: 2,
      passive_failure_delivery_count: 1,
      wait_for_job_terminal_count: 0,
      correlation_complete: true,
      events: [
        { kind: 'pending_handoff', relation: relation('job-1') },
        { kind: 'explicit_observe', relation: relation('job-2'), failure: true, terminal_observed_at_ms: 17 },
        { kind: 'passive_terminal', relation: relation('job-3'), failure: true },
        { kind: 'passive_terminal', relation: relation('job-4') },
      ],
    });
    expect(event.ids).toEqual({ async_job_id: 'job-1', observed_job_ids: ['job-2'] });
  });

  it.each([{ window: null }, { session: null }, { project: null }])('is incomplete without %j', (missing) => {
    const call = callRecord({
      facts: execution,
      window: WINDOW,
      session,
      outcomeFacts: { jobId: 'job-1' as never, effect: { executionState: 'queued' } },
      ...missing,
    });
    expect(recordOf(call)['job_convergence']).toMatchObject({
      pending_handoff_count: 1,
      correlation_complete: false,
      events: [],
    });
  });

  it('keeps nine events at most and says when some were left out', () => {
    const observed = Array.from({ length: 12 }, (_, at) => ({ job_id: `job-${at}` }));
    const call = callRecord({ window: WINDOW, session, outcomeFacts: { telemetry: { job_convergence: { observed } } } });
    const convergence = recordOf(call)['job_convergence'] as { events: unknown[] };
    expect(convergence).toMatchObject({ correlation_complete: false });
    expect(convergence.events).toHaveLength(9);
  });

  it('counts a wait for the end of a Job even when it was rejected', () => {
    const call = failedCall(
      { error_kind: 'invalid_arguments' },
      { facts: classed('job_terminal_wait'), outcome: 'invalid', reachedHandler: false },
    );
    expect(errorKindOf(call.result)).toBe('invalid_arguments');
    expect(recordOf(call)['job_convergence']).toMatchObject({ wait_for_job_terminal_count: 1 });
  });

  it('is absent from calls that have nothing to do with Jobs', () => {
    expect(recordOf(callRecord())).not.toHaveProperty('job_convergence');
  });
});
