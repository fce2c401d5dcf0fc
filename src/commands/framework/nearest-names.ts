/** At most so many names are offered. */
const OFFERED = 3;

/** The names that a mistyped word may have meant: those nearest to it, none when nothing is near. */
export function nearestNames(word: string, names: readonly string[]): readonly string[] {
  const bound = Math.max(1, Math.floor(word.length / 3));
  const measured = names.map((name) => ({ name, distance: isPrefix(word, name) ? 0.5 : editDistance(word, name) }));
  const nearest = Math.min(bound, ...measured.map(({ distance }) => distance));
  return measured
    .filter(({ distance }) => distance <= nearest)
    .map(({ name }) => name)
    .sort()
    .slice(0, OFFERED);
}

function isPrefix(word: string, name: string): boolean {
  return word.length >= 3 && name.startsWith(word);
}

/** Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(replaced, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
