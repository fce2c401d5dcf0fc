import type { StructuredPatchHunk } from 'diff';
import type { EditPlan } from '../edit/edit-plan.js';
import type { PatchMisfit } from '../edit/patch-misfit.js';
import { readShape, restoreShape } from '../edit/text-shape.js';
import { seekLines } from './seek-lines.js';
import { joinLines, splitLines } from './text-lines.js';

const NO_NEWLINE = '\\';

/** One side of a hunk. */
interface Side {
  readonly lines: readonly string[];
  /** Whether a `\ No newline at end of file` follows its last line. */
  readonly lacksNewline: boolean;
}

/**
 * Applies hunks of a unified diff to a text, each exactly where it says and whole,
 * including whether the file ends with a newline. Nothing is searched for and nothing
 * is fuzzy; where the lines of a hunk that does not fit stand elsewhere is only told.
 */
export function applyHunks(text: string, hunks: readonly StructuredPatchHunk[]): EditPlan {
  const shape = readShape(text);
  if (shape === null) return { unsuitable: 'mixed_line_endings' };
  const { lines, endsWithNewline } = splitLines(shape.body);
  const parts: string[] = [];
  let [done, endsNewly] = [0, endsWithNewline];
  for (const [hunkIndex, hunk] of hunks.entries()) {
    const [before, after] = [sideOf(hunk, '-'), sideOf(hunk, '+')];
    const start = hunk.oldStart - 1;
    const end = start + before.lines.length;
    const reachesEnd = end === lines.length;
    // What only puts in lines at the end goes behind a line that ends as lines do.
    const wantsNewline = !before.lacksNewline;
    const fits =
      start >= done &&
      end <= lines.length &&
      before.lines.every((line, index) => line === lines[start + index]) &&
      (reachesEnd ? wantsNewline === endsWithNewline : wantsNewline);
    if (!fits) return { misfit: misfit(hunkIndex, before.lines, lines) };
    parts.push(...lines.slice(done, start), ...after.lines);
    done = end;
    if (reachesEnd) endsNewly = !after.lacksNewline;
  }
  parts.push(...lines.slice(done));
  return { text: restoreShape(shape, joinLines({ lines: parts, endsWithNewline: endsNewly })) };
}

function sideOf({ lines }: StructuredPatchHunk, sign: '-' | '+'): Side {
  const own: string[] = [];
  let lacksNewline = false;
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith(' ') || line.startsWith(sign)) {
      own.push(line.slice(1));
      lacksNewline = lines[index + 1]?.startsWith(NO_NEWLINE) === true;
    }
  }
  return { lines: own, lacksNewline };
}

function misfit(hunkIndex: number, before: readonly string[], lines: readonly string[]): PatchMisfit {
  const found = before.length === 0 ? [] : seekLines(lines, before, 0, false, 'exact_unique');
  return {
    kind: 'patch_not_applicable',
    hunkIndex,
    patchLine: null,
    places: found.map((start) => ({ start_line: start + 1, end_line: start + before.length })),
  };
}
