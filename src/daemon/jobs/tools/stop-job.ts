import { z } from 'zod';
import type { JobId } from '../../../protocol/ids.js';
import { STOP_EFFECTS, stopJobMethod, type JobView } from '../../../protocol/runner/jobs.js';
import { failure, success, type Failure } from '../../../protocol/tool-result.js';
import { projectOf, type CallContext } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { jobId } from '../inputs.js';
import { jobFacts, jobFactsSchema } from '../job-facts.js';
import { visibleJob, type JobDeps } from '../visible-job.js';

/** `stop_job` (spec 03 §6): ends a Job's process tree. It cleans up, so that read-only and closed Sessions may use it. */
export function stopJob(deps: JobDeps): Tool {
  return defineTool(
    {
      name: 'stop_job',
      title: 'Stop a Job',
      summary: 'Ends a Job and every process that it started.',
      description: 'A Job of another Session than the one that is named is not stopped. Stopping one that has ended is a success.',
      category: 'job',
      visibility: 'model_visible',
      effect: 'execute',
      risk: 'run_control',
      approval: 'standard',
      idempotency: 'desired_state',
      scopes: { kind: 'all', scopes: ['job:run'] },
      session: 'records',
      project: 'required',
      path_hint: 'none',
      destructive: true,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'business_pair',
      allowed_on_closed: true,
      recorded_inputs: ['project', 'job_id', 'confirm'],
      cli: { positionals: ['job_id'] },
      input: z.strictObject({
        project: projectSelector,
        job_id: jobId,
        confirm: z.boolean().default(false).meta({ description: 'Must be true' }),
        session_id: sessionSelector.optional(),
      }),
      output: jobFactsSchema.extend({ stop_effect: z.enum(STOP_EFFECTS) }),
    },
    async (input, call) => {
      const refuse = (refusal: Failure) => ({ result: refusal, facts: { effect: { stateChanged: false } } });
      if (!input.confirm) {
        return refuse(failure('confirmation_required', 'Stopping a Job ends its processes; say confirm: true.', { state_changed: false }));
      }
      const found = await visibleJob(deps, input.job_id, call.principal);
      if ('failure' in found) return refuse(notFound(found.failure));
      const forbidden = forbiddenStop(found.job, call);
      if (forbidden !== null) return refuse(forbidden);

      const answer = await deps.runner.call(stopJobMethod, { job_id: input.job_id });
      if ('failure' in answer) {
        const refusal = notFound(answer.failure);
        const unknown = refusal.output['error_kind'] === 'outcome_unknown';
        return { result: refusal, facts: { effect: { stateChanged: unknown ? null : false } } };
      }
      const { job, stop_effect: effect } = answer.answer;
      return {
        result: success({ stop_effect: effect, ...jobFacts(job) }),
        facts: { jobId: job.job_id as JobId, effect: { stateChanged: effect === 'requested' || effect === 'stopped' } },
      };
    },
  );
}

function notFound(refusal: Failure): Failure {
  if (refusal.output['error_kind'] !== 'unknown_job') return refusal;
  return failure('job_not_found', refusal.error, { state_changed: false });
}

/** Why this caller may not stop this Job now, or null. */
function forbiddenStop(job: JobView, call: CallContext): Failure | null {
  if (job.project !== projectOf(call).id) {
    return failure('job_project_mismatch', 'That Job belongs to another project; name the one that list_jobs shows.', { state_changed: false });
  }
  if (call.session !== null && job.session_id !== null && job.session_id !== call.session.sessionId) {
    return failure('job_stop_forbidden', 'That Job belongs to another Session.', { state_changed: false });
  }
  if (job.status === 'recovering') {
    return failure('runner_unavailable_recovering', 'The Runner of that Job is being reached again; try again in a moment.', { state_changed: false });
  }
  return null;
}
