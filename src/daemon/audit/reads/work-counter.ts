/** What a stats answer counts calls under (spec 05 §4); an event counts at most once. */
export const WORK_COUNTERS = [
  'edit_count',
  'context_count',
  'job_count',
  'command_count',
  'report_count',
  'artifact_count',
  'git_count',
  'shell_count',
] as const;
export type WorkCounter = (typeof WORK_COUNTERS)[number];

const BY_CATEGORY: Readonly<Record<string, WorkCounter>> = {
  edit: 'edit_count',
  patch: 'edit_count',
  file: 'context_count',
  lsp: 'context_count',
  project: 'context_count',
  job: 'job_count',
  git: 'git_count',
  checkpoint: 'artifact_count',
  cleanup: 'artifact_count',
  runtime: 'report_count',
  workflow: 'report_count',
  session: 'report_count',
  validation: 'command_count',
};

/** A command line for a shell, one-shot or persistent. */
const SHELL_TOOL = /(?:^|_)shell(?:_|$)/;

/** The counter of an event, by the tool and category of its telemetry record; null for other work. */
export function workCounter(tool: unknown, category: unknown): WorkCounter | null {
  if (typeof category !== 'string') return null;
  if (category === 'execution') {
    return typeof tool === 'string' && SHELL_TOOL.test(tool) ? 'shell_count' : 'command_count';
  }
  return BY_CATEGORY[category] ?? null;
}
