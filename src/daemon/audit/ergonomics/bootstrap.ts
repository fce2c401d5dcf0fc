import type { JsonMap } from '../json-value.js';
import { closedLabel, observedBoolean, observedCount } from './closed-values.js';

const BOOLEANS = [
  'instructions_available',
  'instructions_content_included',
  'instructions_truncated',
  'workflow_available',
  'skills_truncated',
  'skills_available',
  'plugins_truncated',
  'plugins_available',
  'semantic_supported',
  'semantic_available',
] as const;
const COUNTS = ['instruction_source_count', 'skills_returned_count', 'plugins_returned_count'] as const;
const STATUSES = {
  instruction_observation_status: ['loaded', 'changed', 'reused', 'not_found', 'unavailable'],
  workspace_status: ['clean', 'dirty', 'conflicted', 'unavailable', 'not_applicable'],
  semantic_status: [
    'running',
    'available',
    'initializing',
    'crashed',
    'unavailable',
    'not_applicable',
    'agent_unavailable',
    'agent_capability_unavailable',
    'probe_timeout',
    'probe_failed',
    'not_observed',
  ],
} as const;

/**
 * What `work_on_project` found of its materials. Every member is there on every call: null
 * says that nobody looked, which is never the same as false (spec 05 §6).
 */
export function bootstrap(facts: JsonMap): Record<string, unknown> {
  return {
    ...Object.fromEntries(BOOLEANS.map((name) => [name, observedBoolean(facts[name])])),
    ...Object.fromEntries(COUNTS.map((name) => [name, observedCount(facts[name])])),
    ...Object.fromEntries(Object.entries(STATUSES).map(([name, labels]) => [name, closedLabel(facts[name], labels)])),
  };
}
