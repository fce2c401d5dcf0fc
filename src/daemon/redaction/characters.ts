/* Bounds in characters count Unicode code points (spec 00, decision 14); no cut halves one. */

/** The first `characters` code points of `text`. */
export function firstCharacters(text: string, characters: number): string {
  if (text.length <= characters) return text;
  let units = 0;
  let count = 0;
  for (const character of text) {
    if (count === characters) break;
    units += character.length;
    count += 1;
  }
  return text.slice(0, units);
}

/** The last `characters` code points of `text`. */
export function lastCharacters(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // A code point has two units at most, so that a short tail is enough to count in.
  return Array.from(text.slice(-2 * characters - 1)).slice(-characters).join('');
}

/** Whether `text` has more than `limit` code points. */
export function exceedsCharacters(text: string, limit: number): boolean {
  return firstCharacters(text, limit).length < text.length;
}
