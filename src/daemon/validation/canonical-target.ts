/*
 * The canonical forms of what makes two validator runs the same check (spec 06 §2), so
 * that a different spelling of the same thing is the same target.
 */

/** A folder: trimmed, without `./` in front and `/` behind; nothing is `.`. */
export function canonicalFolder(folder: string | null | undefined): string {
  const plain = (folder ?? '').trim().replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  return plain === '' ? '.' : plain;
}

/** A name: trimmed; a blank one is null. */
export function canonicalName(name: string | null | undefined): string | null {
  const plain = (name ?? '').trim();
  return plain === '' ? null : plain;
}

/** Names as a set: trimmed, sorted by code units, each once, without blanks. */
export function canonicalNames(names: readonly string[] | undefined): readonly string[] {
  const plain = (names ?? []).map((name) => name.trim()).filter((name) => name !== '');
  return [...new Set(plain)].sort();
}
