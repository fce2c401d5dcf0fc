const ESCAPES: Readonly<Record<string, number>> = {
  a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92,
};

/**
 * A path as git prints it in patch headers: names with control characters, quotes or
 * backslashes stand in double quotes with C escapes, names with blanks end with a tab.
 */
export function unquotePath(shown: string): string {
  const text = shown.replace(/\t$/, '');
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  const bytes: Buffer[] = [];
  for (const [token] of text.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    if (!token.startsWith('\\')) bytes.push(Buffer.from(token));
    else if (/^\\[0-7]{3}$/.test(token)) bytes.push(Buffer.of(Number.parseInt(token.slice(1), 8) & 0xff));
    else bytes.push(Buffer.of(ESCAPES[token.slice(1)] ?? token.charCodeAt(1)));
  }
  return Buffer.concat(bytes).toString('utf8');
}
