import type { ExactEdit } from '../../../protocol/runner/edits.js';
import { matchConflict } from './conflict.js';
import type { NoPlan, Replacement } from './edit-plan.js';
import type { LineIndex } from './line-index.js';
import { findMatches, inScope, type Match } from './matches.js';
import { nearMiss } from './near-miss.js';
import { normalizeEditText, withoutBom } from './text-shape.js';

/** The text that edits are matched on. */
export interface Snapshot {
  /** Without a byte order mark, with LF alone. */
  readonly body: string;
  readonly hasBom: boolean;
  readonly lines: LineIndex;
}

/** The ranges of one edit on the snapshot, or why it has none. */
export function resolveEdit(edit: ExactEdit, editIndex: number, snapshot: Snapshot): Replacement[] | NoPlan {
  const newText = normalizeEditText('new_text' in edit ? edit.new_text : '');
  if (newText === null) return bareReturn(editIndex, 'new_text');
  if (edit.kind === 'replace_range') return resolveRange(edit, newText, editIndex, snapshot);

  const isInsertion = edit.kind === 'insert_before' || edit.kind === 'insert_after';
  const needle = normalizeEditText(isInsertion ? edit.anchor_text : edit.old_text);
  if (needle === null) return bareReturn(editIndex, isInsertion ? 'anchor_text' : 'old_text');
  const chosen = chooseMatches(edit, needle, editIndex, snapshot);
  if (!Array.isArray(chosen)) return chosen;
  return chosen.map(({ start, end }) => {
    const text = start === 0 && snapshot.hasBom ? withoutBom(newText).text : newText;
    if (edit.kind === 'insert_before') return { editIndex, start, end: start, text };
    if (edit.kind === 'insert_after') return { editIndex, start: end, end, text: newText };
    return { editIndex, start, end, text };
  });
}

/** Which matches an edit is about, by its selectors. */
function chooseMatches(
  edit: Exclude<ExactEdit, { kind: 'replace_range' }>,
  needle: string,
  editIndex: number,
  snapshot: Snapshot,
): Match[] | NoPlan {
  const { body, lines } = snapshot;
  const matches = matchesOf(needle, snapshot);
  const eligible = inScope(matches, edit.line_scope, lines);
  const expected = edit.kind === 'replace_exact' ? edit.expected_match_count : undefined;
  const { occurrence } = edit;

  if (matches.length === 0 || (eligible.length === 0 && occurrence === undefined)) {
    const candidate = matches.length === 0 ? nearMiss(body, needle, lines) : null;
    return { conflict: matchConflict('match_not_found', editIndex, [], lines, candidate) };
  }
  if (expected !== undefined) {
    return eligible.length === expected
      ? [...eligible]
      : { conflict: matchConflict('match_count_mismatch', editIndex, eligible, lines) };
  }
  if (occurrence !== undefined) {
    const selected = matches[occurrence - 1];
    if (selected === undefined) {
      return { conflict: matchConflict('occurrence_out_of_range', editIndex, matches, lines) };
    }
    return eligible.includes(selected)
      ? [selected]
      : { conflict: matchConflict('occurrence_outside_line_scope', editIndex, eligible, lines) };
  }
  return eligible.length === 1
    ? [...eligible]
    : { conflict: matchConflict('multiple_matches', editIndex, eligible, lines) };
}

/** A mark at the start of what is looked for stands for the start of a file that has one. */
function matchesOf(needle: string, { body, hasBom }: Snapshot): Match[] {
  const bare = withoutBom(needle);
  if (!hasBom || !bare.hadBom) return findMatches(body, needle);
  return bare.text !== '' && body.startsWith(bare.text) ? [{ occurrence: 1, start: 0, end: bare.text.length }] : [];
}

/**
 * Whole lines, their newlines included. What takes their place ends as they did: with a
 * newline where they had one, without where the file ends without. No text deletes them.
 */
function resolveRange(
  edit: Extract<ExactEdit, { kind: 'replace_range' }>,
  newText: string,
  editIndex: number,
  { body, hasBom, lines }: Snapshot,
): Replacement[] | NoPlan {
  const isEmptyFile = lines.count === 0 && edit.start_line === 1 && edit.end_line === 1;
  if (edit.end_line > lines.count && !isEmptyFile) {
    return { conflict: matchConflict('match_not_found', editIndex, [], lines) };
  }
  const [start, end] = [lines.startOf(edit.start_line), lines.endOf(edit.end_line)];
  const text = start === 0 && hasBom ? withoutBom(newText).text : newText;
  if (text === '' || isEmptyFile) return [{ editIndex, start, end, text }];
  const endsWithNewline = body[end - 1] === '\n';
  if (endsWithNewline === text.endsWith('\n')) return [{ editIndex, start, end, text }];
  return [{ editIndex, start, end, text: endsWithNewline ? `${text}\n` : text.slice(0, -1) }];
}

function bareReturn(editIndex: number, field: string): NoPlan {
  return { invalid: { editIndex, problem: `${field} has a carriage return without a line feed` } };
}
