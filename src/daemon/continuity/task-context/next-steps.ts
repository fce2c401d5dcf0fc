import type { FinishedCall } from '../../validation/index.js';

/** A step that the evidence suggests; advice, and no instruction. */
export type NextStep = {
  readonly step: 'resolve_failure' | 'resolve_conflicts' | 'wait_for_jobs' | 'run_validation' | 'read_board';
  /** What it rests on, where one event says so. */
  readonly event_id: string | null;
};

/** What the steps are chosen by. */
export interface StepFacts {
  /** Newest first. */
  readonly failing: readonly FinishedCall[];
  readonly conflicted: boolean;
  readonly jobsAtWork: boolean;
  readonly needsValidation: boolean;
  readonly boardWaits: boolean;
}

const MAX_FAILURE_STEPS = 3;

export function nextSteps({ failing, conflicted, jobsAtWork, needsValidation, boardWaits }: StepFacts): readonly NextStep[] {
  const step = (name: NextStep['step'], applies: boolean): NextStep[] => (applies ? [{ step: name, event_id: null }] : []);
  return [
    ...step('resolve_conflicts', conflicted),
    ...step('wait_for_jobs', jobsAtWork),
    ...failing.slice(0, MAX_FAILURE_STEPS).map(({ event }): NextStep => ({ step: 'resolve_failure', event_id: event.event_id })),
    ...step('run_validation', needsValidation),
    ...step('read_board', boardWaits),
  ];
}
