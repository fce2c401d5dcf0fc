import type { ExactEdit } from '../../../protocol/runner/edits.js';
import { plainConflict } from './conflict.js';
import type { EditPlan, Replacement } from './edit-plan.js';
import { LineIndex } from './line-index.js';
import { resolveEdit } from './resolve-edit.js';
import { readShape, restoreShape } from './text-shape.js';

/** The most characters that an edited file may have. */
export const MAX_EDITED_CHARACTERS = 16 * 1024 * 1024;

/**
 * Applies a batch of exact edits to one snapshot (spec 04 §7.6). All edits are resolved
 * on the snapshot as it is; their ranges must not intersect. It is pure: same text and
 * edits, same plan.
 */
export function planEdits(text: string, edits: readonly ExactEdit[]): EditPlan {
  const shape = readShape(text);
  if (shape === null) return { unsuitable: 'mixed_line_endings' };
  const snapshot = { body: shape.body, hasBom: shape.hasBom, lines: new LineIndex(shape.body) };
  const replacements: Replacement[] = [];
  for (const [editIndex, edit] of edits.entries()) {
    const resolved = resolveEdit(edit, editIndex, snapshot);
    if (!Array.isArray(resolved)) return resolved;
    replacements.push(...resolved);
  }
  replacements.sort(inFileOrder);
  const overlap = firstOverlap(replacements);
  if (overlap !== null) return { conflict: plainConflict('overlapping_edits', overlap[1], overlap) };
  const length = replacements.reduce((sum, { start, end, text }) => sum + text.length - (end - start), shape.body.length);
  if (length > MAX_EDITED_CHARACTERS) return { unsuitable: 'file_too_large' };
  return { text: restoreShape(shape, replaceAll(shape.body, replacements)) };
}

/** By place; at one place insertions come first, then as they were given. */
function inFileOrder(a: Replacement, b: Replacement): number {
  return a.start - b.start || a.end - b.end || a.editIndex - b.editIndex;
}

/** The first two edits, in the order they were given, whose ranges intersect. Touching is not intersecting. */
function firstOverlap(sorted: readonly Replacement[]): [number, number] | null {
  for (const [index, later] of sorted.entries()) {
    const earlier = sorted[index - 1];
    if (earlier === undefined || later.start >= earlier.end) continue;
    const pair: [number, number] = [earlier.editIndex, later.editIndex];
    return pair[0] < pair[1] ? pair : [pair[1], pair[0]];
  }
  return null;
}

function replaceAll(body: string, sorted: readonly Replacement[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, text } of sorted) {
    parts.push(body.slice(done, start), text);
    done = end;
  }
  parts.push(body.slice(done));
  return parts.join('');
}
