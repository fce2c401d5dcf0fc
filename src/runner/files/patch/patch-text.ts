import type { MatchingMode } from '../../../protocol/runner/edits.js';
import type { EditPlan } from '../edit/edit-plan.js';
import type { LineRange, PatchMisfit } from '../edit/patch-misfit.js';
import { readShape, restoreShape } from '../edit/text-shape.js';
import type { PatchHunk } from './parse-patch.js';
import { seekLines } from './seek-lines.js';
import { joinLines, splitLines } from './text-lines.js';

/**
 * Applies the hunks of one section to a file's text (spec 04 §7.6). All of them are
 * found on the text as it is, each behind the one before it; lines that are only context
 * stay as the file has them, whatever tier found them.
 */
export function patchText(text: string, hunks: readonly PatchHunk[], mode: MatchingMode): EditPlan {
  const shape = readShape(text);
  if (shape === null) return { unsuitable: 'mixed_line_endings' };
  const { lines, endsWithNewline } = splitLines(shape.body);
  const parts: string[] = [];
  let done = 0;
  for (const [hunkIndex, hunk] of hunks.entries()) {
    const at = placeOf(hunk, hunkIndex, { lines, from: done, mode });
    if (typeof at !== 'number') return { misfit: at };
    parts.push(...lines.slice(done, at));
    done = at;
    for (const { sign, text: line } of hunk.lines) {
      if (sign === '+') {
        parts.push(line);
        continue;
      }
      if (sign === ' ') parts.push(lines[done] ?? '');
      done += 1;
    }
  }
  parts.push(...lines.slice(done));
  return { text: restoreShape(shape, joinLines({ lines: parts, endsWithNewline })) };
}

interface Search {
  readonly lines: readonly string[];
  /** Where the hunk before this one ended. */
  readonly from: number;
  readonly mode: MatchingMode;
}

/** The index of a hunk's first line, or why it has none. */
function placeOf(hunk: PatchHunk, hunkIndex: number, { lines, from, mode }: Search): number | PatchMisfit {
  const misfit = (kind: PatchMisfit['kind'], places: readonly LineRange[]): PatchMisfit => ({
    kind,
    hunkIndex,
    patchLine: hunk.patchLine,
    places,
  });
  let start = from;
  for (const [depth, context] of hunk.contexts.entries()) {
    const found = seekLines(lines, [context], start, false, mode);
    // An inner context is the first one behind the outer.
    if (found.length > 1 && depth === 0 && mode !== 'first_match') return misfit('multiple_matches', ranges(found, 1));
    const [place] = found;
    if (place === undefined) return misfit('match_not_found', []);
    start = place + 1;
  }
  const wanted = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
  // What only puts in lines goes behind its context, or to the end of the file.
  if (wanted.length === 0) return hunk.contexts.length > 0 && !hunk.isEndOfFile ? start : lines.length;
  const found = seekLines(lines, wanted, start, hunk.isEndOfFile, mode);
  if (found.length > 1 && mode !== 'first_match') return misfit('multiple_matches', ranges(found, wanted.length));
  const [place] = found;
  if (place !== undefined) return place;
  const before = seekLines(lines, wanted, 0, hunk.isEndOfFile, mode).filter((at) => at < from);
  return before.length > 0 ? misfit('overlapping_edits', ranges(before, wanted.length)) : misfit('match_not_found', []);
}

function ranges(starts: readonly number[], length: number): LineRange[] {
  return starts.map((start) => ({ start_line: start + 1, end_line: start + length }));
}
