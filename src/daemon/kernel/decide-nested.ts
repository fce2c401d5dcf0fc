import type { PermissionRequestId } from '../../protocol/ids.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { CallContext } from './call-context.js';
import { CallRefused } from './call-refused.js';
import { checkScopes } from './check-scopes.js';
import { enforcePermission, evaluatePermission, type AuthorityMode } from './permission-evaluator.js';
import type { PermissionDecision } from './ports.js';
import type { Registry } from './registry.js';

/**
 * The scopes and the permission that another tool would need, for a call that does what
 * that tool does on its way: `work_on_project` registers exactly as `register_project`
 * may (spec 00, decision 64).
 */
export function decideNested(
  deps: {
    readonly registry: Registry;
    readonly authority: AuthorityMode;
    readonly newPermissionRequestId: () => PermissionRequestId;
  },
  toolName: string,
  call: CallContext,
): Failure | PermissionDecision | null {
  const tool = deps.registry.find(toolName);
  if (tool === null) throw new Error(`no tool is named ${toolName}`);
  try {
    checkScopes(tool.definition, call.principal);
    const decision = evaluatePermission(deps.authority, tool.definition, null, deps.newPermissionRequestId());
    enforcePermission(tool.definition, decision);
    return decision;
  } catch (error) {
    if (error instanceof CallRefused) return error.failure;
    throw error;
  }
}
