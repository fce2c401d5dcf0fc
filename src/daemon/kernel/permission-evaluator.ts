import { permissionRisk, isShellLike, type ToolDefinition } from '../../protocol/tool-definition.js';
import { failure } from '../../protocol/tool-result.js';
import type { PermissionRequestId, ProjectId } from '../../protocol/ids.js';
import { refuseCall } from './call-refused.js';
import type { PermissionDecision } from './ports.js';

/** How much the machine's owner lets tools do without asking (`WC_AUTHORITY_MODE`). */
export type AuthorityMode =
  | { readonly mode: 'trusted_agent'; readonly source: 'default' | 'environment' }
  | { readonly mode: 'restricted'; readonly source: 'environment' }
  | { readonly mode: 'invalid'; readonly source: 'environment'; readonly value: string };

/** The mode that the environment asks for; an unknown word denies everything that needs a decision. */
export function parseAuthorityMode(value: string | undefined): AuthorityMode {
  const text = value?.trim() ?? '';
  if (text === '') return { mode: 'trusted_agent', source: 'default' };
  if (text === 'trusted_agent' || text === 'restricted') return { mode: text, source: 'environment' };
  return { mode: 'invalid', source: 'environment', value: text.slice(0, 64) };
}

/**
 * The permission evaluator (spec 04 §5): one decision for a call that needs one, null for
 * a tool whose definition asks for none.
 */
export function evaluatePermission(
  mode: AuthorityMode,
  definition: ToolDefinition,
  project: ProjectId | null,
  requestId: PermissionRequestId,
): PermissionDecision | null {
  if (definition.approval !== 'standard') return null;
  return {
    required: true,
    policy: mode.mode,
    request_id: requestId,
    status: mode.mode === 'trusted_agent' ? 'auto_approved' : 'denied',
    reason: reasonOf(mode),
    risk: permissionRisk(definition),
    tool_name: definition.name,
    project,
  };
}

function reasonOf(mode: AuthorityMode): string {
  switch (mode.mode) {
    case 'trusted_agent':
      return 'trusted_agent_authority';
    case 'restricted':
      return 'restricted_requires_human_authorization';
    case 'invalid':
      return `invalid_authority_mode:${mode.value}`;
  }
}

/** Step 11: only an approved decision goes on. */
export function enforcePermission(definition: ToolDefinition, decision: PermissionDecision | null): void {
  if (decision === null || decision.status === 'auto_approved' || decision.status === 'approved') return;
  refuseCall(
    failure('permission_denied', `${definition.name} is denied: ${whyDenied(decision)}`, {
      permission: { ...decision },
      state_changed: false,
      ...(isShellLike(definition) ? { command_started: false, execution_state: 'not_started' } : {}),
    }),
  );
}

/** The reason in words for whoever set the mode; the decision holds it for programs. */
function whyDenied({ policy, reason }: PermissionDecision): string {
  switch (policy) {
    case 'restricted':
      return 'the daemon runs with WC_AUTHORITY_MODE=restricted; its owner can stop it and start it without that';
    case 'invalid':
      return "the daemon's WC_AUTHORITY_MODE is no mode, which denies all that needs a decision; its owner can stop it and start it with trusted_agent or restricted";
    default:
      return reason;
  }
}
