import type { JsonMap } from '../json-value.js';
import { closedLabel, wholeNumber } from './closed-values.js';

/**
 * How a successful wait for Jobs went. `already_ready` is said only where the wait never
 * had to be armed; a wait of less than a millisecond was a wait (spec 05 §6).
 */
export function readiness(facts: JsonMap): Record<string, unknown> | null {
  const mode = closedLabel(facts['mode'], ['any', 'all']);
  const state = closedLabel(facts['wait_state'], ['ready', 'deadline']);
  if (mode === null || state === null) return null;
  return {
    mode,
    requested_jobs: wholeNumber(facts['requested_jobs']),
    unique_jobs: wholeNumber(facts['unique_jobs']),
    waited_ms: wholeNumber(facts['waited_ms']),
    wait_state: state === 'ready' && facts['armed'] === false ? 'already_ready' : state,
    ready_count: wholeNumber(facts['ready_count']),
    pending_count: wholeNumber(facts['pending_count']),
  };
}
