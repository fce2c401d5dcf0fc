import type { ToolCategory, ToolDefinition } from '../../protocol/tool-definition.js';

/** What a caller is about to do, and the categories that serve it (spec 04 §7.1). */
export const INTENTS: Readonly<Record<string, readonly ToolCategory[]>> = {
  coding: ['workflow', 'file', 'edit', 'patch', 'execution', 'job', 'validation', 'git'],
  audit: ['runtime', 'session', 'git', 'validation'],
  exploration: ['workflow', 'file', 'lsp', 'git', 'project'],
  release: ['git', 'validation', 'execution', 'checkpoint'],
  discovery: ['runtime', 'project', 'workflow'],
  maintenance: ['cleanup', 'checkpoint', 'job', 'session', 'runtime'],
  resources: ['project', 'runtime', 'skill', 'plugin', 'memory'],
};

/** The order of tools in answers: directly listed ones by rank, then the rest by name. */
export function byRankThenName(a: ToolDefinition, b: ToolDefinition): number {
  const ranks = (a.direct_rank ?? Number.MAX_SAFE_INTEGER) - (b.direct_rank ?? Number.MAX_SAFE_INTEGER);
  return ranks !== 0 ? ranks : a.name < b.name ? -1 : 1;
}

/** How a usual task goes, in calls that exist. */
export function recommendedFlows(names: ReadonlySet<string>): { name: string; steps: string[] }[] {
  const flows = [
    {
      name: 'coding_task',
      steps: [
        'work_on_project',
        'search_project_texts',
        'read_files',
        'edit_project_files',
        'run_process',
        'read_workspace_changes',
        'finish_coding_task',
      ],
    },
    { name: 'long_command', steps: ['run_job', 'wait_for_job_readiness', 'observe_jobs', 'read_job_output', 'stop_job'] },
    { name: 'resume_task', steps: ['list_sessions', 'read_session_summary', 'work_on_project'] },
  ];
  return flows.filter((flow) => flow.steps.every((step) => names.has(step)));
}
