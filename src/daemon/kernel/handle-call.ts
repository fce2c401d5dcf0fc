import type { InvocationId, PermissionRequestId, ProjectId, SessionId } from '../../protocol/ids.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import { admitTarget, checkLifecycleAndGuards } from './admit-target.js';
import type { CallContext } from './call-context.js';
import { CallRefused } from './call-refused.js';
import { callRecord, nothingKnown, type HandOver, type WhatIsKnown } from './call-record.js';
import type { CallRequest } from './call-request.js';
import { checkScopes } from './check-scopes.js';
import { isMeaningful, type CallInWindow, type Collaboration } from './collaboration-ports.js';
import { applyEnvelopeBefore, type RunNested } from './envelope-before.js';
import { envelopeAfter } from './envelope-after.js';
import { lookUpTool } from './look-up-tool.js';
import { parseArguments } from './parse-arguments.js';
import { enforcePermission, evaluatePermission, type AuthorityMode } from './permission-evaluator.js';
import type { AuditPort, ProjectPort, SessionPort, SessionView } from './ports.js';
import { CallEvidence, unrecorded } from './record-evidence.js';
import type { Registry } from './registry.js';
import { runHandler } from './run-handler.js';
import { authorizeRecorder, canonicalizeSelector, usableSession } from './select-sessions.js';
import { takeOffEnvelope } from './take-off-envelope.js';
import type { HandlerOutcome } from './tool.js';

/** What the kernel works with; the composition root puts it together once. */
export interface Kernel {
  readonly registry: Registry;
  readonly sessions: SessionPort;
  readonly projects: ProjectPort;
  readonly audit: AuditPort;
  readonly collaboration: Collaboration;
  readonly authority: AuthorityMode;
  readonly newInvocationId: () => InvocationId;
  readonly newPermissionRequestId: () => PermissionRequestId;
  readonly clock: { readonly wallMs: () => number; readonly monotonicMs: () => number };
  readonly onFault: (tool: string, error: unknown) => void;
  /** Overrides the hard bound of calls over MCP, in milliseconds. */
  readonly hardTimeoutMs?: number;
}

/** A call's answer: the result, its exact bytes, and the audit row that waits for the hand-over. */
export interface Answer {
  readonly result: ToolResult;
  /** The compact JSON of the result: made once, measured and sent as it is. */
  readonly body: string;
  /** Step 16, to be called after the answer was handed over. */
  readonly audit: (handed: HandOver) => void;
}

/**
 * One call's way through the house: the sixteen steps of the design, in their order.
 * Step 1, admission, is the transport's; every other step is one line here.
 */
export async function handleCall(kernel: Kernel, request: CallRequest): Promise<Answer> {
  const startedAtMs = kernel.clock.wallMs();
  const started = kernel.clock.monotonicMs();
  const seen = nothingKnown();
  const truth = await passThrough(kernel, request, seen, startedAtMs);
  await afterTool(kernel, request, seen, truth); // 14
  const result: ToolResult = { ...truth, output: { ...truth.output, ...seen.recorded, ...seen.added } }; // 15
  const body = JSON.stringify(result);
  return {
    result,
    body,
    audit: (handed) =>
      kernel.audit.record(
        callRecord(request, seen, result, body, handed, {
          startedAtMs,
          endedAtMs: kernel.clock.wallMs(),
          durationMs: kernel.clock.monotonicMs() - started,
        }),
      ), // 16
  };
}

/** Steps 2 to 13; a refusal on the way is the call's answer. */
async function passThrough(kernel: Kernel, request: CallRequest, seen: WhatIsKnown, observedAtMs: number): Promise<ToolResult> {
  try {
    return await pass(kernel, request, seen, observedAtMs);
  } catch (error) {
    if (error instanceof CallRefused) return error.failure;
    seen.inWindow?.leave({ project: null, handedAtMs: observedAtMs, streaming: false, clean: false });
    throw error;
  }
}

async function pass(kernel: Kernel, request: CallRequest, seen: WhatIsKnown, observedAtMs: number): Promise<ToolResult> {
  const { sessions, projects, registry } = kernel;
  const { principal } = request;

  const envelope = (seen.envelope = takeOffEnvelope(request)); // 2
  const call = lookUpTool(registry, request.tool, request.arguments); // 3
  const { definition } = call.tool;
  seen.definition = definition;
  seen.stage = 'before_parse';
  const invocationId = (seen.traceId = kernel.newInvocationId());
  seen.inWindow = arriveInWindow(kernel, request, definition, { observedAtMs, traceId: invocationId });
  const recorderSelector = envelope.record ?? request.recordingSessionId;
  seen.recorder = authorizeRecorder(sessions, projects, recorderSelector, principal); // 4
  seen.before = await applyEnvelopeBefore(
    { board: kernel.collaboration.board, registry, runNested: nestedCalls(kernel, request, seen) },
    { envelope, definition, recorder: seen.recorder, principal },
  ); // 5
  checkScopes(definition, principal); // 6
  const args = canonicalizeSelector(sessions, call.tool, call.arguments, principal); // 7
  const evidence = new CallEvidence(sessions, { definition, arguments: args, invocationId, adapter: request.adapter });
  if (definition.recorder_evidence !== 'none') evidence.openRecorder(seen.recorder); // 8
  const outcome = await attempt(async () => {
    const input = parseArguments(call.tool, args); // 9
    seen.stage = 'before_handler';
    const target = admitTarget(kernel, definition, input, seen.recorder, principal); // 10
    seen.project = target.project?.id ?? target.session?.project ?? null;
    seen.session = target.session;
    seen.resolved = target.project;
    openBusinessPair(evidence, definition, target.session);
    checkLifecycleAndGuards(definition, target.session);
    seen.permission = evaluatePermission(
      kernel.authority,
      definition,
      seen.project,
      kernel.newPermissionRequestId(),
    ); // 11
    enforcePermission(definition, seen.permission);
    seen.stage = 'handler';
    return runHandler(call.tool, input, contextOf(request, invocationId, target, seen.recorder), {
      onFault: (error) => kernel.onFault(definition.name, error),
      ...(kernel.hardTimeoutMs === undefined ? {} : { hardTimeoutMs: kernel.hardTimeoutMs }),
    }); // 12
  });
  seen.facts = outcome.facts ?? {};
  return closeEvidence(evidence, definition, outcome, seen); // 13
}

/** A window's own view of a call begins as soon as its tool is known. */
function arriveInWindow(
  { collaboration }: Kernel,
  { window, principal, adapter }: CallRequest,
  definition: ToolDefinition,
  { observedAtMs, traceId }: { readonly observedAtMs: number; readonly traceId: InvocationId },
): CallInWindow | null {
  if (window === null) return null;
  const source = adapter === 'mcp_legacy' || adapter === 'mcp_2026' ? 'openai-session' : 'cli-window';
  return collaboration.windows.arrive({
    ...{ window, principal, source, observedAtMs, traceId },
    tool: definition.name,
    meaningful: isMeaningful(definition),
  });
}

/** A call inside a call: the whole way with the caller's own authority, without a window and without a sidecar. */
function nestedCalls(kernel: Kernel, request: CallRequest, outer: WhatIsKnown): RunNested {
  return async (mutation) => {
    const seen = nothingKnown();
    const nested: CallRequest = {
      ...request,
      tool: mutation.tool,
      arguments: mutation.arguments,
      envelope: undefined,
      recordingSessionId: outer.recorder?.sessionId ?? null,
      window: null,
    };
    const result = await passThrough(kernel, nested, seen, kernel.clock.wallMs());
    return { result, reachedHandler: seen.stage === 'handler' };
  };
}

/** Step 14 for every call whose tool and caller were known; what it adds never changes the truth. */
async function afterTool(kernel: Kernel, request: CallRequest, seen: WhatIsKnown, truth: ToolResult): Promise<void> {
  const { definition, envelope } = seen;
  if (definition === null || envelope === null) return;
  const { sessions, projects, collaboration } = kernel;
  const worked = seen.facts.workedOnSession;
  const after = await envelopeAfter(
    {
      ...collaboration,
      authorize: (sessionId) => usableSession(sessions, projects, sessionId, request.principal),
      runNested: nestedCalls(kernel, request, seen),
      onFault: (error) => kernel.onFault(definition.name, error),
    },
    {
      ...{ request, definition, envelope, truth },
      before: seen.before,
      recorder: seen.recorder,
      session: seen.session,
      project: seen.resolved,
      projectId: seen.project,
      workedOn:
        worked === undefined
          ? null
          : { sessionId: worked.sessionId as SessionId, project: worked.project as ProjectId | null, relation: 'work_on_project' },
      dispatched: seen.stage === 'handler',
      atMs: kernel.clock.wallMs(),
    },
  );
  seen.added = after.added;
  seen.recorderGap = after.recorderGap;
}

/** A refusal inside a recorded call is its outcome: the evidence is closed with it. */
async function attempt(steps: () => Promise<HandlerOutcome>): Promise<HandlerOutcome> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof CallRefused) return { result: error.failure };
    throw error;
  }
}

function openBusinessPair(evidence: CallEvidence, definition: ToolDefinition, session: SessionView | null): void {
  if (session === null) return;
  if (definition.session_evidence === 'business_pair') return evidence.openBusiness(session);
  // A denial is recorded where it happened, also for tools that leave no pair when they run.
  try {
    checkLifecycleAndGuards(definition, session);
  } catch (error) {
    evidence.openBusiness(session);
    throw error;
  }
}

async function closeEvidence(
  evidence: CallEvidence,
  definition: ToolDefinition,
  outcome: HandlerOutcome,
  seen: WhatIsKnown,
): Promise<ToolResult> {
  const project = (outcome.facts?.workedOnSession?.project as ProjectId | null | undefined) ?? seen.project;
  seen.project = project;
  try {
    const closed = await evidence.close(outcome.result, seen.facts, project, seen.permission);
    if (closed !== null) {
      seen.recorded = {
        session_recorded: true,
        session_event_id: closed.eventId,
        ...(closed.tail === undefined
          ? {}
          : { session_hint: { events_total: closed.tail.observed, events_retained: closed.tail.retained } }),
        ...(outcome.result.output['session_id'] === undefined ? { session_id: closed.sessionId } : {}),
      };
    }
    return outcome.result;
  } catch (error) {
    return unrecorded(definition, outcome.result, seen.facts, error instanceof Error ? error.message : String(error));
  }
}

function contextOf(
  request: CallRequest,
  invocationId: InvocationId,
  target: ReturnType<typeof admitTarget>,
  recorder: SessionView | null,
): CallContext {
  return {
    callId: request.callId,
    invocationId,
    adapter: request.adapter,
    principal: request.principal,
    window: request.window,
    session: target.session,
    recorder: recorder?.sessionId ?? null,
    recorderProject: recorder?.project ?? null,
    project: target.project,
    signal: request.signal,
    disconnected: request.disconnected,
    environment: request.environment,
    stdinPipe: request.stdinPipe,
    wantsProgress: request.wantsProgress,
    progress: request.progress,
    answerWithinMs: request.answerWithinMs,
  };
}
