import type { JobId } from '../../protocol/ids.js';
import type { EvidenceFacts } from '../kernel/evidence-facts.js';
import type { SessionEvent } from './event-row.js';

/** A retained Job that ended, as the Session that asked for it should remember it. */
export interface TerminalValidation {
  readonly jobId: JobId;
  /** Unix seconds; without it nothing is appended. */
  readonly finishedAt: number | null;
  /** What was run, and how it ended; members of the event as they are to stand in it. */
  readonly run: Pick<SessionEvent, 'tool_name' | 'risk_class' | 'status'> &
    Partial<
      Pick<
        SessionEvent,
        | 'transport'
        | 'read_like'
        | 'write_like'
        | 'shell_like'
        | 'git_like'
        | 'started_at'
        | 'duration_ms'
        | 'error_kind'
        | 'input_summary'
      >
    >;
  /** As a handler would give them for the same run; bounded and redacted here. `jobId` is the one above. */
  readonly evidence: EvidenceFacts;
}

export interface TerminalValidations {
  /** Terminal Jobs of exactly this Session and project; more than 64 reject all. */
  readonly candidates: readonly TerminalValidation[];
  /** Every Job that the same snapshot retains: the marker of any other may make room. */
  readonly present: ReadonlySet<JobId>;
}

/** What became of each candidate, in their order. */
export type TerminalValidationOutcome =
  | {
      readonly appended: readonly JobId[];
      /** Remembered before. */
      readonly marked: readonly JobId[];
      /** All markers belong to Jobs that are still retained. */
      readonly withoutRoom: readonly JobId[];
      /** Without an end time. */
      readonly withoutTime: readonly JobId[];
    }
  /** `too_many`: more than 64 candidates; `unknown_session`: not retained, or of another project. */
  | { readonly rejected: 'too_many' | 'unknown_session' };
