import type { MatchingMode } from '../../../protocol/runner/edits.js';

/** Which of a file's lines count as which of a patch's, from the strictest on. */
const TIERS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => normalizeLine(line.trim()),
];

/**
 * Where a run of lines stands, as indices of its first line: all places of the first
 * tier that has any.
 *
 * @param from the first index that counts
 * @param isAtEnd the run must end the file
 */
export function seekLines(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  isAtEnd: boolean,
  mode: MatchingMode,
): readonly number[] {
  const last = lines.length - wanted.length;
  const first = isAtEnd ? Math.max(from, last) : from;
  for (const fold of mode === 'exact_unique' ? TIERS.slice(0, 1) : TIERS) {
    const folded = wanted.map(fold);
    const places: number[] = [];
    for (let at = first; at <= last; at += 1) {
      if (folded.every((line, index) => fold(lines[at + index] ?? '') === line)) places.push(at);
    }
    if (places.length > 0) return places;
  }
  return [];
}

/** Typographic dashes, quotes and blanks, as people who copy text from a page get them, by their ASCII forms. */
function normalizeLine(line: string): string {
  return line
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}
