import { describe, expect, it } from 'vitest';
import { createContextMaterials } from '../../../src/daemon/context-materials/index.js';
import { projectContext } from '../../../src/daemon/context-materials/project-context.js';
import { shortenInstructions } from '../../../src/daemon/context-materials/project-instructions.js';
import type { MaterialCall } from '../../../src/daemon/kernel/collaboration-ports.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import { kernelFixture, principal, request, run, session, SESSION_A, SESSION_B, tool } from '../kernel/kernel-fixture.js';
import { success } from '../../../src/protocol/tool-result.js';
import { W1 } from '../windows/window-house.js';

interface Shown {
  readonly materials: readonly { readonly key: string; readonly status: string; readonly reason_code?: string; readonly projection?: Record<string, unknown> }[];
  readonly truncated: boolean;
}

const demo = { project: 'agent:local:demo' };

function context(linked: readonly string[] = [], sessions = [session(SESSION_A), session(SESSION_B)]) {
  const fixture = kernelFixture([], { sessions });
  const asked: string[] = [];
  const port = createContextMaterials({
    runner: {
      call: async (method) => {
        asked.push(method.name);
        return { answer: { jobs: [], matched: 0, sources: [], unreadable: [] } as never };
      },
      state: null,
      onInstance: () => undefined,
    },
    sessions: fixture.kernel.sessions,
    projects: { ...fixture.kernel.projects, projectRef: async () => '~p1' as never },
    linkedSessions: () => linked as readonly SessionId[],
  });
  const kernel = kernelFixture([tool('read_thing', () => ({ result: success({ text: 'x' }) }))], {
    sessions,
    kernel: { collaboration: { ...fixture.kernel.collaboration, context: port } },
  });
  const ask = async (keys: readonly string[], changes = {}): Promise<Shown> => {
    const answer = await run(kernel, request('read_thing', demo, { envelope: { context: keys }, ...changes }));
    expect(answer).toMatchObject({ success: true, output: { text: 'x' } });
    return answer.output['context_projection'] as Shown;
  };
  return { ask, asked };
}

describe('context materials', () => {
  it('[02-A27] answers each by itself, and never touches the call', async () => {
    const { ask } = context();
    const { materials } = await ask(['x.y', 'webcodex.workflow', 'memory.bootstrap', 'skills.catalog', 'plugins.catalog']);
    expect(materials.map(({ key, status, reason_code: reason }) => [key, status, reason])).toEqual([
      ['x.y', 'unsupported', 'unsupported_context_material'],
      ['webcodex.workflow', 'available', undefined],
      ['memory.bootstrap', 'unavailable', 'context_material_surface_unavailable'],
      ['skills.catalog', 'unavailable', 'context_material_surface_unavailable'],
      ['plugins.catalog', 'unavailable', 'context_material_surface_unavailable'],
    ]);
    expect(materials[1]?.projection?.['semantics']).toBe('model_guidance_only');
  });

  it('asks no provider before its gates', async () => {
    const { ask, asked } = context();
    const poor = principal({ scopes: new Set(['project:read']) });
    expect((await ask(['jobs.attention'], { principal: poor })).materials).toEqual([
      { key: 'jobs.attention', status: 'unavailable', reason_code: 'context_material_scope_unavailable' },
    ]);
    expect(asked).toEqual([]);
    expect((await ask(['jobs.attention'])).materials).toMatchObject([{ status: 'available', projection: { active_jobs: [], active_total: 0 } }]);
    const source = { key: 'plugins.catalog' as const, needsProject: true, scopes: ['plugin:inspect' as const], scopeReasons: { 'plugin:inspect': 'plugin_inspect_scope_unavailable' as const }, provide: async () => ({ projection: {} }) };
    const call: MaterialCall = { principal: poor, window: null, project: null };
    expect(await projectContext([source], '', ['plugins.catalog'], call)).toMatchObject({ materials: [{ reason_code: 'project_target_unavailable' }] });
    const here = { ...call, project: {} as never };
    expect(await projectContext([source], '', ['plugins.catalog'], here)).toMatchObject({ materials: [{ reason_code: 'plugin_inspect_scope_unavailable' }] });
  });

  it('offers the Sessions of this window, and the next call where there is one alone', async () => {
    const one = context([SESSION_A]);
    expect((await one.ask(['workflow.resume'])).materials).toMatchObject([{ reason_code: 'client_window_unavailable' }]);
    const anonymous = principal({ authority: null });
    expect((await one.ask(['workflow.resume'], { window: W1, principal: anonymous })).materials).toMatchObject([{ reason_code: 'principal_unavailable' }]);
    expect((await one.ask(['workflow.resume'], { window: W1 })).materials[0]?.projection).toMatchObject({
      candidates: [{ session_id: SESSION_A, project: demo.project, project_ref: '~p1' }],
      suggested_call: { tool: 'read_session_handoff', arguments: { session_id: SESSION_A } },
    });
    const two = context([SESSION_B, SESSION_A]);
    const both = (await two.ask(['workflow.resume'], { window: W1 })).materials[0]?.projection;
    expect(both).not.toHaveProperty('suggested_call');
    expect(both).toMatchObject({ candidates: [{ session_id: SESSION_B }, { session_id: SESSION_A }] });
    const closed = context([SESSION_A], [session(SESSION_A, { lifecycle: 'closed' })]);
    expect((await closed.ask(['workflow.resume'], { window: W1 })).materials[0]?.projection).toMatchObject({ candidates: [] });
  });

  it('cuts instructions before the workflow text, in the order that was asked for', async () => {
    const content = '"é\n'.repeat(20_000);
    const big = {
      key: 'project.instructions' as const,
      needsProject: false,
      scopes: [],
      provide: async () => ({ projection: { status: 'loaded', sources: [{ path: 'AGENTS.md', fingerprint: 'f', content, content_truncated: false }] } }),
      shorten: shortenInstructions,
    };
    const text = { key: 'webcodex.workflow' as const, needsProject: false, scopes: [], provide: async () => ({ projection: { text: 'w'.repeat(5_000) } }) };
    const call: MaterialCall = { principal: principal(), window: null, project: null };
    const shown = (await projectContext([big, text], 'webcodex.workflow', ['project.instructions', 'webcodex.workflow'], call)) as unknown as Shown;
    expect(shown.materials.map(({ key, status }) => [key, status])).toEqual([
      ['project.instructions', 'available'],
      ['webcodex.workflow', 'available'],
    ]);
    expect(shown.truncated).toBe(true);
    expect(shown.materials[0]?.projection).toMatchObject({ sources: [{ content_truncated: true }] });
    expect(Buffer.byteLength(JSON.stringify(shown.materials.map(({ projection }) => projection)))).toBeLessThanOrEqual(20 * 1024 + 16);
    const none = { ...text, key: 'skills.catalog' as const, provide: async () => ({ projection: { text: 'x'.repeat(30_000) } }) };
    expect(await projectContext([none], '', ['skills.catalog'], call)).toEqual({
      materials: [{ key: 'skills.catalog', status: 'unavailable', reason_code: 'context_projection_budget_exceeded' }],
      truncated: true,
    });
  });
});
