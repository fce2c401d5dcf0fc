import type { JsonObject } from '../../protocol/tool-result.js';
import type { SessionMessage } from '../sessions/index.js';

/** A message as answers show it: the row of the ledger, whose absent members are left out. */
export function messageView(message: SessionMessage): JsonObject {
  const shown: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(message)) if (value !== undefined) shown[name] = value;
  return shown;
}
