import { z } from 'zod';
import type { ToolFacts } from '../../protocol/tool-definition.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import { WRITING_TOOL } from '../git/index.js';

/** The facts that every tool which makes, restores or deletes a checkpoint has in common. */
export const CHECKPOINT_TOOL = {
  ...WRITING_TOOL,
  category: 'checkpoint',
  path_hint: 'none',
} as const satisfies Partial<ToolFacts>;

/** A checkpoint as an input: its form is the domain's own business (spec 00, decision 59). */
export const checkpointIdInput = z.string().min(1).max(64).meta({ description: 'wc_ckpt_…, from list_workspace_checkpoints' });

/** What must be said before something cannot be taken back. */
export const confirmInput = z.boolean().default(false).meta({ description: 'Must be true' });

/** The refusal of a call that did not confirm. */
export function unconfirmed(what: string): Failure {
  return failure('confirm_required', `${what}; say confirm: true.`, { state_changed: false });
}
