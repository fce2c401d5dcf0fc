import type { ToolFacts } from '../../protocol/tool-definition.js';

/**
 * The facts that every tool which only looks has in common. A definition spreads them
 * first, so that what follows is what sets this very tool apart.
 */
export const OBSERVING_TOOL = {
  visibility: 'model_visible',
  effect: 'observe',
  risk: 'read_only',
  approval: 'none',
  idempotency: 'pure_read',
  path_hint: 'none',
  destructive: false,
  shell_like: false,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
} as const satisfies Partial<ToolFacts>;
