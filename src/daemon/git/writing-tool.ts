import type { ToolFacts } from '../../protocol/tool-definition.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { ResolvedProject } from '../kernel/call-context.js';
import type { HandlerOutcome } from '../kernel/tool.js';

/** The facts that every tool which changes a project's files or repository has in common. */
export const WRITING_TOOL = {
  visibility: 'model_visible',
  effect: 'mutate',
  risk: 'project_write',
  approval: 'standard',
  idempotency: 'non_idempotent',
  session: 'records',
  project: 'required',
  path_hint: 'path_list',
  destructive: false,
  shell_like: false,
  captures_validation_output: false,
  git_like: true,
  change_summary_like: false,
  session_evidence: 'business_pair',
} as const satisfies Partial<ToolFacts>;

/** The refusal for a project that was registered as one that nobody writes to, or null. */
export function refusedByRegistration(project: ResolvedProject): Failure | null {
  if (project.allowPatch) return null;
  return failure('policy_rejected', 'This project is registered without edits (allow_patch is false).', {
    reason_code: 'edits_not_allowed',
    state_changed: false,
  });
}

/** A failed write with its effect as evidence: nothing changed unless the failure says otherwise. */
export function writeFailed(result: Failure): HandlerOutcome {
  const { state_changed: said, error_kind: kind } = result.output;
  const isLost = kind === 'outcome_unknown';
  const stateChanged = typeof said === 'boolean' || said === null ? said : isLost ? null : false;
  return {
    result: { ...result, output: { ...result.output, state_changed: stateChanged } },
    facts: {
      effect: { stateChanged, executionState: stateChanged === null ? 'outcome_unknown' : stateChanged ? 'completed' : 'not_started' },
    },
  };
}
