import type { ConflictKind, ExactEdit } from '../../../../src/protocol/runner/edits.js';

/**
 * The rules of exact edits written down a second time, as slowly and plainly as can be:
 * every character of the text knows the edit that takes it away, and every gap the texts
 * that go into it.
 */
export function referencePlan(body: string, edits: readonly ExactEdit[]): { text: string } | { conflict: ConflictKind } {
  const ranges: { edit: number; start: number; end: number; text: string }[] = [];
  for (const [index, edit] of edits.entries()) {
    if (edit.kind === 'replace_range') {
      const lines = body.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      if (edit.end_line > lines.length && !(lines.length === 0 && edit.start_line === 1 && edit.end_line === 1)) {
        return { conflict: 'match_not_found' };
      }
      const start = lines.slice(0, edit.start_line - 1).join('').length;
      const old = lines.slice(edit.start_line - 1, edit.end_line).join('');
      let text = edit.new_text;
      if (text !== '' && old.endsWith('\n') && !text.endsWith('\n')) text += '\n';
      if (text !== '' && old !== '' && !old.endsWith('\n') && text.endsWith('\n')) text = text.slice(0, -1);
      ranges.push({ edit: index, start, end: start + old.length, text });
      continue;
    }
    const needle = 'old_text' in edit ? edit.old_text : edit.anchor_text;
    const all: number[] = [];
    for (let at = 0; at + needle.length <= body.length; ) {
      if (body.slice(at, at + needle.length) === needle) {
        all.push(at);
        at += needle.length;
      } else at += 1;
    }
    const lineOf = (at: number): number => body.slice(0, at).split('\n').length;
    const isEligible = (at: number): boolean =>
      edit.line_scope === undefined ||
      (lineOf(at) >= edit.line_scope.start_line && lineOf(at + needle.length - 1) <= edit.line_scope.end_line);
    const eligible = all.filter(isEligible);
    const expected = edit.kind === 'replace_exact' ? edit.expected_match_count : undefined;
    let chosen: number[];
    if (all.length === 0) return { conflict: 'match_not_found' };
    if (edit.occurrence !== undefined) {
      const one = all[edit.occurrence - 1];
      if (one === undefined) return { conflict: 'occurrence_out_of_range' };
      if (!isEligible(one)) return { conflict: 'occurrence_outside_line_scope' };
      chosen = [one];
    } else {
      if (eligible.length === 0) return { conflict: 'match_not_found' };
      if (expected !== undefined && eligible.length !== expected) return { conflict: 'match_count_mismatch' };
      if (expected === undefined && eligible.length > 1) return { conflict: 'multiple_matches' };
      chosen = eligible;
    }
    for (const start of chosen) {
      const end = start + needle.length;
      if (edit.kind === 'insert_before') ranges.push({ edit: index, start, end: start, text: edit.new_text });
      else if (edit.kind === 'insert_after') ranges.push({ edit: index, start: end, end, text: edit.new_text });
      else ranges.push({ edit: index, start, end, text: edit.kind === 'delete_exact' ? '' : edit.new_text });
    }
  }
  for (const a of ranges) {
    for (const b of ranges) {
      if (a !== b && a.start < b.end && b.start < a.end) return { conflict: 'overlapping_edits' };
    }
  }
  let text = '';
  for (let at = 0; at <= body.length; at += 1) {
    for (const one of ranges) if (one.start === at && one.end === at) text += one.text;
    for (const one of ranges) if (one.start === at && one.end > at) text += one.text;
    const isTaken = ranges.some((one) => one.start <= at && at < one.end);
    if (!isTaken) text += body.charAt(at);
  }
  return { text };
}
