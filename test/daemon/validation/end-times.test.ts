import { describe, expect, it } from 'vitest';
import { finishedCalls } from '../../../src/daemon/validation/index.js';
import type { SessionEvent } from '../../../src/daemon/sessions/index.js';
import { evidence, snapshotOf, validation } from '../continuity/session-events.js';

const call = (number: number): string => `wc_call_${number.toString(16).padStart(32, '0')}`;
const PASSED = evidence({ status: 'passed', evidence_kind: null, counts: { passed: 4, failed: 0, ignored: 0, total: 4 } });

/** A call that began and ended at one time of the clock. */
function run(number: number, at: number, said = PASSED, changes: Partial<SessionEvent> = {}): SessionEvent[] {
  const ended = validation(number + 1, said, { call_id: call(number), timestamp: at, finished_at: at, ...changes });
  return [{ ...ended, event_id: `evt_${number.toString(16).padStart(32, '0')}`, kind: 'tool_call_started', finished_at: null, started_at: at, status: null, validation_output_summary: undefined, job_id: null }, ended];
}
/** A call that became a Job, at a time of the clock. */
const admitted = (number: number, at: number): SessionEvent[] =>
  run(number, at, PASSED, { job_id: 'job_1', status: 'succeeded', validation_output_summary: undefined as never, effect_evidence: { execution_state: 'running' } });
/** The end of it, with the time that the Job says. */
const ended = (number: number, at: number, said = PASSED): SessionEvent => validation(number, said, { kind: 'validation_job_terminal', job_id: 'job_1', timestamp: at, finished_at: at });

const resolved = (events: readonly SessionEvent[]): boolean[] =>
  finishedCalls(snapshotOf(events)).filter(({ verdict }) => verdict === 'failure').map(({ resolvedBy }) => resolvedBy !== null);

describe('which of two runs ended later', () => {
  it.each<[string, readonly SessionEvent[], boolean]>([
    ['a pass after a failure', [...run(0, 100, evidence()), ...run(2, 101)], true],
    ['a pass before it', [...run(0, 100), ...run(2, 101, evidence())], false],
    ['a pass before it, the clock set back by an hour in between', [...run(0, 5_000), ...run(2, 1_400, evidence())], false],
    ['a pass after it, the clock set back in between', [...run(0, 5_000, evidence()), ...run(2, 1_400)], true],
    ['a Job that passed before the failure and was looked at after it', [...admitted(0, 5), ...run(2, 20, evidence()), ended(4, 10)], false],
    ['a Job that passed after it', [...admitted(0, 5), ...run(2, 20, evidence()), ended(4, 30)], true],
    ['a Job looked at before the failure began, its clock far ahead', [...admitted(0, 5), ended(2, 90_000), ...run(3, 20, evidence())], false],
    ['a Job begun after the failure, its clock behind', [...run(0, 5_000, evidence()), ...admitted(2, 5_001), ended(4, 17)], true],
    ['a Job whose admission is gone, its clock far ahead, looked at before', [ended(0, 90_000), ...run(1, 20, evidence())], false],
  ])('%s', (_what, events, isResolved) => {
    expect(resolved(events)).toEqual([isResolved]);
  });
});
