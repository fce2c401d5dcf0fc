import { missingScope } from '../../protocol/scopes.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import { failure } from '../../protocol/tool-result.js';
import { refuseCall } from './call-refused.js';
import type { Principal } from './principal.js';

/** Step 6: the scopes of the tool. The answer names the first missing one and nothing of the target. */
export function checkScopes(definition: ToolDefinition, principal: Principal): void {
  const missing = missingScope(definition.scopes, principal.scopes);
  if (missing === null) return;
  refuseCall(
    failure('insufficient_scope', `this credential lacks the scope ${missing}, which ${definition.name} needs`, {
      missing_scope: missing,
      state_changed: false,
    }),
  );
}
