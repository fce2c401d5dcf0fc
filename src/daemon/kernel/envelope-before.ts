import type { Envelope } from '../../protocol/envelope.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import { failure } from '../../protocol/tool-result.js';
import { refuseCall } from './call-refused.js';
import type { SessionView } from './ports.js';
import type { Principal } from './principal.js';
import { envelopeRejection } from './take-off-envelope.js';

/**
 * Step 5: what an envelope asks for before its tool runs (spec 02 §E2). Any refusal here
 * proves that the tool was not started.
 *
 * The message board and the control domains are not part of this version: an ACK names
 * no message that is held and is ignored, as a foreign one always is; a message to
 * resolve is unknown; a control mutation is not admitted.
 */
export function applyEnvelopeBefore(
  envelope: Envelope,
  definition: ToolDefinition,
  recorder: SessionView | null,
  principal: Principal,
): void {
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
  if (envelope.control?.before !== undefined || envelope.control?.after_success !== undefined) {
    refuseCall(
      failure('control_sidecar_not_admitted', 'this daemon has no domain that _wc.control could change', {
        state_changed: false,
      }),
    );
  }
  if (envelope.resolve !== undefined) refuseResolve(recorder, principal);
}

function refuseResolve(recorder: SessionView | null, principal: Principal): never {
  if (recorder === null) {
    return refuseCall(
      failure('invalid_arguments', '_wc.resolve needs _wc.record: it speaks of a message of that Session', {
        state_changed: false,
      }),
    );
  }
  if (!principal.scopes.has('session:collaborate')) {
    return refuseCall(
      failure('insufficient_scope', 'this credential lacks the scope session:collaborate, which _wc.resolve needs', {
        missing_scope: 'session:collaborate',
        state_changed: false,
      }),
    );
  }
  if (recorder.lifecycle === 'closed') {
    return refuseCall(failure('session_closed', 'the messages of a closed Session stay as they are', { state_changed: false }));
  }
  return refuseCall(
    failure('unknown_message_id', 'that Session holds no such message', { state_changed: false }),
  );
}
