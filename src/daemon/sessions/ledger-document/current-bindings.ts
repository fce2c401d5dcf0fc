import { SESSION_ID_PATTERN } from '../../../protocol/ids.js';
import { z } from 'zod';

/** How many bindings are looked at; others are in excess. */
const MAX_BINDINGS = 256;

const binding = z.strictObject({
  binding_key_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  session_id: z.string().regex(SESSION_ID_PATTERN),
  updated_at: z.int().nonnegative(),
});

/** How many bindings a document had, and what became of them. No key is ever shown. */
export interface BindingCounts {
  readonly durable_binding_count: number;
  readonly restored_binding_count: number;
  readonly discarded_binding_count: number;
}

/**
 * The residue of an older form (spec 01 §10): accepted, counted, and used for nothing, so
 * that nothing selects a Session but its own name. Malformed, duplicate and excess entries
 * are discarded, and so are those of Sessions that are not Active.
 */
export function countBindings(raw: unknown, isActive: (sessionId: string) => boolean): BindingCounts {
  const entries: readonly unknown[] = Array.isArray(raw) ? raw : [];
  const keys = new Set<string>();
  for (const entry of entries.slice(0, MAX_BINDINGS)) {
    const parsed = binding.safeParse(entry);
    if (parsed.success && isActive(parsed.data.session_id)) keys.add(parsed.data.binding_key_sha256);
  }
  return {
    durable_binding_count: entries.length,
    restored_binding_count: keys.size,
    discarded_binding_count: entries.length - keys.size,
  };
}
