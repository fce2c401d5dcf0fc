/**
 * How a path is protected by its name alone (spec 04 §1):
 * - `secret`: neither read nor written, on either side of a rename;
 * - `bulk`: search, lists and edits leave it out, a single read is allowed.
 */
export type PathProtection = 'secret' | 'bulk';

const SECRET_NAMES: ReadonlySet<string> = new Set(['secrets', 'tokens', 'projects.d']);
const SECRET_PREFIXES = ['.env', 'wc.toml', 'wc.env'];
const SECRET_SUFFIXES = ['.pem', '.key', '.env', '.toml.bak'];
const BULK_NAMES: ReadonlySet<string> = new Set(['.git', 'target', 'node_modules']);

/** The protection of a project-relative path: of its parts, the strictest one; null when it has none. */
export function pathProtection(relative: string): PathProtection | null {
  // Nearly every path of a large tree ends here.
  if (ASCII.test(relative) && !SUSPECT.test(relative)) return null;
  let found: PathProtection | null = null;
  for (const part of relative.split('/')) {
    const name = foldCase(part);
    if (isSecretName(name)) return 'secret';
    if (BULK_NAMES.has(name)) found = 'bulk';
  }
  return found;
}

const ASCII = /^[\0-\x7f]*$/;

/** What a path of ASCII characters has somewhere in it when a part of it is protected. */
const SUSPECT = new RegExp(
  [...SECRET_NAMES, ...SECRET_PREFIXES, ...SECRET_SUFFIXES, ...BULK_NAMES].map((text) => text.replaceAll('.', '\\.')).join('|'),
  'i',
);

/** The same rules as name patterns for git and ripgrep; to be matched case-insensitively, at any depth. */
export const PROTECTED_NAME_GLOBS: Readonly<Record<PathProtection, readonly string[]>> = {
  secret: [
    ...SECRET_NAMES,
    ...SECRET_PREFIXES.map((prefix) => `${prefix}*`),
    ...SECRET_SUFFIXES.map((suffix) => `*${suffix}`),
  ],
  bulk: [...BULK_NAMES],
};

function isSecretName(name: string): boolean {
  return (
    SECRET_NAMES.has(name) ||
    SECRET_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    SECRET_SUFFIXES.some((suffix) => name.endsWith(suffix))
  );
}

/** Folds what case-insensitive file systems fold: upper-casing first catches letters such as U+017F (long s). */
function foldCase(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}
