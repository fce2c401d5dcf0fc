import { jobOutcome } from '../../../protocol/execution-state.js';
import type { JobView } from '../../../protocol/runner/jobs.js';

/** Why a Job is lost to the daemon (spec 03 §12). */
export type LossReason = 'runner_inventory_missing' | 'runner_instance_replaced' | 'runner_recovery_deadline_exceeded';

/** An active Job while its Runner is out of reach: nobody knows how far it is. */
export function recoveringView(job: JobView): JobView {
  return { ...job, status: 'recovering' };
}

/** A Job whose end nobody will see. It was active, and may have done all or nothing of its work. */
export function lostView(job: JobView, reason: LossReason, finishedAtMs: number): JobView {
  return {
    ...job,
    status: 'lost',
    outcome: jobOutcome('lost'),
    execution_state: 'outcome_unknown',
    update_seq: job.update_seq + 1,
    finished_at_ms: finishedAtMs,
    failure_kind: 'outcome_unknown',
    tool_failure: true,
    reason,
    output_incomplete: true,
  };
}
