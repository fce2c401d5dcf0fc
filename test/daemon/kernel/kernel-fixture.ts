import { z } from 'zod';
import type {
  AuthorityFingerprint,
  CallId,
  EventId,
  InvocationId,
  PairId,
  PermissionRequestId,
  ProjectId,
  RootFingerprint,
  SessionId,
} from '../../../src/protocol/ids.js';
import { parseSessionId, parseSessionRef } from '../../../src/protocol/ids.js';
import { LOCAL_OWNER_SCOPES, type Scope } from '../../../src/protocol/scopes.js';
import type { ToolFacts } from '../../../src/protocol/tool-definition.js';
import { failure } from '../../../src/protocol/tool-result.js';
import type { ResolvedProject } from '../../../src/daemon/kernel/call-context.js';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import type { Collaboration } from '../../../src/daemon/kernel/collaboration-ports.js';
import type { Kernel } from '../../../src/daemon/kernel/handle-call.js';
import type { CallRecord, EvidenceEnd, EvidenceStart, SessionView } from '../../../src/daemon/kernel/ports.js';
import type { Principal } from '../../../src/daemon/kernel/principal.js';
import { Registry } from '../../../src/daemon/kernel/registry.js';
import { defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../../src/daemon/kernel/tool.js';

/** The evidence of one pair, as a recording port saw it. */
export interface SeenPair {
  readonly sessionId: SessionId;
  readonly start: EvidenceStart;
  end: EvidenceEnd | null;
}

export const ALICE = 'a'.repeat(64) as AuthorityFingerprint;
export const BOB = 'b'.repeat(64) as AuthorityFingerprint;

export function principal(changes: Partial<Principal> = {}): Principal {
  return {
    credential: 'local_owner',
    userId: 'uid:1000',
    oauthClientId: null,
    authority: { kind: 'local-owner', stableId: '1000' },
    fingerprint: ALICE,
    principalKey: 'local-owner:1000',
    scopes: new Set<Scope>(LOCAL_OWNER_SCOPES),
    ...changes,
  };
}

export function session(id: string, changes: Partial<SessionView> = {}): SessionView {
  return {
    sessionId: id as SessionId,
    ownerFingerprint: ALICE,
    project: 'agent:local:demo' as ProjectId,
    title: 'a task',
    mode: 'normal',
    guards: { deny_write_tools: false, deny_shell_tools: false },
    executionContext: {},
    lifecycle: 'active',
    createdAt: 1,
    updatedAt: 1,
    ...changes,
  };
}

export const SESSION_A = 'wc_sess_AAAAAAAAAAAAAAAA';
export const SESSION_B = 'wc_sess_BBBBBBBBBBBBBBBB';

const READ_FACTS: Omit<ToolFacts, 'name'> = {
  title: 'A tool of the test',
  summary: 'A tool of the test.',
  category: 'file',
  visibility: 'model_visible',
  effect: 'observe',
  risk: 'read_only',
  approval: 'none',
  idempotency: 'pure_read',
  scopes: { kind: 'all', scopes: ['project:read'] },
  session: 'records',
  project: 'required',
  path_hint: 'none',
  destructive: false,
  shell_like: false,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
  session_evidence: 'business_pair',
  recorded_inputs: ['path'],
};

/** A tool of the test: reads by default; `facts` and `run` make it another. */
export function tool(
  name: string,
  run: (input: Record<string, unknown>) => HandlerOutcome | Promise<HandlerOutcome>,
  facts: Partial<ToolFacts> = {},
): Tool {
  return defineTool(
    {
      ...READ_FACTS,
      ...facts,
      name,
      input: z.strictObject({
        project: projectSelector.optional(),
        session_id: sessionSelector.optional(),
        path: z.string().optional(),
      }),
      output: z.looseObject({}),
    },
    (input) => run(input),
  );
}

export const SHELL: Partial<ToolFacts> = {
  category: 'execution',
  effect: 'execute',
  risk: 'job_run',
  approval: 'standard',
  idempotency: 'non_idempotent',
  scopes: { kind: 'all', scopes: ['job:run'] },
  shell_like: true,
};

export const WRITE: Partial<ToolFacts> = {
  category: 'edit',
  effect: 'mutate',
  risk: 'project_write',
  approval: 'standard',
  idempotency: 'non_idempotent',
  scopes: { kind: 'all', scopes: ['project:write'] },
};

/** Ports that know nothing and add nothing: what a kernel does without boards, windows and materials. */
export const noCollaboration: Collaboration = {
  board: {
    acknowledge: async ({ sessionId }, { ids }) => ({ sessionId, accepted: [], ignored: ids.length }),
    resolve: async () => failure('unknown_message_id', 'there is no such message'),
    attention: () => null,
  },
  windows: {
    arrive: ({ meaningful }) => ({
      leave: () => ({ transition: 'unavailable', continuityEligible: false, meaningful, previousMeaningfulCall: null }),
    }),
    link: () => undefined,
    affinity: () => null,
    peers: async () => ({}),
    reply: async () => ({ success: false }),
  },
  context: {
    project: async (keys) => ({
      materials: keys.map((key) => ({ key, status: 'unsupported', reason_code: 'unsupported_context_material' })),
      truncated: false,
    }),
  },
};

export interface KernelFixture {
  readonly kernel: Kernel;
  readonly pairs: SeenPair[];
  readonly rows: CallRecord[];
  readonly faults: unknown[];
  permissionRequests: number;
}

/** A kernel over ports that only remember what they were asked. */
export function kernelFixture(
  tools: readonly Tool[],
  changes: {
    readonly sessions?: readonly SessionView[];
    readonly hidden?: readonly string[];
    readonly refs?: Readonly<Record<string, string>>;
    readonly commitFails?: boolean;
    readonly kernel?: Partial<Kernel>;
  } = {},
): KernelFixture {
  const pairs: SeenPair[] = [];
  const rows: CallRecord[] = [];
  const faults: unknown[] = [];
  const bySession = new Map((changes.sessions ?? []).map((one) => [one.sessionId as string, one]));
  const projects = new Map<string, ResolvedProject>(
    ['demo', 'other'].map((name) => [
      `agent:local:${name}`,
      {
        id: `agent:local:${name}` as ProjectId,
        name,
        clientId: 'local',
        path: `/srv/${name}`,
        rootFingerprint: 'f'.repeat(64) as RootFingerprint,
        allowPatch: true,
        revision: 1,
      },
    ]),
  );
  const fixture: KernelFixture = {
    pairs,
    rows,
    faults,
    permissionRequests: 0,
    kernel: {
      registry: new Registry(tools),
      sessions: {
        resolveSelector: (raw) => {
          if (raw.startsWith('~s')) {
            const found = parseSessionRef(raw) === null ? undefined : changes.refs?.[raw];
            return found === undefined
              ? { failure: failure('unknown_session_ref', 'there is no such ref') }
              : { resolved: found as SessionId };
          }
          const id = parseSessionId(raw);
          return id === null ? { malformed: raw } : { resolved: id };
        },
        lookUp: (id) => {
          const found = bySession.get(id);
          return found === undefined ? { found: 'nothing' } : { found: 'session', session: found };
        },
        refFor: () => null,
        openPair: (sessionId, start) => {
          pairs.push({ sessionId, start, end: null });
          return { sessionId, pairId: `wc_call_${pairs.length - 1}` as PairId };
        },
        closePair: async (pair, end) => {
          if (changes.commitFails === true) throw new Error('disk full');
          const seen = pairs[Number(pair.pairId.slice('wc_call_'.length))];
          if (seen !== undefined) seen.end = end;
          return { eventId: `evt_${pair.pairId}` as EventId };
        },
      },
      projects: {
        resolve: (selector) => {
          const project = projects.get(selector);
          return project === undefined
            ? { failure: failure('unknown_project', 'there is no such project') }
            : { project };
        },
        isVisible: (project) => !(changes.hidden ?? []).includes(project),
      },
      audit: { record: (row) => void rows.push(row) },
      collaboration: noCollaboration,
      authority: { mode: 'trusted_agent', source: 'default' },
      newInvocationId: () => `wc_inv_${'0'.repeat(32)}` as InvocationId,
      newPermissionRequestId: () => {
        fixture.permissionRequests += 1;
        return `wc_perm_${String(fixture.permissionRequests).padStart(32, '0')}` as PermissionRequestId;
      },
      clock: { wallMs: () => 1_000, monotonicMs: () => 5 },
      onFault: (_tool, error) => void faults.push(error),
      ...changes.kernel,
    },
  };
  return fixture;
}

export function request(
  toolName: string,
  args: Record<string, unknown>,
  changes: Partial<CallRequest> = {},
): CallRequest {
  return {
    callId: '00000000-0000-4000-8000-000000000000' as CallId,
    tool: toolName,
    arguments: args,
    envelope: undefined,
    recordingSessionId: null,
    principal: principal(),
    adapter: 'http',
    window: null,
    affinity: { header: null, headerAlias: null, query: null },
    endpoint: '/api/tools/{name}',
    environment: null,
    stdinPipe: null,
    signal: new AbortController().signal,
    disconnected: new AbortController().signal,
    wantsProgress: false,
    progress: () => undefined,
    answerWithinMs: null,
    requestBytes: 2,
    ...changes,
  };
}

/** Runs a call and its audit row. */
export async function run(
  fixture: KernelFixture,
  call: CallRequest,
): Promise<{ success: boolean; output: Record<string, unknown>; error?: string }> {
  const { handleCall } = await import('../../../src/daemon/kernel/handle-call.js');
  const answer = await handleCall(fixture.kernel, call);
  answer.audit({ httpStatus: 200, streaming: false, atMs: 1_001 });
  return JSON.parse(answer.body) as { success: boolean; output: Record<string, unknown> };
}
