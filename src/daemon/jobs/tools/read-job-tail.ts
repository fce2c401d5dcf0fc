import { z } from 'zod';
import { LOG_DELTA_STATUSES } from '../../../protocol/runner/jobs.js';
import { failure, success } from '../../../protocol/tool-result.js';
import { isErrorKind } from '../../../protocol/error-kinds.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, type Tool } from '../../kernel/tool.js';
import { jobId, observationToken, waitSecs } from '../inputs.js';
import { jobFactsSchema } from '../job-facts.js';
import { observe } from '../observe.js';
import type { JobDeps } from '../visible-job.js';

const MAX_WAIT_SECS = 60;

/** `read_job_tail` (spec 03 §6): one Job's state and the end of its output. For programs; models use observe_jobs. */
export function readJobTail(deps: JobDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_job_tail',
      title: 'Read the end of a Job',
      summary: 'Shows the state and the last lines of one Job.',
      category: 'job',
      visibility: 'model_hidden',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'none',
      session_evidence: 'none',
      recorded_inputs: ['job_id', 'tail_lines', 'wait_secs'],
      cli: { positionals: ['job_id'] },
      input: z.strictObject({
        job_id: jobId,
        tail_lines: clamped(1, 500, 200),
        after_observation_token: observationToken,
        wait_secs: waitSecs(MAX_WAIT_SECS),
      }),
      output: jobFactsSchema.extend({
        log_delta_status: z.enum(LOG_DELTA_STATUSES),
        observation_token: z.string(),
        wake_reason: z.enum(['immediate', 'item_error', 'terminal', 'updated', 'timeout']),
        waited_ms: z.int(),
        effective_wait_secs: z.int(),
      }),
    },
    async (input, call) => {
      const observed = await observe(deps, call, {
        items: [{ job_id: input.job_id, after_observation_token: input.after_observation_token }],
        tailLines: input.tail_lines,
        waitSecs: input.wait_secs,
        wakeOn: 'change',
        summaryOnly: false,
      });
      if ('failure' in observed) return { result: observed.failure };
      const { index: _index, success: seen, error_kind: kind, error, ...item } = observed.items[0] ?? {};
      if (seen !== true) {
        const known = typeof kind === 'string' && isErrorKind(kind) ? kind : 'internal_error';
        return { result: failure(known, typeof error === 'string' ? error : 'The Job could not be observed.', { ...item, state_changed: false }) };
      }
      return {
        result: success({
          ...item,
          wake_reason: observed.wakeReason,
          waited_ms: observed.waitedMs,
          effective_wait_secs: observed.effectiveWaitSecs,
        }),
        facts: { telemetry: { job_convergence: { observed: observed.converged, complete: observed.complete } } },
      };
    },
  );
}
