import type { SessionEvent } from '../../sessions/index.js';

/**
 * When each event of a tail ended, in Unix seconds, fit to be compared whatever the clock
 * did meanwhile. What was appended when it happened never ended before what stands in front
 * of it: a clock that was set back moves nothing. A Job's end has the Job's own time
 * (spec 06 §6), but lies between the Job's admission and whatever was appended after somebody
 * had looked at the end.
 *
 * @param admissions by Job id, the place in `events` of the call that became the Job
 */
export function endTimes(events: readonly SessionEvent[], admissions: ReadonlyMap<string, number>): readonly number[] {
  const times = appendTimes(events);
  let nextAppended = Number.POSITIVE_INFINITY;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event?.kind !== 'validation_job_terminal') {
      nextAppended = times[index] ?? nextAppended;
      continue;
    }
    const admission = admissions.get(event.job_id ?? '');
    const admitted = admission === undefined || admission > index ? 0 : (times[admission] ?? 0);
    times[index] = Math.min(Math.max(ownEnd(event), admitted), nextAppended);
  }
  return times;
}

/** The times of what was appended as it happened, never falling; those of Job ends are to be filled in. */
function appendTimes(events: readonly SessionEvent[]): number[] {
  let latest = 0;
  return events.map((event) => {
    if (event.kind !== 'validation_job_terminal') latest = Math.max(latest, ownEnd(event));
    return latest;
  });
}

function ownEnd(event: SessionEvent): number {
  return event.finished_at ?? event.timestamp;
}
