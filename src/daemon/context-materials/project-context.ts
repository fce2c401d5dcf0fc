import { missingScope } from '../../protocol/scopes.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { MaterialCall } from '../kernel/collaboration-ports.js';
import type { Material, MaterialReason, MaterialSource } from './material.js';

/** All projections of one answer together. */
const PROJECTION_BYTES_MAX = 20 * 1024;

/**
 * The materials that a call asked for (spec 02 §E5), in its order. Whether it may see one is
 * decided before the provider is asked; what does not fit is shortened or left out. Nothing
 * of it is remembered, and nothing of it fails the call.
 *
 * @param first the material that keeps its room whatever the others need
 */
export async function projectContext(
  sources: readonly MaterialSource[],
  first: string,
  keys: readonly string[],
  call: MaterialCall,
): Promise<JsonObject> {
  const asked = await Promise.all(
    keys.map(async (key) => {
      const source = sources.find((one) => one.key === key) ?? null;
      return { key, source, material: source === null ? null : await provided(source, call) };
    }),
  );
  let bytesLeft = PROJECTION_BYTES_MAX;
  let truncated = false;
  const shown = new Map<string, JsonObject>();
  // Room is given out in another order than it is shown in.
  for (const { key, source, material } of [...asked].sort((one, other) => Number(other.key === first) - Number(one.key === first))) {
    if (source === null || material === null) {
      shown.set(key, { key, status: 'unsupported', reason_code: 'unsupported_context_material' });
    } else if ('reason' in material) {
      shown.set(key, unavailable(key, material.reason));
    } else {
      const fitting = fit(source, material.projection, bytesLeft);
      truncated ||= fitting !== material.projection;
      bytesLeft -= fitting === null ? 0 : bytesOf(fitting);
      shown.set(key, fitting === null ? unavailable(key, 'context_projection_budget_exceeded') : { key, status: 'available', projection: fitting });
    }
  }
  return { materials: keys.map((key) => shown.get(key) ?? { key }), truncated };
}

/** The gates in their order, and then the provider. */
async function provided(source: MaterialSource, call: MaterialCall): Promise<Material> {
  if (source.provide === null) return { reason: 'context_material_surface_unavailable' };
  if (source.needsProject && call.project === null) return { reason: 'project_target_unavailable' };
  const missing = missingScope({ kind: 'all', scopes: source.scopes }, call.principal.scopes);
  if (missing !== null) return { reason: source.scopeReasons?.[missing] ?? 'context_material_scope_unavailable' };
  return source.provide(call);
}

function fit({ shorten }: MaterialSource, projection: JsonObject, bytes: number): JsonObject | null {
  if (bytesOf(projection) <= bytes) return projection;
  const shorter = shorten?.(projection, bytes) ?? null;
  return shorter !== null && bytesOf(shorter) <= bytes ? shorter : null;
}

function unavailable(key: string, reason: MaterialReason): JsonObject {
  return { key, status: 'unavailable', reason_code: reason };
}

function bytesOf(projection: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(projection));
}
