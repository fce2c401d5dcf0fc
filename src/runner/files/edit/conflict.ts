import type { ConflictKind } from '../../../protocol/runner/edits.js';
import type { LineIndex } from './line-index.js';
import type { Match } from './matches.js';
import type { NearMiss } from './near-miss.js';

/** What keeps an edit from its snapshot. */
export interface EditConflict {
  readonly kind: ConflictKind;
  /** Null when no single edit is to blame: a stale guard. */
  readonly editIndex: number | null;
  readonly matchCount: number | null;
  readonly candidates: readonly CandidateRange[];
  readonly candidatesTruncated: boolean;
  /** Two edits whose ranges intersect. */
  readonly conflictingEditIndices: readonly number[];
  readonly nearMiss: NearMiss | null;
}

export interface CandidateRange {
  readonly occurrence: number;
  readonly start_line: number;
  readonly end_line: number;
}

/** The most candidates that a refusal names. */
export const MAX_CANDIDATES = 8;

/** How a caller gets past each conflict (spec 04 §7.6). */
const RECOVERIES: Readonly<Record<ConflictKind, { readonly action: string; readonly isRetrySafe: boolean }>> = {
  multiple_matches: { action: 'select_occurrence_or_refine_match', isRetrySafe: true },
  match_not_found: { action: 'reread_or_refine_match', isRetrySafe: false },
  occurrence_out_of_range: { action: 'choose_valid_occurrence_or_refine_match', isRetrySafe: true },
  overlapping_edits: { action: 'refine_edit_batch', isRetrySafe: true },
  sha256_mismatch: { action: 'reread_file', isRetrySafe: false },
  occurrence_outside_line_scope: { action: 'align_occurrence_with_line_scope', isRetrySafe: true },
  match_count_mismatch: { action: 'reread_or_refine_match', isRetrySafe: false },
};

/** Conflicts that an `occurrence` in the next try can settle. */
const SELECTABLE: ReadonlySet<ConflictKind> = new Set([
  'multiple_matches',
  'occurrence_out_of_range',
  'occurrence_outside_line_scope',
]);

/** The conflict over a number of matches, the first eight of them as candidates. */
export function matchConflict(
  kind: ConflictKind,
  editIndex: number,
  matches: readonly Match[],
  lines: LineIndex,
  nearMiss: NearMiss | null = null,
): EditConflict {
  return {
    kind,
    editIndex,
    matchCount: matches.length,
    candidates: matches.slice(0, MAX_CANDIDATES).map((match) => ({
      occurrence: match.occurrence,
      start_line: lines.lineAt(match.start),
      end_line: lines.lineAt(match.end - 1),
    })),
    candidatesTruncated: matches.length > MAX_CANDIDATES,
    conflictingEditIndices: [],
    nearMiss,
  };
}

/** A conflict that no match explains. */
export function plainConflict(
  kind: ConflictKind,
  editIndex: number | null,
  conflictingEditIndices: readonly number[] = [],
): EditConflict {
  return {
    kind,
    editIndex,
    matchCount: null,
    candidates: [],
    candidatesTruncated: false,
    conflictingEditIndices,
    nearMiss: null,
  };
}

/** The `conflict_recovery` of a refusal, its members exactly these. */
export function conflictRecovery(conflict: EditConflict): Record<string, unknown> {
  const { action, isRetrySafe } = RECOVERIES[conflict.kind];
  return {
    schema_version: 1,
    conflict_kind: conflict.kind,
    recovery_action: action,
    occurrence_selector_supported: SELECTABLE.has(conflict.kind),
    direct_retry_safe: isRetrySafe,
    reread_required: conflict.kind === 'sha256_mismatch',
    match_count: conflict.matchCount,
    candidate_ranges: conflict.candidates,
    candidates_truncated: conflict.candidatesTruncated,
    conflicting_edit_indices: conflict.conflictingEditIndices,
  };
}
