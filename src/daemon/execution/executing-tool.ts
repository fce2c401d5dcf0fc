import type { ToolFacts } from '../../protocol/tool-definition.js';
import { executionOutput } from './execution-output.js';

/** What every tool that runs a program on a project has in common; a definition spreads it first. */
export const EXECUTING_TOOL = {
  category: 'execution',
  visibility: 'model_visible',
  effect: 'execute',
  risk: 'job_run',
  approval: 'standard',
  idempotency: 'non_idempotent',
  scopes: { kind: 'all', scopes: ['job:run'] },
  session: 'records',
  project: 'required',
  path_hint: 'none',
  destructive: false,
  shell_like: true,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
  session_evidence: 'business_pair',
  output: executionOutput,
} as const satisfies Partial<ToolFacts> & { readonly output: unknown };
