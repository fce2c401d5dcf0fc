import { CONTEXT_MATERIALS, type Envelope } from '../../protocol/envelope.js';
import type { JsonObject } from '../../protocol/tool-result.js';

const MATERIALS: ReadonlySet<string> = new Set(CONTEXT_MATERIALS);

/**
 * Step 14: what an envelope adds to an answer (spec 02 §E). It never changes the tool's
 * own truth. No provider of context materials is part of this version, and every asked
 * material says so; an unknown key is `unsupported`.
 */
export function envelopeAfter(envelope: Envelope): JsonObject {
  return {
    ...(envelope.context === undefined
      ? {}
      : {
          context_projection: {
            materials: envelope.context.map((key) =>
              MATERIALS.has(key)
                ? { key, status: 'unavailable', reason_code: 'context_material_surface_unavailable' }
                : { key, status: 'unsupported', reason_code: 'unsupported_context_material' },
            ),
            truncated: false,
          },
        }),
    ...(envelope.reply === undefined
      ? {}
      : { window_reply: { success: false, state_changed: false, failure_kind: 'unavailable' } }),
  };
}
