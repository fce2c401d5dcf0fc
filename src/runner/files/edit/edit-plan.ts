import type { EditConflict } from './conflict.js';
import type { PatchMisfit } from './patch-misfit.js';

/** What becomes of a snapshot: its new text, or why there is none. */
export type EditPlan = { readonly text: string } | NoPlan;

export type NoPlan =
  | { readonly conflict: EditConflict }
  | { readonly unsuitable: 'mixed_line_endings' | 'file_too_large' }
  | { readonly misfit: PatchMisfit }
  | { readonly invalid: { readonly editIndex: number; readonly problem: string } };

/** A range of the snapshot and what takes its place; an empty range is an insertion. */
export interface Replacement {
  readonly editIndex: number;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly text: string;
}
