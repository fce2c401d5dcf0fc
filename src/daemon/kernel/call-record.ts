import type { Envelope } from '../../protocol/envelope.js';
import type { InvocationId, ProjectId, SessionId } from '../../protocol/ids.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import type { ErrorKind } from '../../protocol/error-kinds.js';
import { errorKindOf, type JsonObject, type ToolResult } from '../../protocol/tool-result.js';
import { outcomeOf, type CallStage } from './call-outcome.js';
import type { ResolvedProject } from './call-context.js';
import type { CallRequest } from './call-request.js';
import type { CallInWindow } from './collaboration-ports.js';
import type { BeforeTool } from './envelope-before.js';
import type { EvidenceFacts } from './evidence-facts.js';
import type { CallRecord, PermissionDecision, SessionView } from './ports.js';
import { envelopeShape } from './take-off-envelope.js';

/** What is known of a call so far; the audit row is made of it, however the call ended. */
export interface WhatIsKnown {
  stage: CallStage;
  definition: ToolDefinition | null;
  envelope: Envelope | null;
  /** What of the envelope happened before the tool; null where the call was refused by then. */
  before: BeforeTool | null;
  recorder: SessionView | null;
  session: SessionView | null;
  project: ProjectId | null;
  /** The project of the call's own target, when it has one. */
  resolved: ResolvedProject | null;
  inWindow: CallInWindow | null;
  recorderGap: SessionId | null;
  /** The id that the call has in evidence and traces; null before its tool was known. */
  traceId: InvocationId | null;
  permission: PermissionDecision | null;
  facts: EvidenceFacts;
  recorded: JsonObject;
  added: JsonObject;
}

/** Of a call that has just come. */
export function nothingKnown(): WhatIsKnown {
  return {
    stage: 'before_tool',
    definition: null,
    envelope: null,
    before: null,
    recorder: null,
    session: null,
    project: null,
    resolved: null,
    inWindow: null,
    recorderGap: null,
    traceId: null,
    permission: null,
    facts: {},
    recorded: {},
    added: {},
  };
}

/** How the transport gave the answer away. */
export interface HandOver {
  readonly httpStatus: number;
  readonly streaming: boolean;
  readonly atMs: number;
}

/** The audit's view of a call: what is known of it, and how its answer was handed over. */
export function callRecord(
  request: CallRequest,
  seen: WhatIsKnown,
  result: ToolResult,
  body: string,
  handed: HandOver,
  times: { readonly startedAtMs: number; readonly endedAtMs: number; readonly durationMs: number },
): CallRecord {
  const outcome = outcomeOf(seen.stage, result);
  const timing = seen.inWindow?.leave({
    project: seen.project,
    handedAtMs: handed.atMs,
    streaming: handed.streaming,
    clean: outcome !== 'cancelled' && outcome !== 'timed_out',
  });
  return {
    toolName: seen.definition?.name ?? request.tool,
    facts: seen.definition,
    principal: request.principal,
    adapter: request.adapter,
    window: request.window,
    affinity: request.affinity,
    endpoint: request.endpoint,
    outcome,
    result,
    reachedHandler: seen.stage === 'handler',
    outcomeFacts: seen.facts,
    rawArguments: request.arguments,
    envelope: envelopeShape(request.envelope),
    project: seen.project,
    recorder: seen.recorder?.sessionId ?? null,
    session: seen.session?.sessionId ?? null,
    ...(timing === undefined ? {} : { windowTiming: { ...timing, recorderGap: seen.recorderGap } }),
    ...(seen.traceId === null ? {} : { traceId: seen.traceId }),
    permissionRequestId: seen.permission?.request_id ?? null,
    ...times,
    requestBytes: request.requestBytes,
    httpStatus: handed.httpStatus,
    resultBytes: isMeasured(result) ? Buffer.byteLength(body) : null,
    responseStreaming: handed.streaming,
    handedAtMs: handed.atMs,
  };
}

/** Refusals that come before a tool had a result of its own have no size (spec 05 §7). */
const UNMEASURED: ReadonlySet<ErrorKind> = new Set([
  'invalid_arguments',
  'insufficient_scope',
  'unknown_tool',
  'dispatch_hard_timeout',
]);

function isMeasured(result: ToolResult): boolean {
  const kind = errorKindOf(result);
  return kind === null || !UNMEASURED.has(kind);
}
