import type { PruneReport, WorktreeKeep, WorktreeReport, WorktreeView } from '../../protocol/worktrees.js';
import { printableLine } from './printable.js';
import type { Style } from './style.js';
import { textTable } from './text-table.js';
import { counted, utcTime } from './units.js';

const NONE = 'There are no managed worktrees: `wc work-on-project INSTRUCTION --mode worktree` makes one.';

/** `wc worktree list`, for people. */
export function renderWorktrees({ worktrees }: WorktreeReport, style: Style): string {
  if (worktrees.length === 0) return NONE;
  return textTable(
    worktrees,
    [
      { title: 'made', value: ({ begun_at }) => utcTime(begun_at * 1_000) },
      { title: 'from', value: ({ source_project, base_commit }) => `${source_project} ${base_commit.slice(0, 8)}` },
      { title: 'at', value: position },
      { title: 'state', value: stateText, paint: (text, { kept_by: keptBy }) => (keptBy.length === 0 ? style.dim(text) : text) },
      { title: 'folder', value: ({ path }) => path },
    ],
    style,
  );
}

/** `wc worktree prune`, for people: what went, and for each that stays why. */
export function renderPruned({ dry_run: dryRun, removed, kept }: PruneReport, style: Style): string {
  if (removed.length + kept.length === 0) return NONE;
  const head = removed.length === 0 ? 'Nothing to remove.' : `${dryRun ? 'Would remove' : 'Removed'} ${counted(removed.length, 'worktree')}:`;
  return [
    head,
    ...removed.map((view) => `  ${printableLine(view.path)}${style.dim(alongText(view))}`),
    ...(kept.length === 0 ? [] : [`${removed.length === 0 ? '' : '\n'}${counted(kept.length, 'worktree')} ${kept.length === 1 ? 'stays' : 'stay'}:`]),
    ...kept.map((view) => `  ${printableLine(view.path)}: ${style.warn(stateText(view))}`),
  ].join('\n');
}

/** Ignored files go with a worktree, and nobody else has them. */
function alongText({ look }: WorktreeView): string {
  const ignored = look?.ignored_entries ?? 0;
  return ignored === 0 ? '' : ` (with ${counted(ignored, 'ignored entry', 'ignored entries')})`;
}

function position({ look }: WorktreeView): string {
  if (look?.head === undefined || look.head === null) return '-';
  return look.branch === null ? look.head.slice(0, 8) : `${look.branch} ${look.head.slice(0, 8)}`;
}

function stateText(view: WorktreeView): string {
  const missing = view.look?.folder === 'missing' ? ['its folder is gone'] : [];
  if (view.kept_by.length === 0) return [...missing, 'not needed any more'].join(', ');
  return [...missing, ...view.kept_by.map((keep) => reasonText(keep, view))].join(', ');
}

function reasonText(keep: WorktreeKeep, view: WorktreeView): string {
  switch (keep) {
    case 'active_session':
      return counted(view.active_sessions, 'Active Session');
    case 'changed_files':
      return counted(view.look?.changed_files ?? 0, 'uncommitted file');
    case 'own_commits':
      return `${counted(view.look?.own_commits ?? 0, 'commit')} of its own`;
    case 'not_readable':
    case 'not_removed':
      return view.note ?? keep.replaceAll('_', ' ');
    default:
      return REASONS[keep];
  }
}

const REASONS: Readonly<Record<Exclude<WorktreeKeep, 'active_session' | 'changed_files' | 'own_commits' | 'not_readable' | 'not_removed'>, string>> = {
  in_progress: 'a call is at work on it',
  active_jobs: 'active Jobs',
  source_of_another: 'another worktree was made from it',
  project_inside: 'a folder in it is a project of its own',
  source_gone: 'the repository that it was made from is gone or another one: look at it and remove it by hand',
  other_folder: 'what lies there is no worktree of that repository any more: look at it and remove it by hand',
  operation_under_way: 'a rebase, merge or the like was begun',
  locked: 'locked by git worktree lock',
  submodules: 'it has submodules, whose repositories lie in it',
};
