import type { ToolFacts } from '../../protocol/tool-definition.js';

/** What every tool that changes which folders are projects has in common; a definition spreads it first. */
export const REGISTERING_TOOL = {
  category: 'project',
  visibility: 'model_visible',
  effect: 'mutate',
  risk: 'workflow_manage',
  approval: 'standard',
  idempotency: 'non_idempotent',
  scopes: { kind: 'all', scopes: ['project:write'] },
  session: 'none',
  project: 'none',
  path_hint: 'none',
  destructive: false,
  shell_like: false,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
  session_evidence: 'none',
} as const satisfies Partial<ToolFacts>;
