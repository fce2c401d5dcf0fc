import { CONTEXT_MATERIALS, ENVELOPE_KEYS } from '../../../protocol/envelope.js';
import type { EnvelopeShape } from '../../kernel/ports.js';
import { closedLabel, saturatedCount } from './closed-values.js';

const CONTROL_BEFORE = ['goal_progress', 'wake_consume', 'attempt_heartbeat', 'session_context_update'] as const;
const CONTROL_AFTER_SUCCESS = ['todo_completion', 'goal_completion', 'session_close'] as const;

/**
 * How a call used the `_wc` envelope: which keys stood there (an empty list is there too),
 * how many, and the closed kinds. Presence proves no authorization (spec 05 §6).
 */
export function invocation(shape: EnvelopeShape): Record<string, unknown> {
  const asked = new Set(shape.contextKeys);
  const known: readonly string[] = CONTEXT_MATERIALS;
  return {
    ...Object.fromEntries(ENVELOPE_KEYS.map((key) => [`${key}_present`, shape.present[key] === true])),
    ack_count: saturatedCount(shape.ackCount),
    context_requested_count: saturatedCount(shape.contextKeys.length),
    context_unknown_count: saturatedCount(shape.contextKeys.filter((key) => !known.includes(key)).length),
    context_known: Object.fromEntries(CONTEXT_MATERIALS.map((key) => [key, asked.has(key)])),
    control_before: closedLabel(shape.controlBefore, CONTROL_BEFORE),
    control_after_success: closedLabel(shape.controlAfterSuccess, CONTROL_AFTER_SUCCESS),
  };
}
