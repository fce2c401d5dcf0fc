import type { SessionEvent } from './event-row.js';

/** A retained Job that ended, as the Session that asked for it should remember it. */
export interface TerminalValidation {
  readonly jobId: string;
  /** Unix seconds; without it nothing is appended. */
  readonly finishedAt: number | null;
  /** What the event says: facts and bounded, redacted text; no raw output, no command. */
  readonly facts: Pick<SessionEvent, 'tool_name' | 'risk_class' | 'status'> &
    Partial<Omit<SessionEvent, 'event_id' | 'session_id' | 'kind' | 'timestamp' | 'job_id' | 'finished_at' | 'call_id'>>;
}

export interface TerminalValidations {
  /** Terminal Jobs of exactly this Session and project; more than 64 reject all. */
  readonly candidates: readonly TerminalValidation[];
  /** Every Job that the same snapshot retains: the marker of any other may make room. */
  readonly present: ReadonlySet<string>;
}

/** What became of each candidate, in their order. */
export type TerminalValidationOutcome =
  | {
      readonly appended: readonly string[];
      /** Remembered before. */
      readonly marked: readonly string[];
      /** All markers belong to Jobs that are still retained. */
      readonly withoutRoom: readonly string[];
      /** Without an end time. */
      readonly withoutTime: readonly string[];
    }
  /** `too_many`: more than 64 candidates; `unknown_session`: not retained, or of another project. */
  | { readonly rejected: 'too_many' | 'unknown_session' };
