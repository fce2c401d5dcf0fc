/** Lines of a file, both included, counted from 1. */
export interface LineRange {
  readonly start_line: number;
  readonly end_line: number;
}

/** Why a hunk does not fit its file: positions only, never a line of the file or of the patch. */
export interface PatchMisfit {
  readonly kind: 'match_not_found' | 'multiple_matches' | 'overlapping_edits' | 'patch_not_applicable';
  /** Within its file, from 0. */
  readonly hunkIndex: number;
  /** The line of the patch that the hunk begins at, from 1; null where only its index is known. */
  readonly patchLine: number | null;
  /** Where its lines stand in the file, so far as they do. */
  readonly places: readonly LineRange[];
}
