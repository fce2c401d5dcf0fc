import { z } from 'zod';
import { failure, success } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { gitSummaries } from '../git-summaries.js';
import { clientId, unknownClient } from '../inputs.js';
import { projectView, projectViewSchema } from '../project-view.js';
import type { RegisteredProject } from '../registered-project.js';
import type { Registry } from '../registry.js';

const MAX_QUERY_CHARACTERS = 200;

/** `list_projects` (spec 04 §7.2): filters first, then the totals, then the page. */
export function listProjects(registry: Registry, runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_projects',
      title: 'List projects',
      summary: 'Lists the registered projects with their ids, short refs, folders and revisions.',
      category: 'project',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'none',
      project: 'own',
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['client_id', 'project', 'limit', 'include_git_summary', 'summary_only'],
      cli: { positionals: ['query'] },
      input: z.strictObject({
        client_id: clientId.optional(),
        project: projectSelector.optional(),
        query: z.string().optional().meta({ description: 'Part of an id, a name or a path, 1 to 200 characters' }),
        limit: clamped(1, 100, 100),
        include_git_summary: z.boolean().default(false).meta({ description: 'Also look at each repository' }),
        summary_only: z.boolean().default(false).meta({ description: 'Ids, refs and names only' }),
      }),
      output: z.object({
        projects: z.array(
          projectViewSchema.partial().extend({
            project: z.string(),
            project_ref: z.string(),
            name: z.string(),
            git: z.looseObject({ status: z.enum(['observed', 'unavailable', 'not_observed']) }).optional(),
          }),
        ),
        total_count: z.number().int(),
        returned_count: z.number().int(),
        truncated: z.boolean(),
      }),
    },
    async (input, call) => {
      const refused = unknownClient(input.client_id);
      if (refused !== null) return { result: refused };
      const query = input.query?.trim().toLowerCase();
      if (query !== undefined && (query === '' || [...query].length > MAX_QUERY_CHARACTERS)) {
        return { result: failure('invalid_query', 'a query has 1 to 200 characters that are not blank') };
      }
      let candidates: readonly RegisteredProject[];
      if (input.project === undefined) {
        candidates = registry.registered(call.principal);
      } else {
        const selected = registry.select(input.project, call.principal);
        if ('failure' in selected) return { result: selected.failure };
        candidates = [selected.project];
      }
      const matched = query === undefined ? candidates : candidates.filter((project) => matches(project, query));
      const page = matched.slice(0, input.limit);
      const listed = await registry.withRefs(page, call.principal);
      const git = input.include_git_summary ? await gitSummaries(runner, page, call.signal) : [];
      const projects = listed.map(({ project, ref }, index) => {
        const shown = input.summary_only
          ? { project: project.projectId, project_ref: ref, name: project.name }
          : projectView(project, ref);
        const summary = git[index];
        return summary === undefined ? shown : { ...shown, git: summary };
      });
      return {
        result: success({
          projects,
          total_count: matched.length,
          returned_count: page.length,
          truncated: page.length < matched.length,
        }),
        facts: { contextResultSummary: { total_count: matched.length, returned_count: page.length } },
      };
    },
  );
}

function matches(project: RegisteredProject, query: string): boolean {
  return [project.projectId, project.name, project.path].some((text) => text.toLowerCase().includes(query));
}
