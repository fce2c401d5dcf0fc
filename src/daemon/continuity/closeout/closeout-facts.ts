import type { WorkspaceChanges } from '../../../protocol/runner/git.js';
import type { OutputReceipt } from '../../../protocol/runner/project.js';
import type { BoardSnapshot } from '../../sessions/index.js';
import type { JobAggregate } from '../evidence/job-aggregate.js';
import type { TaskHistory } from '../evidence/task-history.js';
import type { CapturedReports } from '../handoff/external-section.js';
import type { ValidationLook } from '../handoff/handoff-facts.js';
import type { HygieneCheck } from './hygiene.js';

/** What was seen of the work tree, or why it was not. */
export type WorkspaceCheck =
  | { readonly status: 'observed'; readonly changes: WorkspaceChanges }
  | { readonly status: 'not_requested' }
  /** The Session has no project, so there is nothing to look at. */
  | { readonly status: 'not_applicable' }
  | { readonly status: 'failed'; readonly reasonCode: string };

/** The declared outputs, or why their receipts could not be made. */
export type OutputCheck =
  | { readonly status: 'checked'; readonly receipts: readonly OutputReceipt[] }
  | { readonly status: 'failed'; readonly reasonCode: string; readonly paths: readonly string[] };

/** All that a closeout is judged by, captured before anything is judged. */
export interface CloseoutFacts {
  readonly history: TaskHistory;
  /** Null when the board cannot be read. */
  readonly board: BoardSnapshot | null;
  readonly validation: ValidationLook;
  readonly reports: CapturedReports;
  /** Whether reports came in while the facts were gathered. */
  readonly reportsChanged: boolean;
  readonly workspace: WorkspaceCheck;
  readonly hygiene: HygieneCheck;
  readonly jobs: JobAggregate;
  /** Null when no outputs were declared. */
  readonly outputs: OutputCheck | null;
}
