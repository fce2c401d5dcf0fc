import { z } from 'zod';
import { parseProjectId, SESSION_ID_PATTERN } from '../../../protocol/ids.js';
import { RESTORED_COUNT_MAX, SECONDS_MAX } from '../limits.js';

const seconds = z.int().nonnegative().max(SECONDS_MAX);
const count = z.int().nonnegative().max(RESTORED_COUNT_MAX);
const counts = z.record(z.string(), count);

/**
 * The shape of a Session row: closed, its elements judged one by one afterwards. Members
 * whose values have rules of their own are wider here than what is restored of them.
 */
export const sessionRowShape = z.strictObject({
  session_id: z.string().regex(SESSION_ID_PATTERN),
  owner_authority_fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  project: z
    .string()
    .refine((text) => parseProjectId(text) !== null, 'is no project id')
    .nullable(),
  title: z.string().nullable(),
  mode: z.enum(['normal', 'read_only']),
  guards: z.strictObject({ deny_write_tools: z.boolean(), deny_shell_tools: z.boolean() }),
  execution_context: z.strictObject({
    default_cwd: z.unknown().optional(),
    default_shell: z.unknown().optional(),
    resource: z.unknown().optional(),
  }),
  lifecycle: z.enum(['active', 'closed']),
  created_at: seconds,
  updated_at: seconds,
  events: z.array(z.unknown()),
  events_observed: count,
  messages: z.array(z.unknown()),
  message_observation_revision: count,
  message_observation_floor: count,
  message_observation_revisions: counts,
  assignment_history_floors: counts,
  assignment_history_tracking_complete: z.boolean(),
  completion_assignment_fence_fingerprints: z.record(z.string(), z.string()),
  completion_assignment_fence_tracking_complete: z.boolean(),

  message_delivery_replays: z
    .record(z.string(), z.strictObject({ payload_fingerprint: z.string(), message_id: z.string() }))
    .default({}),
  materialized_validation_job_ids: z.array(z.string()).default([]),
  git_baseline_tree: z.string().nullable().default(null),
  repository_edit_observed: z.boolean().default(false),
  /** Retired: accepted, ignored, never written again. */
  context_revision: z.unknown().optional(),
});

/** A row of the right shape, before its values are judged. */
export type SessionRowShape = z.output<typeof sessionRowShape>;
