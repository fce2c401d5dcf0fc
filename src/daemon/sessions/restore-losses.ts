import type { SessionId } from '../../protocol/ids.js';
import { decodeEvent, type EventBody } from './event-body.js';
import { restoreEvents, restoreSession, RowRefused, sessionRowOf, type RestoreLimits, type RestoreNote } from './ledger-document/index.js';
import type { LedgerSession } from './ledger-rows.js';
import { UnreadableRowError } from './session-head.js';

/** What a restore would drop or change of rows as they are: its rules, asked without restoring. */
export interface RestoreLosses {
  /** Of a Session, its events aside. */
  readonly session: (session: LedgerSession) => readonly string[];
  /**
   * Of one event.
   *
   * @throws UnreadableRowError when it would cost its Session
   */
  readonly event: (sessionId: SessionId, row: EventBody) => readonly string[];
}

export function restoreLosses(limits: RestoreLimits): RestoreLosses {
  return {
    session: (session) => restoreSession(sessionRowOf(session), limits).notes.map(lossText),
    event: (sessionId, row) => {
      try {
        return restoreEvents([decodeEvent(sessionId, row)], sessionId, 1).notes.map(({ reason }) => reason);
      } catch (error) {
        if (error instanceof RowRefused) throw new UnreadableRowError(`event of ${sessionId}`, error);
        throw error;
      }
    },
  };
}

function lossText({ reason, at }: RestoreNote): string {
  return at === '' ? reason : `${reason} at ${at}`;
}
