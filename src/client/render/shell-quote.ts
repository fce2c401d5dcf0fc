/** One word for a POSIX shell, quoted only where it needs to be. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
