import { z } from 'zod';
import { openMessages } from '../evidence/board-view.js';
import type { HandoffFacts } from './handoff-facts.js';

/** What waits for somebody, counted; null where nobody could count (spec 06 §8). */
export type Attention = {
  readonly workspace_conflict: boolean | null;
  readonly active_jobs: number | null;
  readonly blocking_jobs: number | null;
  readonly terminal_pending_jobs: number | null;
  readonly recovering_jobs: number | null;
  readonly open_guidance: number | null;
  readonly open_risks: number | null;
  readonly open_questions: number | null;
  readonly open_todos: number | null;
};

const count = z.int().nullable();

export const attentionSchema = z.strictObject({
  workspace_conflict: z.boolean().nullable(),
  active_jobs: count,
  blocking_jobs: count,
  terminal_pending_jobs: count,
  recovering_jobs: count,
  open_guidance: count,
  open_risks: count,
  open_questions: count,
  open_todos: count,
});

export function attention({ workspace, jobs, board }: HandoffFacts): Attention {
  const git = workspace.status === 'available' && workspace.git.is_repository ? workspace.git : null;
  const counted = jobs.status === 'available' ? jobs : null;
  const open = board === null ? null : openMessages(board);
  return {
    workspace_conflict: git?.conflicted ?? null,
    active_jobs: counted?.activeCount ?? null,
    blocking_jobs: counted?.blockingCount ?? null,
    terminal_pending_jobs: counted?.terminalPendingCount ?? null,
    recovering_jobs: counted?.recoveringCount ?? null,
    open_guidance: open?.guidance ?? null,
    open_risks: open?.risks ?? null,
    open_questions: open?.questions ?? null,
    open_todos: open?.todos ?? null,
  };
}
