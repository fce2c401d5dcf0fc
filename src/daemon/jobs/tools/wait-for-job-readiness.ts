import { z } from 'zod';
import { MAX_OBSERVED_JOBS } from '../../../protocol/execution-limits.js';
import { JOB_OUTCOMES, JOB_STATUSES } from '../../../protocol/execution-state.js';
import { awaitJobsMethod, type ReadyWhen } from '../../../protocol/runner/jobs.js';
import { success } from '../../../protocol/tool-result.js';
import type { CallContext } from '../../kernel/call-context.js';
import type { ReadinessFacts } from '../../kernel/telemetry-facts.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { jobId } from '../inputs.js';
import { visibleJob, type JobDeps } from '../visible-job.js';
import { effectiveWaitSecs, waitSignal } from '../../kernel/wait-bound.js';

const MAX_PATTERN_CHARACTERS = 1_000;

const readyWhen = z
  .strictObject({
    output_literal: z.string().min(1).max(MAX_PATTERN_CHARACTERS).optional(),
    output_regex: z.string().min(1).max(MAX_PATTERN_CHARACTERS).optional(),
    tcp_port: z.int().min(1).max(65_535).optional(),
  })
  .refine((given) => Object.values(given).some((value) => value !== undefined), { error: 'names no condition' })
  .meta({ description: 'Ready before its end: it printed this, a line matches this, or this loopback port listens' });

const input = z
  .strictObject({
    job_ids: z
      .array(jobId)
      .min(1)
      .max(MAX_OBSERVED_JOBS * 8)
      .meta({ description: '1 to 8 different Jobs; repetitions count once' }),
    mode: z.enum(['any', 'all']),
    wait_secs: z.int().min(1).max(45),
    ready_when: readyWhen.optional(),
  })
  .superRefine(({ job_ids: ids }, context) => {
    if (new Set(ids).size > MAX_OBSERVED_JOBS) context.addIssue({ code: 'custom', path: ['job_ids'], message: `more than ${MAX_OBSERVED_JOBS} Jobs` });
  });

/** `wait_for_job_readiness` (spec 03 §6, decision 28): waits until Jobs have ended, or are ready as the caller said. */
export function waitForJobReadiness(deps: JobDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'wait_for_job_readiness',
      title: 'Wait for Jobs',
      summary: 'Waits until any or all of 1 to 8 Jobs have ended, or are ready as ready_when says.',
      description: 'A deadline that passes is an answer and no failure. Progress never moves it.',
      category: 'job',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'none',
      direct_rank: 81,
      session_evidence: 'none',
      telemetry: 'readiness',
      recorded_inputs: ['job_ids', 'mode', 'wait_secs'],
      input,
      output: z.object({
        wait_state: z.enum(['ready', 'deadline']),
        ready: z.array(
          z.object({
            job_id: z.string(),
            status: z.enum(JOB_STATUSES),
            outcome: z.enum(JOB_OUTCOMES).nullable(),
            ready_reason: z.enum(['terminal', 'output', 'port']),
          }),
        ),
        pending_job_ids: z.array(z.string()),
        ready_count: z.int(),
        pending_count: z.int(),
        waited_ms: z.int(),
        effective_wait_secs: z.int(),
      }),
    },
    async (given, call) => {
      const unique = [...new Set(given.job_ids)];
      const visible = await Promise.all(unique.map((id) => visibleJob(deps, id, call.principal)));
      for (const job of visible) if ('failure' in job) return { result: job.failure };
      const waitSecs = effectiveWaitSecs(given.wait_secs, call.answerWithinMs);
      const waited = await awaitReadiness(deps, call, {
        job_ids: unique,
        mode: given.mode,
        wait_ms: waitSecs * 1_000,
        ready_when: given.ready_when === undefined ? null : everyCondition(given.ready_when),
      });
      if ('failure' in waited) return { result: waited.failure };
      const { answer, armed } = waited;
      const counts = { ready_count: answer.ready.length, pending_count: answer.pending_job_ids.length };
      const readiness: ReadinessFacts = {
        mode: given.mode,
        requested_jobs: given.job_ids.length,
        unique_jobs: unique.length,
        waited_ms: answer.waited_ms,
        wait_state: answer.wait_state,
        armed,
        ...counts,
      };
      return { result: success({ ...answer, ...counts, effective_wait_secs: waitSecs }), facts: { telemetry: { readiness } } };
    },
  );
}

/** Looks first, so that it is known whether the wait had to be armed; then waits. */
async function awaitReadiness(
  { runner }: JobDeps,
  call: CallContext,
  params: Parameters<typeof runner.call<typeof awaitJobsMethod.params, typeof awaitJobsMethod.result, typeof awaitJobsMethod.note>>[1],
) {
  const first = await runner.call(awaitJobsMethod, { ...params, wait_ms: 0 }, { signal: call.signal });
  if ('failure' in first) return first;
  if (first.answer.wait_state === 'ready') return { answer: first.answer, armed: false };
  const second = await runner.call(awaitJobsMethod, params, { signal: waitSignal(call) });
  return 'failure' in second ? second : { answer: second.answer, armed: true };
}

function everyCondition(given: z.output<typeof readyWhen>): ReadyWhen {
  return {
    output_literal: given.output_literal ?? null,
    output_regex: given.output_regex ?? null,
    tcp_port: given.tcp_port ?? null,
  };
}
