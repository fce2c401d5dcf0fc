import { z } from 'zod';
import type { ToolFacts } from '../../../protocol/tool-definition.js';

/*
 * Inputs and outputs that the board's tools share. Inputs check types alone: their bounds
 * are the domain's, which has an error kind for them (spec 00, decision 59).
 */

export const messageIdInput = z.string().meta({ description: 'A message of the board: wc_msg_…' });
export const kindInput = z
  .string()
  .meta({
    enum: ['note', 'proposal', 'question', 'answer', 'decision', 'risk', 'progress', 'guidance', 'todo'],
    description: 'What the message is',
  });
export const bodyInput = z.string().meta({ description: 'The text: 1 to 8,000 characters' });
export const tagsInput = z.array(z.string()).optional().meta({ description: 'Up to 16 of 64 characters each' });
export const priorityInput = z
  .string()
  .optional()
  .meta({ enum: ['low', 'normal', 'high'], description: 'How urgent it is; normal when left out' });
export const requiresAckInput = z
  .boolean()
  .optional()
  .meta({ description: 'Show it again on later calls until the receiver echoes its id' });
export const deliveryKeyInput = z
  .string()
  .optional()
  .meta({ description: 'A key of your own, 1 to 128 characters: the same post with it again is the same message' });

/** A message as every answer shows it: the row of the ledger. */
export const messageOutput = z.looseObject({
  message_id: z.string(),
  kind: z.string(),
  status: z.enum(['open', 'resolved']),
  priority: z.enum(['low', 'normal', 'high']),
  message: z.string(),
  tags: z.array(z.string()),
  reply_to: z.string().nullable(),
  created_at: z.int(),
});

/** What every tool that changes a board has in common. */
export const CHANGING_BOARD = {
  category: 'session',
  visibility: 'model_visible',
  effect: 'mutate',
  risk: 'session_collaborate',
  approval: 'none',
  idempotency: 'non_idempotent',
  scopes: { kind: 'all', scopes: ['session:collaborate'] },
  session: 'target',
  project: 'none',
  recorder_project: 'same',
  path_hint: 'none',
  destructive: false,
  shell_like: false,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
  session_evidence: 'none',
} as const satisfies Partial<ToolFacts>;

/** What every tool that reads a board has in common beyond all reading tools. */
export const READING_BOARD = {
  category: 'session',
  scopes: { kind: 'all', scopes: ['runtime:read'] },
  session: 'target',
  project: 'none',
  recorder_project: 'same',
  session_evidence: 'none',
} as const satisfies Partial<ToolFacts>;
