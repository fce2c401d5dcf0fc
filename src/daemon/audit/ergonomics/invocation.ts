import { CONTEXT_MATERIALS } from '../../../protocol/envelope.js';
import type { EnvelopeShape } from '../../kernel/ports.js';
import { closedLabel, saturatedCount } from './closed-values.js';

const CONTROL_BEFORE = ['goal_progress', 'wake_consume', 'attempt_heartbeat', 'session_context_update'] as const;
const CONTROL_AFTER_SUCCESS = ['todo_completion', 'goal_completion', 'session_close'] as const;

const KNOWN_CONTEXT: ReadonlySet<string> = new Set(CONTEXT_MATERIALS);

/**
 * How a call used the `_wc` envelope: which keys stood there (an empty list is there too),
 * how many, and the closed kinds. Presence proves no authorization (spec 05 §6).
 */
export function invocation({ present, ackCount, contextKeys, controlBefore, controlAfterSuccess }: EnvelopeShape): Record<string, unknown> {
  const unknown = contextKeys.filter((key) => !KNOWN_CONTEXT.has(key)).length;
  return {
    record_present: present['record'] === true,
    ack_present: present['ack'] === true,
    ack_ref_present: present['ack_ref'] === true,
    reply_present: present['reply'] === true,
    resolve_present: present['resolve'] === true,
    context_present: present['context'] === true,
    control_present: present['control'] === true,
    ack_count: saturatedCount(ackCount),
    context_requested_count: saturatedCount(contextKeys.length),
    context_unknown_count: saturatedCount(unknown),
    context_known: knownContext(contextKeys),
    control_before: closedLabel(controlBefore, CONTROL_BEFORE),
    control_after_success: closedLabel(controlAfterSuccess, CONTROL_AFTER_SUCCESS),
  };
}

/** Which of the seven materials were asked for; all seven always stand there. */
function knownContext(asked: readonly string[]): Record<string, boolean> {
  const known: Record<string, boolean> = {};
  for (const key of CONTEXT_MATERIALS) known[key] = asked.includes(key);
  return known;
}
