import type { JsonObject } from '../../protocol/tool-result.js';
import { gitPosition } from './render-workspace.js';
import type { GitView } from './render-workspace.js';
import type { Style } from './style.js';
import { factLines, textTable } from './text-table.js';
import { utcTime } from './units.js';

interface ProjectView {
  readonly project: string;
  readonly project_ref: string;
  readonly name: string;
  readonly path?: string;
  readonly description?: string | null;
  readonly allow_patch?: boolean;
  readonly revision?: number;
  readonly registered_at?: number;
  readonly git?: { readonly status: string } & Partial<GitView>;
}

/** `list_projects`, for people. */
export function renderProjects(output: JsonObject, style: Style): string {
  const { projects, total_count: total, truncated } = output as unknown as {
    readonly projects: readonly ProjectView[];
    readonly total_count: number;
    readonly truncated: boolean;
  };
  if (projects.length === 0) return 'There are no projects: `wc project add FOLDER`, or `wc work-on-project` in one.';
  const table = textTable(
    projects,
    [
      { title: 'ref', value: ({ project_ref }) => project_ref },
      { title: 'project', value: ({ project }) => project },
      { title: 'folder', value: ({ path }) => path ?? '' },
      ...(projects.some(({ git }) => git !== undefined) ? [{ title: 'git', value: ({ git }: ProjectView) => gitText(git) }] : []),
    ],
    style,
  );
  return truncated ? `${table}\n${style.dim(`… ${total} in all: --limit, or part of a name`)}` : table;
}

/** One project of `list_projects` or of its registration. */
export function renderProject(project: JsonObject, style: Style): string {
  const view = project as unknown as ProjectView;
  return factLines(
    [
      ['project', `${view.project} (${view.project_ref})`],
      ['name', view.name],
      ['folder', view.path],
      ['description', view.description],
      ['edits', view.allow_patch === undefined ? null : view.allow_patch ? 'allowed' : 'not allowed'],
      ['registered', view.registered_at === undefined ? null : utcTime(view.registered_at * 1_000)],
      ['revision', view.revision === undefined ? null : String(view.revision)],
      ['git', gitText(view.git)],
    ],
    style,
  );
}

function gitText(git: ProjectView['git']): string {
  if (git === undefined) return '';
  if (git.status !== 'observed') return git.status.replaceAll('_', ' ');
  return gitPosition({ branch: git.branch ?? null, head: git.head ?? null, ahead: git.ahead ?? null, behind: git.behind ?? null });
}
