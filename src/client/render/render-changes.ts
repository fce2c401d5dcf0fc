import type { JsonObject } from '../../protocol/tool-result.js';
import type { ChangedFile, GitView, Hunk } from './render-workspace.js';
import { fileLines, gitPosition, hunkLines } from './render-workspace.js';
import type { Style } from './style.js';
import { counted } from './units.js';

/** The part of a work tree's state that changes and reports share. */
interface Changes {
  readonly counts?: { readonly changed: number };
  readonly files?: readonly ChangedFile[];
  readonly files_truncated?: boolean;
  readonly diff_stat?: { readonly files: number; readonly insertions: number; readonly deletions: number };
  readonly hunks?: readonly Hunk[] | null;
  readonly more_hunks?: boolean;
  readonly protected_files?: number;
}

/** `read_workspace_changes`, for people. */
export function renderChanges(output: JsonObject, style: Style): string {
  const git = (output['git'] ?? (output['head'] === undefined ? null : output)) as GitView | null;
  const position = gitPosition(git);
  return [...(position === '' ? [] : [style.bold(position)]), ...changeLines(output, style)].join('\n');
}

/** Files, sums and hunks, as far as they are there. */
export function changeLines(changes: Changes, style: Style): string[] {
  const { counts, files, diff_stat: stat, hunks } = changes;
  if (counts?.changed === 0) return ['Nothing has changed.'];
  return [
    ...fileLines(files ?? [], style),
    ...(changes.files_truncated ? [style.dim(`… ${counted(counts?.changed ?? 0, 'changed file')} in all`)] : []),
    ...(stat && stat.files > 0
      ? [`${counted(stat.files, 'tracked file')}, ${style.good(`+${stat.insertions}`)} ${style.bad(`-${stat.deletions}`)}`]
      : []),
    ...(changes.protected_files ? [style.warn(`${counted(changes.protected_files, 'changed file')} with a protected name, not shown`)] : []),
    ...(hunks && hunks.length > 0 ? ['', ...hunkLines(hunks, style)] : []),
    ...(changes.more_hunks ? [style.dim('… there are more hunks: --max-hunks')] : []),
  ];
}
