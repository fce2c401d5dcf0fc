import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MatchingMode } from '../../../../src/protocol/runner/edits.js';
import { parsePatch, type PatchHunk } from '../../../../src/runner/files/patch/parse-patch.js';
import { patchText } from '../../../../src/runner/files/patch/patch-text.js';

const update = (body: string): string => `*** Begin Patch\n*** Update File: a.txt\n${body}*** End Patch\n`;

function hunksOf(body: string): readonly PatchHunk[] {
  const sections = parsePatch(update(body));
  if ('problem' in sections || sections[0]?.kind !== 'update') throw new Error(JSON.stringify(sections));
  return sections[0].hunks;
}

const patched = (text: string, body: string, mode: MatchingMode = 'unique') => patchText(text, hunksOf(body), mode);

describe('parsePatch', () => {
  it('reads every kind of section', () => {
    expect(
      parsePatch(
        '\n*** Begin Patch\n*** Add File: new.txt\n+one\n+\n*** Delete File: gone.txt\n*** Update File: a.txt\n*** Move to: b.txt\n' +
          '@@ class A\n@@ def b\n old\n-minus\n+plus\n\n*** End of File\n@@\n+last\n*** End Patch\n\n',
      ),
    ).toEqual([
      { kind: 'add', path: 'new.txt', patchLine: 3, content: 'one\n\n' },
      { kind: 'delete', path: 'gone.txt', patchLine: 6 },
      {
        kind: 'update',
        path: 'a.txt',
        patchLine: 7,
        toPath: 'b.txt',
        hunks: [
          {
            contexts: ['class A', 'def b'],
            lines: [
              { sign: ' ', text: 'old' },
              { sign: '-', text: 'minus' },
              { sign: '+', text: 'plus' },
              { sign: ' ', text: '' },
            ],
            isEndOfFile: true,
            patchLine: 9,
          },
          { contexts: [], lines: [{ sign: '+', text: 'last' }], isEndOfFile: false, patchLine: 16 },
        ],
      },
    ]);
  });

  it('says at which line a text is no patch, and quotes nothing of it', () => {
    const problems: [string, number][] = [
      ['', 1],
      ['secret', 1],
      ['*** Begin Patch', 1],
      ['*** Begin Patch\n*** End Patch', 2],
      ['*** Begin Patch\nsecret\n*** End Patch', 2],
      [update(''), 2],
      [update('@@\n'), 4],
      [update('@@\nsecret\n'), 4],
      [update(' a\nsecret\n'), 4],
      ['*** Begin Patch\n*** Add File: a\nsecret\n*** End Patch', 3],
    ];
    for (const [patch, patchLine] of problems) {
      const parsed = parsePatch(patch);
      expect(parsed, patch).toMatchObject({ patchLine });
      expect(JSON.stringify(parsed)).not.toContain('secret');
    }
  });
});

describe('patchText', () => {
  it('looks exactly, then without blanks at the end, then on both sides, then without typography', () => {
    const tiers: [string, string][] = [
      ['a\nb\n', 'a\nB\n'],
      ['a \nb\t\n', 'a \nB\n'],
      ['  a\n\tb\n', '  a\nB\n'],
    ];
    for (const [text, result] of tiers) expect(patched(text, '@@\n a\n-b\n+B\n')).toEqual({ text: result });
    expect(patched('say \u201chi\u201d \u2014 now\nb\n', '@@\n say "hi" - now\n-b\n+B\n')).toEqual({ text: 'say \u201chi\u201d \u2014 now\nB\n' });
  });

  it('takes an exact match although a looser one stands before it', () => {
    expect(patched('  x\nx\n', '@@\n-x\n+y\n')).toEqual({ text: '  x\ny\n' });
    expect(patched('  x\n', '@@\n-x\n+y\n', 'exact_unique')).toMatchObject({ misfit: { kind: 'match_not_found', places: [] } });
  });

  it('wants one place, unless the first will do', () => {
    const text = 'x\nq\nx\n';
    expect(patched(text, '@@\n-x\n+y\n')).toEqual({
      misfit: { kind: 'multiple_matches', hunkIndex: 0, patchLine: 3, places: [{ start_line: 1, end_line: 1 }, { start_line: 3, end_line: 3 }] },
    });
    expect(patched(text, '@@\n-x\n+y\n', 'first_match')).toEqual({ text: 'y\nq\nx\n' });
    expect(patched(text, '@@ q\n-x\n+y\n')).toEqual({ text: 'x\nq\ny\n' });
    expect(patched(text, '@@\n-x\n+y\n*** End of File\n')).toEqual({ text: 'x\nq\ny\n' });
    expect(patched(text, '@@ x\n-q\n+y\n')).toMatchObject({ misfit: { kind: 'multiple_matches' } });
  });

  it('finds inner contexts behind the outer one', () => {
    const text = 'class A\n  def f\n    1\nclass B\n  def f\n    2\n';
    expect(patched(text, '@@ class B\n@@   def f\n-    2\n+    3\n')).toEqual({ text: text.replace('2', '3') });
  });

  it('puts lines behind their context, or at the end', () => {
    expect(patched('a\nb\n', '@@ a\n+new\n')).toEqual({ text: 'a\nnew\nb\n' });
    expect(patched('a\nb\n', '@@\n+new\n')).toEqual({ text: 'a\nb\nnew\n' });
    expect(patched('', '@@\n+new\n')).toEqual({ text: 'new\n' });
  });

  it('keeps line endings, a byte order mark, and a missing final newline', () => {
    expect(patched('\ufeffa\r\nb', '@@\n-b\n+B\n+C\n')).toEqual({ text: '\ufeffa\r\nB\r\nC' });
    expect(patched('a\r\nb\n', '@@\n-b\n+B\n')).toEqual({ unsuitable: 'mixed_line_endings' });
  });

  it('refuses hunks that come twice over the same lines', () => {
    expect(patched('a\nb\nc\n', '@@\n a\n-b\n+B\n@@\n-b\n+X\n')).toEqual({
      misfit: { kind: 'overlapping_edits', hunkIndex: 1, patchLine: 7, places: [{ start_line: 2, end_line: 2 }] },
    });
  });

  it('does what a patch that is made from two texts says', () => {
    const line = fc.stringMatching(/^[a-z ]{0,6}$/);
    fc.assert(
      fc.property(fc.uniqueArray(line, { minLength: 1, maxLength: 12 }), fc.array(fc.record({ drop: fc.boolean(), put: fc.array(line, { maxLength: 2 }) }), { minLength: 12, maxLength: 12 }), (lines, changes) => {
        const body = lines.map((text, index) => {
          const { drop, put } = changes[index] ?? { drop: false, put: [] };
          return `${drop ? '-' : ' '}${text}\n${put.map((added) => `+${added}\n`).join('')}`;
        });
        const expected = lines.flatMap((text, index) => {
          const { drop, put } = changes[index] ?? { drop: false, put: [] };
          return [...(drop ? [] : [text]), ...put];
        });
        const text = lines.map((one) => `${one}\n`).join('');
        expect(patched(text, `@@\n${body.join('')}`, 'exact_unique')).toEqual({ text: expected.map((one) => `${one}\n`).join('') });
      }),
    );
  });
});
