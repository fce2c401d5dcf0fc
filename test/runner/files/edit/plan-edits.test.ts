import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactEditSchema, type ExactEdit } from '../../../../src/protocol/runner/edits.js';
import { conflictRecovery } from '../../../../src/runner/files/edit/conflict.js';
import { planEdits } from '../../../../src/runner/files/edit/plan-edits.js';
import { referencePlan } from './reference-plan.js';

const edit = (given: unknown): ExactEdit => exactEditSchema.parse(given);

function apply(text: string, ...edits: unknown[]): string {
  const plan = planEdits(text, edits.map(edit));
  if (!('text' in plan)) throw new Error(JSON.stringify(plan));
  return plan.text;
}

function conflict(text: string, ...edits: unknown[]) {
  const plan = planEdits(text, edits.map(edit));
  if (!('conflict' in plan)) throw new Error(JSON.stringify(plan));
  return plan.conflict;
}

const replace = (old_text: string, new_text: string, more = {}) => ({ kind: 'replace_exact', old_text, new_text, ...more });

describe('planEdits', () => {
  it('resolves all edits on one snapshot, whatever their order', () => {
    const edits = [
      { kind: 'insert_after', anchor_text: 'c\n', new_text: 'd\n' },
      replace('a', 'b'),
      { kind: 'delete_exact', old_text: 'b\n' },
      { kind: 'insert_before', anchor_text: 'a\n', new_text: '0\n' },
    ];
    expect(apply('a\nb\nc\n', ...edits)).toBe('0\nb\nc\nd\n');
  });

  it('counts matches left to right without overlap', () => {
    expect(conflict('aaaa', replace('aa', 'x')).matchCount).toBe(2);
    expect(apply('aaaaa', replace('aa', 'x', { occurrence: 2 }))).toBe('aaxa');
  });

  it('replaces all matches when they are as many as expected', () => {
    expect(apply('a a a', replace('a', 'b', { expected_match_count: 3 }))).toBe('b b b');
    expect(apply('a\na\na\n', replace('a', 'b', { expected_match_count: 2, line_scope: { start_line: 2, end_line: 3 } }))).toBe('a\nb\nb\n');
  });

  it('lets edits touch, and orders insertions at one place as they were given', () => {
    expect(apply('ab', replace('a', 'x'), replace('b', 'y'))).toBe('xy');
    expect(
      apply(
        'ab',
        { kind: 'insert_after', anchor_text: 'a', new_text: '1' },
        { kind: 'insert_before', anchor_text: 'b', new_text: '2' },
        replace('b', 'B'),
      ),
    ).toBe('a12B');
  });

  it('keeps CRLF, a missing final newline, and a byte order mark', () => {
    expect(apply('a\r\nb\r\nc', replace('a\nb', 'x\ny\nz'))).toBe('x\r\ny\r\nz\r\nc');
    expect(apply('a\r\nb\r\n', replace('a\r\nb', 'x\r\ny'))).toBe('x\r\ny\r\n');
    expect(apply('\ufeffa\nb\n', replace('a', 'x'))).toBe('\ufeffx\nb\n');
    expect(apply('\ufeffa\nb\n', replace('\ufeffa\n', '\ufeffx\n'))).toBe('\ufeffx\nb\n');
    expect(apply('\ufeffa', { kind: 'insert_before', anchor_text: 'a', new_text: '0' })).toBe('\ufeff0a');
    expect(conflict('\ufeffb\na\n', replace('\ufeffa', 'x')).kind).toBe('match_not_found');
    expect(conflict('\ufeffb\n', replace('\ufeff', 'x')).kind).toBe('match_not_found');
  });

  it.each(['a\r\nb\n', 'a\rb', 'a\r\n\r', '\r'])('refuses mixed line endings: %j', (text) => {
    expect(planEdits(text, [edit(replace('a', 'b'))])).toEqual({ unsuitable: 'mixed_line_endings' });
  });

  it('refuses a bare carriage return in an edit', () => {
    expect(planEdits('a', [edit(replace('a', 'b\rc'))])).toEqual({
      invalid: { editIndex: 0, problem: 'new_text has a carriage return without a line feed' },
    });
  });

  it('refuses a result that would become too large', () => {
    const edits = [edit(replace('a', 'x'.repeat(500_000), { expected_match_count: 40 }))];
    expect(planEdits('a'.repeat(40), edits)).toEqual({ unsuitable: 'file_too_large' });
  });
});

describe('replace_range', () => {
  const range = (start_line: number, end_line: number, new_text: string) => ({ kind: 'replace_range', start_line, end_line, new_text });

  it.each([
    ['a\nb\nc\n', range(2, 2, 'x\ny\n'), 'a\nx\ny\nc\n'],
    ['a\nb\nc\n', range(2, 2, 'x'), 'a\nx\nc\n'],
    ['a\nb\nc\n', range(1, 3, ''), ''],
    ['a\nb\nc', range(3, 3, 'x\n'), 'a\nb\nx'],
    ['a\nb\nc', range(3, 3, 'x'), 'a\nb\nx'],
    ['a\nb\nc', range(3, 3, ''), 'a\nb\n'],
    ['a\nb', range(1, 1, '\n'), '\nb'],
    ['a\r\nb\r\n', range(2, 2, 'x\ny'), 'a\r\nx\r\ny\r\n'],
    ['\ufeffa\nb\n', range(1, 1, '\ufeffx\n'), '\ufeffx\nb\n'],
    ['', range(1, 1, 'x'), 'x'],
    ['', range(1, 1, 'x\n'), 'x\n'],
  ])('%j with %j becomes %j', (text, change, expected) => {
    expect(apply(text, change)).toBe(expected);
  });

  it('knows lines that the file has not', () => {
    expect(conflict('a\nb\n', range(2, 3, 'x'))).toMatchObject({ kind: 'match_not_found', matchCount: 0 });
    expect(conflict('', range(1, 2, 'x')).kind).toBe('match_not_found');
  });
});

describe('conflicts', () => {
  const recovery = (text: string, ...edits: unknown[]) => conflictRecovery(conflict(text, ...edits));

  it('[04-A13] two matches and no occurrence', () => {
    expect(recovery('dup\nx\ndup\n', replace('dup', 'one'))).toEqual({
      schema_version: 1,
      conflict_kind: 'multiple_matches',
      recovery_action: 'select_occurrence_or_refine_match',
      occurrence_selector_supported: true,
      direct_retry_safe: true,
      reread_required: false,
      match_count: 2,
      candidate_ranges: [
        { occurrence: 1, start_line: 1, end_line: 1 },
        { occurrence: 2, start_line: 3, end_line: 3 },
      ],
      candidates_truncated: false,
      conflicting_edit_indices: [],
    });
  });

  it('[04-A14] the third of two', () => {
    expect(recovery('dup\ndup\n', replace('dup', 'one', { occurrence: 3 }))).toMatchObject({
      conflict_kind: 'occurrence_out_of_range',
      recovery_action: 'choose_valid_occurrence_or_refine_match',
      direct_retry_safe: true,
      match_count: 2,
    });
  });

  it('[04-A15] intersecting edits', () => {
    expect(recovery('abcdef', replace('def', 'x'), replace('a', 'x'), replace('bcd', 'y'))).toMatchObject({
      conflict_kind: 'overlapping_edits',
      recovery_action: 'refine_edit_batch',
      direct_retry_safe: true,
      conflicting_edit_indices: [0, 2],
    });
    // An insertion inside replaced text intersects; one at its edge does not.
    expect(conflict('abc', replace('abc', 'x'), { kind: 'insert_after', anchor_text: 'a', new_text: '1' }).kind).toBe('overlapping_edits');
    expect(apply('abc', replace('abc', 'x'), { kind: 'insert_after', anchor_text: 'abc', new_text: '1' })).toBe('x1');
  });

  it('[04-A17] occurrence 1 with a scope around the second', () => {
    const scope = { occurrence: 1, line_scope: { start_line: 3, end_line: 3 } };
    expect(recovery('dup\nx\ndup\n', replace('dup', 'one', scope))).toMatchObject({
      conflict_kind: 'occurrence_outside_line_scope',
      recovery_action: 'align_occurrence_with_line_scope',
      direct_retry_safe: true,
      candidate_ranges: [{ occurrence: 2, start_line: 3, end_line: 3 }],
    });
    expect(apply('dup\nx\ndup\n', replace('dup', 'one', { ...scope, occurrence: 2 }))).toBe('dup\nx\none\n');
  });

  it('numbers over the whole file under a scope, and takes only what lies in it whole', () => {
    const text = 'dup\ndup\na\nb\n';
    expect(apply(text, replace('dup', 'one', { line_scope: { start_line: 2, end_line: 2 } }))).toBe('dup\none\na\nb\n');
    expect(conflict(text, replace('a\nb', 'x', { line_scope: { start_line: 3, end_line: 3 } })).kind).toBe('match_not_found');
    expect(apply(text, replace('a\nb', 'x', { line_scope: { start_line: 3, end_line: 4 } }))).toBe('dup\ndup\nx\n');
  });

  it('[04-A18] three expected, four found', () => {
    expect(recovery('a\na\na\na\n', replace('a', 'b', { expected_match_count: 3 }))).toMatchObject({
      conflict_kind: 'match_count_mismatch',
      recovery_action: 'reread_or_refine_match',
      direct_retry_safe: false,
      match_count: 4,
    });
  });

  it('[04-A19] twelve matches show eight', () => {
    const { candidate_ranges, candidates_truncated, match_count } = recovery('a\n'.repeat(12), replace('a', 'b'));
    expect([(candidate_ranges as unknown[]).length, candidates_truncated, match_count]).toEqual([8, true, 12]);
  });

  it('names the lines of a match that spans several', () => {
    expect(conflict('x\na\nb\nx\na\nb\n', replace('a\nb\n', 'y')).candidates).toEqual([
      { occurrence: 1, start_line: 2, end_line: 3 },
      { occurrence: 2, start_line: 5, end_line: 6 },
    ]);
  });
});

describe('[00-D35] the near miss of a match that was not found', () => {
  it.each([
    ['a tab for blanks', 'if (x) {\n\treturn one;\n}\n', '    return one;', { line: 2, column: 1, expected: '    return o', found: '\\treturn one;' }],
    ['a no-break space', 'const a\u00a0= 1;\n', 'const a = 1;', { line: 1, column: 8, expected: ' = 1;', found: '\\u00a0= 1;\\n' }],
    ['another word', 'call(alpha, beta);\n', 'call(alpha, gamma);', { line: 1, column: 13, expected: 'gamma);', found: 'beta);\\n' }],
    ['trailing blanks', 'first line  \nsecond\n', 'first line\nsecond', { line: 1, column: 11, expected: '\\nsecond', found: '  \\nsecond\\n' }],
    ['beyond the basic plane', 'say "hi 😀"\n', 'say "hi 😁"', { line: 1, column: 9, expected: '\\u{1f601}"', found: '\\u{1f600}"\\n' }],
    ['the end of the file', 'the last line', 'the last line\nand more', { line: 1, column: 14, expected: '\\nand more', found: '' }],
  ])('%s', (_, text, old, expected) => {
    expect(conflict(text, replace(old, 'x')).nearMiss).toEqual(expected);
  });

  it('says nothing where nothing is near', () => {
    expect(conflict('one\ntwo\n', replace('completely different', 'x')).nearMiss).toBeNull();
  });

  it('shows at most 64 characters', () => {
    const miss = conflict(`prefix of it ${'\u{1f600}'.repeat(40)}`, replace(`prefix of it ${'\u{1f601}'.repeat(40)}`, 'x')).nearMiss;
    expect(miss?.found.length).toBeLessThanOrEqual(64);
    expect(miss?.expected.length).toBeLessThanOrEqual(64);
  });

  it('always departs where it says', () => {
    const character = fc.constantFrom('a', 'b', ' ', '\t', '\n', '\u00a0', 'é', '😀');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 60 }), fc.string({ unit: character, minLength: 1, maxLength: 20 }), (text, old) => {
        const plan = planEdits(text, [edit(replace(old, ''))]);
        if (!('conflict' in plan) || plan.conflict.nearMiss === null) return;
        const { line, column, expected, found } = plan.conflict.nearMiss;
        const lines = text.split('\n');
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual([...(lines[line - 1] ?? '')].length + 1);
        expect(expected).not.toBe('');
        expect(expected === found && expected.length < 12).toBe(false);
      }),
    );
  });
});

describe('against a reference', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', '\n', 'aa\n', 'é', '😀', ' ');
  const body = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  const needle = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));
  const text = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
  const selectors = fc.record(
    {
      occurrence: fc.integer({ min: 1, max: 4 }),
      line_scope: fc
        .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 4 }))
        .map(([start_line, length]) => ({ start_line, end_line: start_line + length })),
    },
    { requiredKeys: [] },
  );
  const anyEdit: fc.Arbitrary<ExactEdit> = fc
    .oneof(
      fc.tuple(needle, text, selectors).map(([old_text, new_text, more]) => replace(old_text, new_text, more)),
      fc.tuple(needle, text, fc.integer({ min: 1, max: 5 })).map(([old_text, new_text, expected_match_count]) => replace(old_text, new_text, { expected_match_count })),
      fc.tuple(needle, selectors).map(([old_text, more]) => ({ kind: 'delete_exact', old_text, ...more })),
      fc.tuple(fc.constantFrom('insert_before', 'insert_after'), needle, text, selectors).map(([kind, anchor_text, new_text, more]) => ({ kind, anchor_text, new_text, ...more })),
      fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 3 }), text).map(([start_line, length, new_text]) => ({ kind: 'replace_range', start_line, end_line: start_line + length, new_text })),
    )
    .map(edit);

  it('applies or refuses every batch as the reference does, in each shape of file', () => {
    const shapes = fc.record({ hasBom: fc.boolean(), isCrlf: fc.boolean() });
    fc.assert(
      fc.property(body, fc.array(anyEdit, { minLength: 1, maxLength: 4 }), shapes, (lf, edits, { hasBom, isCrlf }) => {
        // A file of one line has no convention to keep.
        const keepsCrlf = isCrlf && lf.includes('\n');
        const shaped = (value: string): string => (hasBom ? '\ufeff' : '') + (keepsCrlf ? value.replaceAll('\n', '\r\n') : value);
        const expected = referencePlan(lf, edits);
        const plan = planEdits(shaped(lf), edits);
        if ('conflict' in expected) {
          expect(plan).toMatchObject({ conflict: { kind: expected.conflict } });
        } else {
          expect(plan).toEqual({ text: shaped(expected.text) });
        }
      }),
      { numRuns: 3000 },
    );
  });
});
