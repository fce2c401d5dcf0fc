import type { GitObservation } from '../../../protocol/runner/git.js';
import type { BoardSnapshot, SessionSnapshot } from '../../sessions/index.js';
import type { JobAggregate } from '../evidence/job-aggregate.js';
import type { TaskHistory } from '../evidence/task-history.js';
import type { CapturedReports } from './external-section.js';

/** What was seen of the work tree for a handoff, or why it was not. */
export type WorkspaceLook =
  | { readonly status: 'available'; readonly git: GitObservation }
  | { readonly status: 'not_requested' }
  | { readonly status: 'unavailable'; readonly reasonCode: string };

/** Whether validation was asked for, and whether the ends of all Jobs are in the ledger. */
export type ValidationLook =
  | { readonly status: 'read' }
  | { readonly status: 'not_requested' }
  | { readonly status: 'unavailable'; readonly reasonCode: string };

/** All that a handoff is made of, captured before anything is judged. */
export interface HandoffFacts {
  readonly snapshot: SessionSnapshot;
  /** Null when the tail could not be projected. */
  readonly history: TaskHistory | null;
  /** Null when the board cannot be read. */
  readonly board: BoardSnapshot | null;
  readonly workspace: WorkspaceLook;
  readonly jobs: JobAggregate;
  readonly validation: ValidationLook;
  readonly reports: CapturedReports;
  /** What changed while the facts were gathered (spec 06 §10). */
  readonly raced: Raced;
}

export interface Raced {
  readonly session: boolean;
  readonly reports: boolean;
}
