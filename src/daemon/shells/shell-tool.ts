import { z } from 'zod';
import { SHELL_ID_PATTERN } from '../../protocol/runner/shells.js';
import type { ToolFacts } from '../../protocol/tool-definition.js';
import { projectSelector, sessionSelector } from '../kernel/tool.js';

/** What every tool of persistent shells has in common; a definition spreads it first. */
export const SHELL_TOOL = {
  category: 'execution',
  visibility: 'model_visible',
  scopes: { kind: 'all', scopes: ['job:run'] },
  session: 'target',
  project: 'required',
  path_hint: 'none',
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
} as const satisfies Partial<ToolFacts>;

/** The Session and the project that a shell is bound to. */
export const boundTo = { project: projectSelector, session_id: sessionSelector };

/** Any text passes: what is no id of a shell is no shell of the Session either. */
export const shellId = z
  .string()
  .min(1)
  .max(80)
  .meta({ pattern: SHELL_ID_PATTERN.source, description: 'The shell, as open_session_shell named it' });
