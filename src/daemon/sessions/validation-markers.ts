import type { JobId } from '../../protocol/ids.js';
import { VALIDATION_MARKERS } from './limits.js';
import type { TerminalValidation, TerminalValidations } from './terminal-validations.js';

/** What one transaction does to the markers and the tail of a Session. */
export interface MarkerPlan {
  readonly append: readonly TerminalValidation[];
  readonly dropMarkers: readonly JobId[];
  readonly marked: readonly JobId[];
  readonly withoutRoom: readonly JobId[];
  readonly withoutTime: readonly JobId[];
}

/**
 * Which terminal Jobs get their event (spec 06 §6, rules 3 and 4): each once, remembered by
 * a marker. When no marker is free the oldest makes room whose Job is no longer retained,
 * since nobody can ask for that one again; when there is none, nothing is appended.
 *
 * @param markers the Jobs that are remembered, oldest first
 */
export function planMarkers(markers: readonly JobId[], { candidates, present }: TerminalValidations): MarkerPlan {
  const remembered = new Set(markers);
  const plan = {
    append: [] as TerminalValidation[],
    dropMarkers: [] as JobId[],
    marked: [] as JobId[],
    withoutRoom: [] as JobId[],
    withoutTime: [] as JobId[],
  };
  for (const candidate of candidates) {
    const { jobId } = candidate;
    if (remembered.has(jobId)) {
      plan.marked.push(jobId);
      continue;
    }
    if (candidate.finishedAt === null) {
      plan.withoutTime.push(jobId);
      continue;
    }
    if (remembered.size >= VALIDATION_MARKERS) {
      const free = [...remembered].find((job) => !present.has(job));
      if (free === undefined) {
        plan.withoutRoom.push(jobId);
        continue;
      }
      remembered.delete(free);
      plan.dropMarkers.push(free);
    }
    remembered.add(jobId);
    plan.append.push(candidate);
  }
  return plan;
}
