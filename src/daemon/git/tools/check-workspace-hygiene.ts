import { z } from 'zod';
import { hygieneFindingSchema, hygieneMethod, HYGIENE_FINDINGS } from '../../../protocol/runner/hygiene.js';
import { success, type Json } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { fitInOrder } from '../fit-in-order.js';
import type { GitDeps } from '../index.js';

const MAX_FINDINGS_BYTES = 64 * 1024;

/** `check_workspace_hygiene`: what lies around in a work tree, by names and sizes alone (spec 04 §7.8). */
export function checkWorkspaceHygiene({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'check_workspace_hygiene',
      title: 'Check workspace hygiene',
      summary: 'Names temporary, cached, secret-like and very large files of the work tree; reads no content.',
      description: 'Untracked files, and tracked ones with include_tracked; ignored files do not count. Large are untracked files over 5 MiB.',
      category: 'cleanup',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      git_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'max_findings', 'include_tracked'],
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        max_findings: clamped(0, 200, 50),
        include_tracked: z.boolean().default(false).meta({ description: 'Judge the names of tracked files too' }),
      }),
      output: z.strictObject({
        is_repository: z.boolean(),
        verdict: z.enum(['clean', 'findings', 'not_a_repository']),
        findings: z.array(hygieneFindingSchema),
        total: z.int(),
        truncated: z.boolean(),
        counts: z.record(z.enum(HYGIENE_FINDINGS), z.int()),
        checked_files: z.int(),
      }),
    },
    async ({ max_findings, include_tracked }, call) => {
      const answered = await runner.call(hygieneMethod, { root: runnerRoot(projectOf(call)), max_findings, include_tracked }, { signal: call.signal });
      if ('failure' in answered) return { result: answered.failure };
      const { findings, is_repository: isRepository, total, counts, checked_files } = answered.answer;
      const { kept } = fitInOrder(findings, MAX_FINDINGS_BYTES);
      return {
        result: success({
          is_repository: isRepository,
          verdict: !isRepository ? 'not_a_repository' : total === 0 ? 'clean' : 'findings',
          findings: kept as Json,
          total,
          truncated: kept.length < total,
          counts,
          checked_files,
        }),
        facts: { contextResultSummary: { findings: total } },
      };
    },
  );
}
