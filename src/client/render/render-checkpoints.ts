import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import type { Style } from './style.js';
import { factLines, textTable } from './text-table.js';
import { counted, utcTime } from './units.js';

/** A checkpoint in an answer, as far as people read it. */
interface CheckpointFacts {
  readonly checkpoint_id: string;
  /** Unix seconds. */
  readonly created_at: number;
  readonly kind: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly labels: readonly string[];
  readonly validation: { readonly status: string; readonly summary: string | null } | null;
  readonly automatic: boolean;
  readonly head: string | null;
  readonly branch: string | null;
  readonly counts: { readonly tracked: number; readonly untracked: number; readonly skipped: number };
}

interface SideStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

interface SkippedFile {
  readonly path: string;
  readonly reason_code: string;
}

/** `list_workspace_checkpoints`, for people. */
export function renderCheckpoints(output: JsonObject, style: Style): string {
  const checkpoints = output['checkpoints'] as unknown as readonly CheckpointFacts[];
  const recovery = output['last_recovery'] as { checkpoint_id: string; recovered_at: number } | null;
  const table =
    checkpoints.length === 0
      ? 'There are no checkpoints.'
      : textTable(
          checkpoints,
          [
            { title: 'checkpoint', value: ({ checkpoint_id }) => checkpoint_id },
            { title: 'made', value: ({ created_at }) => utcTime(created_at * 1_000) },
            { title: 'kind', value: ({ kind }) => kind.replaceAll('_', ' ') },
            { title: 'commit', value: ({ head }) => head?.slice(0, 8) ?? '-' },
            { title: 'files', value: ({ counts }) => String(counts.tracked + counts.untracked), align: 'right' },
            { title: 'title', value: ({ title }) => title ?? '' },
          ],
          style,
        );
  if (recovery === null) return table;
  const told = `A restore of ${recovery.checkpoint_id} was cut off and taken back at ${utcTime(recovery.recovered_at * 1_000)}.`;
  return `${table}\n${style.warn(told)}`;
}

/** One checkpoint, for people: what it is and which paths it keeps. */
export function renderCheckpoint(output: JsonObject, style: Style): string {
  const checkpoint = output['checkpoint'] as unknown as CheckpointFacts;
  const stat = output['diff_stat'] as unknown as { staged: SideStat; unstaged: SideStat } | undefined;
  const paths = (output['paths'] ?? []) as readonly string[];
  const untracked = (output['untracked_paths'] ?? []) as readonly string[];
  const skipped = (output['skipped_files'] ?? []) as unknown as readonly SkippedFile[];
  const { validation } = checkpoint;
  return [
    factLines(
      [
        ['checkpoint', checkpoint.checkpoint_id],
        ['title', checkpoint.title],
        ['kind', checkpoint.kind.replaceAll('_', ' ')],
        ['made', `${utcTime(checkpoint.created_at * 1_000)}${checkpoint.automatic ? ', by a restore' : ''}`],
        ['commit', checkpoint.head === null ? 'no commit yet' : `${checkpoint.head.slice(0, 8)} on ${checkpoint.branch ?? 'a detached HEAD'}`],
        ['labels', checkpoint.labels.length === 0 ? null : checkpoint.labels.join(', ')],
        ['checks', validation === null ? null : [`${validation.status.replaceAll('_', ' ')} (as claimed)`, validation.summary].filter(Boolean).join(': ')],
        ['note', checkpoint.note],
        ['staged', stat === undefined ? null : sideText(stat.staged, style)],
        ['unstaged', stat === undefined ? null : sideText(stat.unstaged, style)],
        ['keeps', counted(checkpoint.counts.tracked, 'tracked file')],
        ['', checkpoint.counts.untracked === 0 ? null : counted(checkpoint.counts.untracked, 'untracked file')],
      ],
      style,
    ),
    ...paths.map((path) => `  ${printableLine(path)}`),
    ...untracked.map((path) => `  ${printableLine(path)} ${style.dim('(untracked)')}`),
    ...skipped.map(({ path, reason_code: reason }) => style.warn(`  ${printableLine(path)} not kept: ${reason.replaceAll('_', ' ')}`)),
  ].join('\n');
}

function sideText({ files, insertions, deletions }: SideStat, style: Style): string {
  return `${counted(files, 'file')}, ${style.good(`+${insertions}`)} ${style.bad(`-${deletions}`)}`;
}

/** What a restore did, for people, with the way back. */
export function renderRestored(output: JsonObject, style: Style): string {
  const { checkpoint_id: id, previous_state_checkpoint_id: previous } = output as { checkpoint_id: string; previous_state_checkpoint_id: string | null };
  const paths = output['changed_paths'] as readonly string[];
  if (output['state_changed'] !== true) return `Everything is as ${id} has it.`;
  return [
    `Restored ${id}: ${counted(paths.length, 'file')} changed.`,
    ...paths.map((path) => `  ${printableLine(path)}`),
    ...(previous === null ? [] : [style.dim(`What was there before is kept: wc checkpoint restore ${previous}`)]),
  ].join('\n');
}
