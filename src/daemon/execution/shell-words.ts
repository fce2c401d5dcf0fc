const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One word for sh: itself where that is safe, else in single quotes. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command line that sh takes apart into exactly these arguments. */
export function shellCommandLine(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ');
}
