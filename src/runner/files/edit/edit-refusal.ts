import type { ErrorKind } from '../../../protocol/error-kinds.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import type { Json } from '../../../protocol/tool-result.js';
import { shown } from '../../confinement/index.js';
import { refuse } from '../../request.js';
import { conflictRecovery, MAX_CANDIDATES, plainConflict, type EditConflict } from './conflict.js';
import type { PatchMisfit } from './patch-misfit.js';

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

/** Refuses a batch over a hunk that does not fit: with positions, never with lines. */
export function misfitRefusal({ kind, hunkIndex, patchLine, places }: PatchMisfit, at: ChangePlace): Refusal {
  const ranges = places.slice(0, MAX_CANDIDATES).map((range) => ({ ...range }));
  const facts = {
    hunk_index: hunkIndex,
    ...(patchLine === null ? {} : { patch_line: patchLine }),
    match_count: places.length,
    candidate_ranges: ranges,
    candidates_truncated: places.length > MAX_CANDIDATES,
  };
  const hunk = patchLine === null ? `Hunk ${hunkIndex + 1}` : `The hunk at line ${patchLine}`;
  const file = shown(at.path);
  if (kind === 'patch_not_applicable') {
    const elsewhere = places.length === 0 ? 'nor anywhere else' : `but ${places.length === 1 ? 'once' : `${places.length} times`} elsewhere`;
    return refuseChange(kind, `${hunk}: what it takes away does not stand in ${file} where it says, ${elsewhere}; read the file and make the diff anew.`, at, facts);
  }
  const problem = {
    match_not_found: `its lines are not in ${file}; read the file and give what is there`,
    multiple_matches: `its lines stand ${places.length} times in ${file}; give more of what is around them`,
    overlapping_edits: `its lines stand in ${file} before the end of an earlier hunk; bring the hunks into the order of the file, or make one of them`,
  }[kind];
  const recovery = conflictRecovery({ ...plainConflict(kind, null), matchCount: places.length });
  return refuseChange(kind, `${hunk}: ${problem}.`, at, {
    conflict_kind: kind,
    conflict_recovery: {
      ...recovery,
      // A patch has no member that could choose one.
      occurrence_selector_supported: false,
      direct_retry_safe: false,
      candidate_ranges: ranges,
      candidates_truncated: facts.candidates_truncated,
    } as Json,
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
