import type { EventId, ProjectId, SessionId } from '../../protocol/ids.js';
import { outcomeFacts } from './call-events.js';
import { newEventId } from './event-ids.js';
import type { SessionEvent } from './event-row.js';
import type { Ledger } from './ledger.js';
import { lifeEvent } from './lifecycle-events.js';
import { TERMINAL_CANDIDATES_MAX } from './limits.js';
import type { SessionHead } from './session-head.js';
import type { TerminalValidation, TerminalValidationOutcome, TerminalValidations } from './terminal-validations.js';
import { planMarkers } from './validation-markers.js';
import type { ValidationMarkerStore } from './validation-marker-store.js';

export interface TerminalParts {
  readonly ledger: Ledger;
  readonly markers: ValidationMarkerStore;
  readonly randomBytes: (size: number) => Buffer;
}

/**
 * Appends what terminal Jobs say, each once, with its marker and in one commit (spec 06 §6).
 *
 * @throws CommitFailedError
 */
export async function recordTerminalValidations(
  { ledger, markers, randomBytes }: TerminalParts,
  sessionId: SessionId,
  project: ProjectId | null,
  validations: TerminalValidations,
): Promise<TerminalValidationOutcome> {
  if (validations.candidates.length > TERMINAL_CANDIDATES_MAX) return { rejected: 'too_many' };
  let recorded: TerminalValidationOutcome = { rejected: 'unknown_session' };
  await ledger.mutate<null>(sessionId, (session) => {
    recorded = { rejected: 'unknown_session' };
    if (session.project !== project) return { refused: null };
    const { append, dropMarkers, ...rest } = planMarkers(markers.jobs(session), validations);
    recorded = { ...rest, appended: append.map(({ jobId }) => jobId) };
    if (append.length === 0) return { refused: null };
    return {
      events: append.map((validation) => terminalEvent(session, validation, newEventId(randomBytes))),
      at: Math.max(...append.map(({ finishedAt }) => finishedAt ?? 0)),
      written: () => {
        for (const jobId of dropMarkers) markers.remove(session, jobId);
        for (const { jobId } of append) markers.add(session, jobId);
      },
    };
  });
  return recorded;
}

/** The one event of a terminal Job; it happened when the Job ended, whenever somebody looked. */
function terminalEvent(session: SessionHead, validation: TerminalValidation, eventId: EventId): SessionEvent {
  const { jobId, run, evidence } = validation;
  const finishedAt = validation.finishedAt ?? 0;
  const { transport = 'system', ...said } = run;
  return {
    ...lifeEvent({ eventId, session, now: finishedAt, transport }, 'validation_job_terminal', run.tool_name),
    ...said,
    finished_at: finishedAt,
    exit_code: evidence.exitCode ?? null,
    failure_kind: evidence.failureKind ?? null,
    job_id: jobId,
    ...outcomeFacts(evidence),
  };
}
