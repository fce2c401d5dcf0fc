import type { ErrorKind } from '../../../protocol/error-kinds.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import type { Json } from '../../../protocol/tool-result.js';
import { shown } from '../../confinement/index.js';
import { refuse } from '../../request.js';
import { conflictRecovery, type EditConflict } from './conflict.js';

/** Where in the batch a refusal belongs. */
export interface ChangePlace {
  readonly changeIndex: number;
  /** Project-relative. */
  readonly path: string;
}

/** What holds for a batch of which nothing was written. */
export const NOTHING_WRITTEN = {
  changed: false,
  state_changed: false,
  execution_state: 'not_started',
  applied_count: 0,
} as const;

/** Refuses a batch before the first write. */
export function refuseChange(
  kind: ErrorKind,
  message: string,
  { changeIndex, path }: ChangePlace,
  facts: Record<string, Json> = {},
): Refusal {
  return refuse(kind, message, { ...NOTHING_WRITTEN, change_index: changeIndex, path, ...facts });
}

/** A refusal of a lower layer, placed in its batch. */
export function placeRefusal({ refused }: Refusal, place: ChangePlace): Refusal {
  return {
    refused: {
      ...refused,
      detail: { ...refused.detail, ...NOTHING_WRITTEN, change_index: place.changeIndex, path: place.path },
    },
  };
}

/** Refuses a batch over a conflict, with all that a next try needs. */
export function conflictRefusal(conflict: EditConflict, place: ChangePlace, facts: Record<string, Json> = {}): Refusal {
  return refuseChange(conflict.kind, conflictMessage(conflict, place.path), place, {
    conflict_kind: conflict.kind,
    conflict_recovery: conflictRecovery(conflict) as Json,
    ...(conflict.editIndex === null ? {} : { edit_index: conflict.editIndex }),
    ...(conflict.nearMiss === null ? {} : { near_miss: { ...conflict.nearMiss } }),
    ...facts,
  });
}

function conflictMessage(conflict: EditConflict, path: string): string {
  const [edit, file] = [`Edit ${conflict.editIndex ?? 0}`, shown(path)];
  const count = conflict.matchCount ?? 0;
  switch (conflict.kind) {
    case 'multiple_matches':
      return `${edit}: its text stands ${count} times in ${file}; choose one by occurrence, or give more of it.`;
    case 'match_not_found':
      return `${edit}: its text or its lines are not in ${file}${nearMissSentence(conflict)}; read the file and give what is there.`;
    case 'occurrence_out_of_range':
      return `${edit}: ${file} has only ${count} such matches; choose one of them.`;
    case 'overlapping_edits':
      return `Edits ${conflict.conflictingEditIndices.join(' and ')} of ${file} change the same text; make one edit of them.`;
    case 'sha256_mismatch':
      return `${file} is not what expected_read_revision names: it changed since it was read; read it again.`;
    case 'occurrence_outside_line_scope':
      return `${edit}: the chosen occurrence in ${file} lies outside line_scope; occurrences count over the whole file.`;
    case 'match_count_mismatch':
      return `${edit}: its text stands ${count} times in ${file}, not as often as expected_match_count says; nothing was written.`;
  }
}

function nearMissSentence({ nearMiss }: EditConflict): string {
  if (nearMiss === null) return '';
  return ` (the nearest candidate departs at line ${nearMiss.line}, column ${nearMiss.column})`;
}
