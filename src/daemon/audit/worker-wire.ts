import type { ReadName, ReadQuery } from './reads/index.js';
import type { RetentionBounds } from './retention.js';

/** What the daemon asks of the audit's worker thread. */
export type WorkerTask =
  | { readonly read: ReadName; readonly query: ReadQuery<ReadName> }
  | { readonly checkpoint: true }
  | { readonly retain: RetentionBounds };

export interface WorkerRequest {
  readonly id: number;
  readonly task: WorkerTask;
}

/** What went wrong: the store could not be opened, or the task failed on it. */
export interface WorkerFailure {
  readonly kind: 'unavailable' | 'failed';
  readonly message: string;
}

export type WorkerAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: WorkerFailure };
