import { z } from 'zod';
import { JOB_STATUSES } from '../../../protocol/execution-state.js';
import { parseSessionId } from '../../../protocol/ids.js';
import { listJobsMethod } from '../../../protocol/runner/jobs.js';
import { failure, success, type Failure } from '../../../protocol/tool-result.js';
import type { Principal } from '../../kernel/principal.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { jobFacts, jobFactsSchema } from '../job-facts.js';
import { maySee, type JobDeps } from '../visible-job.js';

/** More than Runner and receipts hold, so that what the caller may not see is left out before the limit. */
const ALL_JOBS = 2_000;

/** `list_jobs` (spec 03 §6): the Jobs that the Runner keeps, newest first; filters come before the limit. */
export function listJobs(deps: JobDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_jobs',
      title: 'List Jobs',
      summary: 'Lists Jobs, newest first, with their state and how much they printed; no output.',
      category: 'job',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'own',
      project: 'own',
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['status', 'project', 'session_id', 'limit'],
      input: z.strictObject({
        status: z.enum(JOB_STATUSES).optional().meta({ description: 'Only Jobs in exactly this status' }),
        project: projectSelector.optional(),
        session_id: sessionSelector.optional(),
        limit: clamped(1, 100, 50),
      }),
      output: z.object({
        jobs: z.array(jobFactsSchema),
        total_count: z.int(),
        returned_count: z.int(),
        truncated: z.boolean(),
        effective_limit: z.int(),
      }),
    },
    async (input, call) => {
      const filters = filtersOf(deps, input, call.principal);
      if ('failure' in filters) return { result: filters.failure };
      const answer = await deps.runner.call(
        listJobsMethod,
        { status: input.status ?? null, ...filters, limit: ALL_JOBS },
        { signal: call.signal },
      );
      if ('failure' in answer) return { result: answer.failure };
      const visible = answer.answer.jobs.filter((job) => maySee(deps, job, call.principal));
      const jobs = visible.slice(0, input.limit).map(jobFacts);
      return {
        result: success({
          jobs,
          total_count: visible.length,
          returned_count: jobs.length,
          truncated: jobs.length < visible.length,
          effective_limit: input.limit,
        }),
      };
    },
  );
}

function filtersOf(
  deps: JobDeps,
  { project, session_id: sessionId }: { readonly project?: string | undefined; readonly session_id?: string | undefined },
  principal: Principal,
): { readonly project: string | null; readonly session_id: string | null } | { readonly failure: Failure } {
  if (sessionId !== undefined && parseSessionId(sessionId) === null) {
    return { failure: failure('invalid_session_filter', 'session_id is no Session id; list_sessions names them.') };
  }
  if (project === undefined) return { project: null, session_id: sessionId ?? null };
  const resolved = deps.projects.resolve(project, principal);
  if ('failure' in resolved) {
    return { failure: failure('invalid_project_filter', 'project names no project that you can see; list_projects names them.') };
  }
  return { project: resolved.project.id, session_id: sessionId ?? null };
}
