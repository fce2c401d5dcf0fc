import type { Envelope } from '../../protocol/envelope.js';
import type { SessionId } from '../../protocol/ids.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import type { ResolvedProject } from './call-context.js';
import type { CallRequest } from './call-request.js';
import { isMeaningful, type Collaboration, type WindowLink, type WindowOwner } from './collaboration-ports.js';
import { mainReport, phaseReport, skippedPhase, whyNotAfter, type ControlMutation, type PhaseReport } from './control-sidecar.js';
import { ackEvidence, asksForAck, type BeforeTool, type RunNested } from './envelope-before.js';
import type { SessionView } from './ports.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';

/** The JSON of an answer, with all that stands beside its truth, stays under this. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** A call whose truth is known, and what it came to on its way. */
export interface AnsweredCall {
  readonly request: CallRequest;
  readonly definition: ToolDefinition;
  readonly envelope: Envelope;
  readonly before: BeforeTool | null;
  readonly recorder: SessionView | null;
  /** The admitted business Session. */
  readonly session: SessionView | null;
  readonly project: ResolvedProject | null;
  readonly projectId: SessionView['project'];
  readonly workedOn: WindowLink | null;
  readonly truth: ToolResult;
  /** Whether the tool's own code ran. */
  readonly dispatched: boolean;
  readonly atMs: number;
}

export interface AfterTool {
  /** What stands in the answer besides. */
  readonly added: JsonObject;
  /** The Session that a recorder could have named and did not. */
  readonly recorderGap: SessionId | null;
}

export interface AfterParts extends Collaboration {
  /** A Session that the caller may use now, as the ordinary authority path says; null otherwise. */
  readonly authorize: (sessionId: SessionId) => SessionView | null;
  readonly runNested: RunNested;
  readonly onFault: (error: unknown) => void;
}

/**
 * Step 14: what an envelope and a window add to an answer (spec 02 §E2). Nothing here
 * changes the tool's own truth: each part stands for itself, and one that fails inside is
 * left out.
 */
export async function envelopeAfter(parts: AfterParts, call: AnsweredCall): Promise<AfterTool> {
  const { envelope, request } = call;
  const owner = windowOwner(request);
  if (owner === null && call.recorder === null && Object.keys(envelope).length === 0) return { added: {}, recorderGap: null };
  const control = await guarded(parts, () => controlAfter(parts, call));
  const context =
    envelope.context !== undefined && call.dispatched
      ? await guarded(parts, async () => ({
          context_projection: await parts.context.project(envelope.context ?? [], {
            principal: request.principal,
            window: request.window,
            project: call.project,
          }),
        }))
      : {};
  let recorderGap: SessionId | null = null;
  const attention = await guarded(parts, async () => {
    const affine = owner === null || call.recorder !== null ? null : affineSession(parts, owner, call);
    if (affine !== null && call.truth.success && !isCallsOwn(call, affine)) recorderGap = affine.sessionId;
    return { ...(await sessionAttention(parts, call, affine)), ...(recorderGap === null ? {} : recorderMissing(recorderGap, call)) };
  });
  if (owner !== null) {
    await guarded(parts, async () => {
      parts.windows.link(owner, linksOf(call), call.atMs);
      return {};
    });
  }
  const reply = envelope.reply === undefined ? {} : await guarded(parts, () => windowReply(parts, call, owner));
  const added = { ...control, ...context, ...attention, ...reply };
  const peers = owner === null ? {} : await guarded(parts, () => peersOf(parts, call, owner, added));
  return { added: { ...added, ...peers }, recorderGap };
}

async function controlAfter({ runNested }: AfterParts, { before, truth, dispatched }: AnsweredCall): Promise<JsonObject> {
  const plan = before?.plan ?? null;
  if (before === null || plan === null) return {};
  const main = mainReport(truth, dispatched);
  const mutation = plan.afterSuccess;
  const after: PhaseReport | null = mutation === null ? null : await phaseAfter(mutation, runNested, whyNotAfter(mutation, main, truth));
  return {
    control: { main, ...(before.control === null ? {} : { before: before.control }), ...(after === null ? {} : { after_success: after }) },
  };
}

async function phaseAfter(mutation: ControlMutation, runNested: RunNested, skipped: ReturnType<typeof whyNotAfter>): Promise<PhaseReport> {
  if (skipped !== null) return skippedPhase(mutation.kind, skipped);
  const { result, reachedHandler } = await runNested(mutation);
  return phaseReport(mutation.kind, result, reachedHandler);
}

/** The Session of this window's last association in this very project, authorized as it is now (spec 02 §D3). */
function affineSession(parts: AfterParts, owner: WindowOwner, { definition, projectId, dispatched }: AnsweredCall): SessionView | null {
  // A tool that chooses its Session by itself is no evidence of a gap.
  if (projectId === null || !dispatched || !isMeaningful(definition) || definition.session === 'own') return null;
  const linked = parts.windows.affinity(owner, projectId);
  const session = linked === null ? null : parts.authorize(linked);
  return session !== null && session.lifecycle === 'active' && session.project === projectId ? session : null;
}

/** A call that is about the candidate itself lacks no recorder of it. */
function isCallsOwn({ session }: AnsweredCall, { sessionId }: SessionView): boolean {
  return session?.sessionId === sessionId;
}

function recorderMissing(candidate: SessionId, { projectId }: AnsweredCall): JsonObject {
  return {
    workflow_recording_attention: {
      status: 'recording_session_missing',
      candidate_session_id: candidate,
      project: projectId,
      reason: 'same_window_recent_explicit_association',
    },
  };
}

/** The recorder's board always wins; a block that the tool made itself is kept; then the window's affinity. */
async function sessionAttention({ board }: AfterParts, call: AnsweredCall, affine: SessionView | null): Promise<JsonObject> {
  const { recorder, envelope, before, truth } = call;
  if (recorder !== null) {
    const block = before === null ? null : board.attention(recorder, before.ack);
    return block === null ? {} : { session_attention: withSource(recorder, 'recording_session', block) };
  }
  if (affine === null || Object.hasOwn(truth.output, 'session_attention')) return {};
  const ack = asksForAck(envelope) ? await board.acknowledge(affine, ackEvidence(envelope)) : null;
  const block = board.attention(affine, ack);
  return block === null ? {} : { session_attention: withSource(affine, 'window_affinity', block) };
}

function withSource({ sessionId }: SessionView, source: string, block: JsonObject): JsonObject {
  return { session_id: sessionId, source, ...block };
}

function linksOf({ recorder, workedOn, truth, projectId }: AnsweredCall): WindowLink[] {
  return [
    ...(recorder === null ? [] : [{ sessionId: recorder.sessionId, project: recorder.project ?? projectId, relation: 'recording' as const }]),
    ...(workedOn === null || !truth.success ? [] : [workedOn]),
  ];
}

async function windowReply({ windows }: AfterParts, { envelope, request, dispatched }: AnsweredCall, owner: WindowOwner | null): Promise<JsonObject> {
  const { reply } = envelope;
  if (reply === undefined) return {};
  const refused = (kind: string): JsonObject => ({ window_reply: { success: false, reply_to: reply.reply_to, state_changed: false, failure_kind: kind } });
  if (!dispatched) return refused('unavailable');
  if (!request.principal.scopes.has('session:collaborate') && !request.principal.scopes.has('admin')) return refused('insufficient_scope');
  return { window_reply: await windows.reply(owner, { replyTo: reply.reply_to, message: reply.message }) };
}

function peersOf({ windows }: AfterParts, call: AnsweredCall, owner: WindowOwner, added: JsonObject): Promise<JsonObject> {
  const { definition, envelope, projectId, truth, atMs } = call;
  return windows.peers(
    { ...owner, project: isMeaningful(definition) ? projectId : null, ackIds: envelope.ack ?? [], atMs },
    {
      // Measured only when there is something to show.
      get bytesLeft() {
        return ANSWER_BYTES_MAX - Buffer.byteLength(JSON.stringify(truth.output)) - Buffer.byteLength(JSON.stringify(added));
      },
    },
  );
}

function windowOwner({ window, principal }: CallRequest): WindowOwner | null {
  if (window === null || principal.authority === null || principal.authority.kind === 'anonymous') return null;
  return { window, principal };
}

async function guarded({ onFault }: AfterParts, work: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await work();
  } catch (error) {
    onFault(error);
    return {};
  }
}
