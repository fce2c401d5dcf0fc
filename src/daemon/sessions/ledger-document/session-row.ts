import { z } from 'zod';
import type { AuthorityFingerprint, ProjectId, SessionId } from '../../../protocol/ids.js';
import { parseProjectId, SESSION_ID_PATTERN } from '../../../protocol/ids.js';
import type { SessionExecutionContext, SessionGuards } from '../../kernel/ports.js';
import type { SessionEvent } from '../event-row.js';
import type { SessionMode } from '../mode-guards.js';
import type { MessageRow } from './message-row.js';

/** A keyed post that may be replayed: what was posted under the key, and the message that it became. */
export interface DeliveryReplay {
  readonly payload_fingerprint: string;
  readonly message_id: string;
}

/**
 * One Session as the version-2 document holds it, judged and restored (spec 01 §4). The
 * document's names are kept, so that a row and its documentation read alike.
 */
export interface SessionRow {
  readonly session_id: SessionId;
  readonly owner_authority_fingerprint: AuthorityFingerprint;
  readonly project: ProjectId | null;
  readonly title: string | null;
  readonly mode: SessionMode;
  readonly guards: SessionGuards;
  readonly execution_context: SessionExecutionContext;
  readonly lifecycle: 'active' | 'closed';
  /** Unix seconds. */
  readonly created_at: number;
  readonly updated_at: number;
  /** The retained tail; as many as `events_observed` says were ever appended. */
  readonly events: readonly SessionEvent[];
  readonly events_observed: number;
  readonly messages: readonly MessageRow[];
  /** One more with each observable change of the board. */
  readonly message_observation_revision: number;
  /** The highest revision that a removed message had. */
  readonly message_observation_floor: number;
  /** The latest revision of each retained message, by its id. */
  readonly message_observation_revisions: Readonly<Record<string, number>>;
  /** Of a retained todo that lost direct replies: the highest revision that one of these had. */
  readonly assignment_history_floors: Readonly<Record<string, number>>;
  readonly assignment_history_tracking_complete: boolean;
  /** Of a completed todo: the digest of the fence that its completion was accepted under. */
  readonly completion_assignment_fence_fingerprints: Readonly<Record<string, string>>;
  readonly completion_assignment_fence_tracking_complete: boolean;
  /** By `<session>:<key>`, each a SHA-256. */
  readonly message_delivery_replays: Readonly<Record<string, DeliveryReplay>>;
  /** Jobs whose terminal event was written already, the oldest first. */
  readonly materialized_validation_job_ids: readonly string[];
  readonly git_baseline_tree: string | null;
  readonly repository_edit_observed: boolean;
}

const count = z.int().nonnegative();
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
  created_at: count,
  updated_at: count,
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
