import { z } from 'zod';
import { MAX_OBSERVED_JOBS } from '../../../protocol/execution-limits.js';
import { LOG_DELTA_STATUSES } from '../../../protocol/runner/jobs.js';
import { success } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, type Tool } from '../../kernel/tool.js';
import { jobId, observationToken, wakeOn, waitSecs } from '../inputs.js';
import { jobFactsSchema } from '../job-facts.js';
import { observe } from '../observe.js';
import { withinBudget } from '../output-budget.js';
import type { JobDeps } from '../visible-job.js';

const MAX_WAIT_SECS = 100;

/** `observe_jobs` (spec 03 §6): state and new output of up to eight Jobs, with one shared wait. */
export function observeJobs(deps: JobDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'observe_jobs',
      title: 'Observe Jobs',
      summary: 'Shows the state and the new output of 1 to 8 Jobs, and waits for news if asked.',
      description:
        'Without a token an item shows the end of the log and nobody waits; with the token of the last look it shows what came since. An item that fails says why and fails no other.',
      category: 'job',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'none',
      direct_rank: 80,
      session_evidence: 'none',
      recorded_inputs: ['tail_lines', 'wait_secs', 'wake_on', 'summary_only'],
      input: z
        .strictObject({
          items: z.array(z.strictObject({ job_id: jobId, after_observation_token: observationToken })).min(1).max(MAX_OBSERVED_JOBS),
          tail_lines: clamped(1, 200, 40),
          wait_secs: waitSecs(MAX_WAIT_SECS),
          wake_on: wakeOn,
          summary_only: z.boolean().default(false).meta({ description: 'State only; output stays unread' }),
        })
        .superRefine(({ items }, context) => {
          const ids = items.map(({ job_id }) => job_id);
          if (new Set(ids).size < ids.length) context.addIssue({ code: 'custom', path: ['items'], message: 'the same job_id twice' });
        }),
      output: z.object({
        wake_reason: z.enum(['immediate', 'item_error', 'terminal', 'updated', 'timeout']),
        waited_ms: z.int(),
        effective_wait_secs: z.int(),
        items: z.array(
          z.union([
            jobFactsSchema.extend({
              index: z.int(),
              success: z.literal(true),
              log_delta_status: z.enum(LOG_DELTA_STATUSES),
              observation_token: z.string(),
            }),
            z.object({ index: z.int(), success: z.literal(false), job_id: z.string(), error_kind: z.string(), error: z.string() }),
          ]),
        ),
        output_truncated: z.boolean(),
        next_index: z.int().nullable(),
      }),
    },
    async (input, call) => {
      const observed = await observe(deps, call, {
        items: input.items,
        tailLines: input.tail_lines,
        waitSecs: input.wait_secs,
        wakeOn: input.wake_on,
        summaryOnly: input.summary_only,
      });
      if ('failure' in observed) return { result: observed.failure };
      const { items, nextIndex } = withinBudget(observed.items);
      return {
        result: success({
          wake_reason: observed.wakeReason,
          waited_ms: observed.waitedMs,
          effective_wait_secs: observed.effectiveWaitSecs,
          items,
          output_truncated: nextIndex !== null,
          next_index: nextIndex,
        }),
        facts: { telemetry: { job_convergence: { observed: observed.converged, complete: observed.complete } } },
      };
    },
  );
}
