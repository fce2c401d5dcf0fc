import { z } from 'zod';
import { taskContextSchema, type TaskContext } from '../task-context/task-context.js';
import { attentionSchema, type Attention } from './attention.js';
import { basisSchema, type Basis } from './basis.js';
import { boundedListSchema, type BoundedList } from './bounded-list.js';
import { briefTaskSchema, type BriefTask } from './brief-task.js';
import { briefValidationSchema, type BriefValidation } from './brief-validation.js';
import { briefWorkspaceSchema, type BriefWorkspace } from './brief-workspace.js';
import { externalSectionSchema, type ExternalSection } from './external-section.js';
import { PROGRESS_STATES, type ProgressState } from './progress-state.js';

/** `handoff_brief` version 1 (spec 06 §8): one page about a task, at most 8,192 bytes of JSON. */
export type HandoffBrief = {
  readonly version: 1;
  readonly deterministic: true;
  readonly llm_summary: false;
  readonly session: {
    readonly session_id: string;
    readonly lifecycle: 'active' | 'closed';
    readonly mode: 'normal' | 'read_only';
  };
  readonly task: BriefTask;
  readonly workspace: BriefWorkspace;
  readonly progress: BriefProgress;
  readonly validation: BriefValidation;
  readonly external_observations: ExternalSection;
  readonly task_context: TaskContext;
  readonly attention: Attention;
  readonly next_actions: BoundedList<string>;
  readonly basis: Basis;
};

/** What the latest attempt did; null where the tail could not be projected. */
export type BriefProgress = {
  readonly state: ProgressState;
  readonly meaningful_tool_calls: number | null;
  readonly changes: BoundedList<string>;
  readonly recent_files: BoundedList<string>;
};

export const handoffBriefSchema = z.strictObject({
  version: z.literal(1),
  deterministic: z.literal(true),
  llm_summary: z.literal(false),
  session: z.strictObject({
    session_id: z.string(),
    lifecycle: z.enum(['active', 'closed']),
    mode: z.enum(['normal', 'read_only']),
  }),
  task: briefTaskSchema,
  workspace: briefWorkspaceSchema,
  progress: z.strictObject({
    state: z.enum(PROGRESS_STATES),
    meaningful_tool_calls: z.int().nullable(),
    changes: boundedListSchema(z.string()),
    recent_files: boundedListSchema(z.string()),
  }),
  validation: briefValidationSchema,
  external_observations: externalSectionSchema,
  task_context: taskContextSchema,
  attention: attentionSchema,
  next_actions: boundedListSchema(z.string()),
  basis: basisSchema,
});
