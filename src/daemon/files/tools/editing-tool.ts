/** What all tools that edit have in common (spec 04 §7.6). */
export const EDITING_TOOL = {
  category: 'edit',
  visibility: 'model_visible',
  effect: 'mutate',
  risk: 'project_write',
  approval: 'standard',
  idempotency: 'non_idempotent',
  scopes: { kind: 'all', scopes: ['project:write'] },
  session: 'records',
  project: 'required',
  destructive: false,
  shell_like: false,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
  session_evidence: 'business_pair',
} as const;
