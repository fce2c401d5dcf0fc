import type { ProjectId } from '../../protocol/ids.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import { outcomeOf, type CallStage } from './call-outcome.js';
import type { CallRequest } from './call-request.js';
import type { EvidenceFacts } from './evidence-facts.js';
import type { CallRecord, PermissionDecision, SessionView } from './ports.js';
import { envelopeShape } from './take-off-envelope.js';

/** What is known of a call so far; the audit row is made of it, however the call ended. */
export interface WhatIsKnown {
  stage: CallStage;
  definition: ToolDefinition | null;
  recorder: SessionView | null;
  project: ProjectId | null;
  permission: PermissionDecision | null;
  facts: EvidenceFacts;
  recorded: JsonObject;
  added: JsonObject;
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
  return {
    toolName: seen.definition?.name ?? request.tool,
    facts: seen.definition,
    principal: request.principal,
    adapter: request.adapter,
    window: request.window,
    affinity: request.affinity,
    endpoint: request.endpoint,
    outcome: outcomeOf(seen.stage, result),
    result,
    reachedHandler: seen.stage === 'handler',
    outcomeFacts: seen.facts,
    rawArguments: request.arguments,
    envelope: envelopeShape(request.envelope),
    project: seen.project,
    recorder: seen.recorder?.sessionId ?? null,
    permissionRequestId: seen.permission?.request_id ?? null,
    ...times,
    requestBytes: request.requestBytes,
    httpStatus: handed.httpStatus,
    resultBytes: seen.stage === 'handler' ? Buffer.byteLength(body) : null,
    responseStreaming: handed.streaming,
    handedAtMs: handed.atMs,
  };
}
