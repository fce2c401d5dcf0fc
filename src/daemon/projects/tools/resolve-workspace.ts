import { z } from 'zod';
import { failure, success } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, type Tool } from '../../kernel/tool.js';
import { clientId, unknownClient } from '../inputs.js';
import { projectView, projectViewSchema } from '../project-view.js';
import { LOCAL_CLIENT, type RegisteredProject } from '../registered-project.js';
import type { Registry } from '../registry.js';

/**
 * `resolve_workspace` (spec 04 §7.2): which registered project a folder or a word means.
 * It registers nothing, and where several fit it shows all of them and picks none.
 */
export function resolveWorkspace(registry: Registry): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'resolve_workspace',
      title: 'Resolve a workspace',
      summary: 'Finds the registered projects that a folder lies in, or that a word names.',
      description: 'Give either path (an absolute folder) or query, not both.',
      category: 'project',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'none',
      project: 'none',
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['client_id', 'limit'],
      cli: { positionals: ['path'] },
      input: z
        .strictObject({
          client_id: clientId.default(LOCAL_CLIENT),
          path: z.string().min(1).optional().meta({ description: 'An absolute folder' }),
          query: z.string().min(1).max(200).optional().meta({ description: 'An id, a name, or part of one' }),
          limit: clamped(1, 100, 20),
        })
        .refine(({ path, query }) => (path === undefined) !== (query === undefined), 'give either path or query'),
      output: z.object({
        status: z.enum(['resolved', 'ambiguous', 'not_registered']),
        candidates: z.array(
          projectViewSchema.extend({
            relation: z.enum(['root', 'contains', 'id', 'name', 'partial']),
          }),
        ),
        total_count: z.number().int(),
        truncated: z.boolean(),
        git_work_tree: z.string().nullable().optional(),
      }),
    },
    async (input, call) => {
      const refused = unknownClient(input.client_id);
      if (refused !== null) return { result: refused };
      let found: readonly Candidate[];
      let gitWorkTree: string | null | undefined;
      if (input.path !== undefined) {
        const inspected = await registry.inspect(input.path, call);
        if ('failure' in inspected) return { result: inspected.failure };
        const { folder } = inspected;
        gitWorkTree = folder.git_work_tree;
        found = byFolder(registry.around(folder.path), folder.path);
      } else {
        const query = input.query?.trim() ?? '';
        if (query === '') return { result: failure('invalid_query', 'a query has 1 to 200 characters that are not blank') };
        found = byWord(registry.registered(call.principal), query);
      }
      const page = found.slice(0, input.limit);
      const listed = await registry.withRefs(page, call.principal);
      const status = found.length === 0 ? 'not_registered' : found.length === 1 ? 'resolved' : 'ambiguous';
      return {
        result: success({
          status,
          candidates: listed.map(({ project, ref }) => ({
            ...projectView(project, ref),
            relation: project.relation,
          })),
          total_count: found.length,
          truncated: page.length < found.length,
          ...(gitWorkTree === undefined ? {} : { git_work_tree: gitWorkTree }),
        }),
        facts: { contextResultSummary: { status, total_count: found.length } },
      };
    },
  );
}

interface Candidate extends RegisteredProject {
  readonly relation: 'root' | 'contains' | 'id' | 'name' | 'partial';
}

/** A folder that is itself a root is that project; anywhere deeper, each project around it is one candidate. */
function byFolder(around: readonly RegisteredProject[], path: string): readonly Candidate[] {
  const root = around.find((project) => project.path === path);
  if (root !== undefined) return [{ ...root, relation: 'root' }];
  return around.map((project) => ({ ...project, relation: 'contains' }));
}

/** An exact id or name means what it says; anything else is part of one. */
function byWord(projects: readonly RegisteredProject[], word: string): readonly Candidate[] {
  const exact = projects.flatMap((project): Candidate[] => {
    if (word === project.projectId || word === project.shortId) return [{ ...project, relation: 'id' }];
    return word === project.name ? [{ ...project, relation: 'name' }] : [];
  });
  if (exact.length > 0) return exact;
  const part = word.toLowerCase();
  return projects
    .filter(({ projectId, name }) => `${projectId} ${name}`.toLowerCase().includes(part))
    .map((project) => ({ ...project, relation: 'partial' }));
}
