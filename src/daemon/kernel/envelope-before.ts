import type { Envelope } from '../../protocol/envelope.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import { failure } from '../../protocol/tool-result.js';
import { refuseCall } from './call-refused.js';
import type { AcceptedAck, Collaboration } from './collaboration-ports.js';
import { phaseReport, planControl, type ControlMutation, type ControlPlan, type PhaseReport } from './control-sidecar.js';
import type { SessionView } from './ports.js';
import type { Principal } from './principal.js';
import type { Registry } from './registry.js';
import { envelopeRejection } from './take-off-envelope.js';
import type { ToolResult } from '../../protocol/tool-result.js';

/** A nested call of the whole kernel, without a sidecar of its own. */
export type RunNested = (mutation: ControlMutation) => Promise<{ readonly result: ToolResult; readonly reachedHandler: boolean }>;

export interface EnvelopeCall {
  readonly envelope: Envelope;
  readonly definition: ToolDefinition;
  readonly recorder: SessionView | null;
  readonly principal: Principal;
}

/** What of an envelope happened before its tool. */
export interface BeforeTool {
  readonly ack: AcceptedAck | null;
  readonly plan: ControlPlan | null;
  readonly control: PhaseReport | null;
}

/**
 * Step 5: what an envelope asks for before its tool runs (spec 02 §E2). Everything is
 * admitted before anything is done; then the recorder's acknowledgements are taken, which
 * gate nothing, a message is resolved, and a control mutation runs. Any refusal here proves
 * that the tool was not started.
 */
export async function applyEnvelopeBefore(
  { board, registry, runNested }: { readonly board: Collaboration['board']; readonly registry: Registry; readonly runNested: RunNested },
  { envelope, definition, recorder, principal }: EnvelopeCall,
): Promise<BeforeTool> {
  if (definition.visibility === 'model_hidden' && Object.keys(envelope).some((key) => key !== 'record')) {
    refuseCall(
      envelopeRejection('wc_field_not_supported_for_tool', `${definition.name} takes no _wc beyond its recorder`),
    );
  }
  if (envelope.resolve !== undefined && envelope.control?.before !== undefined) {
    refuseCall(
      failure('multiple_before_mutations', 'one mutation at most comes before a tool: resolve or control.before', {
        state_changed: false,
      }),
    );
  }
  const plan = envelope.control === undefined ? null : planControl(envelope.control, definition, registry, principal);
  if (plan !== null && 'failure' in plan) return refuseCall(plan.failure);
  if (envelope.resolve !== undefined) admitResolve(recorder, principal);

  const ack = recorder === null || !asksForAck(envelope) ? null : await board.acknowledge(recorder, ackEvidence(envelope));
  if (envelope.resolve !== undefined && recorder !== null) {
    const { message_id: messageId, resolution: text } = envelope.resolve;
    const refusal = await board.resolve(recorder, { messageId, text }, ack?.accepted ?? []);
    if (refusal !== null) refuseCall(refusal);
  }
  const mutation = plan?.before ?? null;
  return { ack, plan, control: mutation === null ? null : await runBefore(mutation, runNested) };
}

/** Whether a request brings any evidence of what its caller has seen; an empty list is some. */
export function asksForAck({ ack, ack_ref: ref }: Envelope): boolean {
  return ack !== undefined || ref !== undefined;
}

export function ackEvidence({ ack, ack_ref: ref }: Envelope): { readonly ids: readonly string[]; readonly ref: string | null } {
  return { ids: ack ?? [], ref: ref ?? null };
}

async function runBefore(mutation: ControlMutation, runNested: RunNested): Promise<PhaseReport> {
  const { result, reachedHandler } = await runNested(mutation);
  const report = phaseReport(mutation.kind, result, reachedHandler);
  if (report.success) return report;
  return refuseCall(
    failure('control_before_failed', `${mutation.kind} did not succeed, so that the tool was not started`, {
      state_changed: report.state_changed,
      control: { main: { success: false, execution_state: 'definitely_not_started', state_changed: false }, before: report },
    }),
  );
}

function admitResolve(recorder: SessionView | null, principal: Principal): void {
  if (recorder === null) {
    return refuseCall(
      failure('invalid_arguments', '_wc.resolve needs _wc.record: it speaks of a message of that Session', {
        state_changed: false,
      }),
    );
  }
  if (!principal.scopes.has('session:collaborate') && !principal.scopes.has('admin')) {
    return refuseCall(
      failure('insufficient_scope', 'this credential lacks the scope session:collaborate, which _wc.resolve needs', {
        missing_scope: 'session:collaborate',
        state_changed: false,
      }),
    );
  }
}
