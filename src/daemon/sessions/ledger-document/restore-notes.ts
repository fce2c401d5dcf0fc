/** What a restore leaves out or changes, and why: a closed set, so that answers can be counted. */
export const RESTORE_REASONS = [
  /** The whole row is left out. */
  'malformed_session_row',
  'malformed_event',
  'malformed_message',
  'malformed_tombstone',
  'duplicate_session_id',
  'duplicate_tombstone',
  'session_is_live',
  /** One element is left out. */
  'foreign_session_id',
  'bad_event_id',
  'bad_message_id',
  'duplicate_message_id',
  'beyond_event_limit',
  'beyond_message_limit',
  /** One member is left out or made safe. */
  'bad_execution_context',
  'execution_context_without_project',
  'contradictory_observation',
  'contradictory_assignment_history',
  'contradictory_completion_fences',
  'message_lost',
  'malformed_completion_id',
  'malformed_delivery_replay',
  'beyond_job_marker_limit',
  'malformed_job_marker',
  'malformed_baseline_tree',
  'guards_rederived',
  'events_observed_too_low',
  'updated_before_created',
  'text_bounded_or_redacted',
] as const;
export type RestoreReason = (typeof RESTORE_REASONS)[number];

/** One thing that was left out or changed. Values are never quoted: they may be secrets. */
export interface RestoreNote {
  readonly reason: RestoreReason;
  /** Where in the row, as in `events[3].status`; empty for the row itself. */
  readonly at: string;
}

/** A row that was judged: restored, with what was left out of it, or left out as a whole. */
export type Restored<Row> =
  | { readonly row: Row; readonly notes: readonly RestoreNote[] }
  | { readonly row: null; readonly notes: readonly [RestoreNote] };

/** A whole row that breaks a rule which one of its parts cannot break alone. */
export class RowRefused extends Error {
  constructor(readonly note: RestoreNote) {
    super(`${note.reason} at ${note.at}`);
    this.name = 'RowRefused';
  }
}

/** The place that a schema objects to, without the value that stands there. */
export function placeOf(path: readonly PropertyKey[], inside = ''): string {
  return path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? String(step) : `${place}.${String(step)}`;
  }, inside);
}
