const MAX_PATTERN_BYTES = 256;
const PLAIN = /^[\x21-\x7e]+$/;

/**
 * Whether a package pattern is one that we hand to go (spec 03 §7): `.`, `./x`, `./...`
 * or `./x/...`, ASCII, at most 256 bytes, no `.`, `..` or `...` inside.
 */
export function isPackagePattern(pattern: string): boolean {
  if (pattern === '.') return true;
  if (pattern.length > MAX_PATTERN_BYTES || !PLAIN.test(pattern) || !pattern.startsWith('./')) return false;
  const parts = pattern.slice(2).split('/');
  const last = parts.at(-1);
  const folders = last === '...' ? parts.slice(0, -1) : parts;
  return folders.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('...'));
}

/** The folder that a pattern begins in. */
export function folderOfPattern(pattern: string): string {
  const folder = pattern.replace(/\/\.\.\.$/, '');
  return folder === '' ? '.' : folder;
}
