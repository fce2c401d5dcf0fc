import type { JobConvergenceFacts, ObservedJob } from '../../kernel/telemetry-facts.js';
import { isJsonMap, type JsonMap } from '../json-value.js';
import { objectMember } from './closed-values.js';

const MAX_JOBS = 64;

/** What a handler told of Jobs, with everything that has not its form left out. */
export function jobConvergenceFacts(telemetry: JsonMap | undefined): Required<JobConvergenceFacts> & { readonly told: boolean } {
  const facts = objectMember(telemetry, 'job_convergence');
  return {
    told: Object.keys(facts).length > 0,
    observed: jobs(facts['observed']),
    passive_terminal: jobs(facts['passive_terminal']),
    complete: facts['complete'] !== false,
  };
}

function jobs(value: unknown): readonly ObservedJob[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_JOBS).filter(isObservedJob);
}

function isObservedJob(value: unknown): value is ObservedJob {
  return isJsonMap(value) && typeof value['job_id'] === 'string';
}
