import { isDeepStrictEqual } from 'node:util';
import { ConfigRefused } from './config-refused.js';
import { isRecord } from './json-values.js';

/** A way of writing configurations down, changed in its text so that comments and order stay. */
export interface ConfigFormat {
  /** The document's value. Throws ConfigRefused for a text that is none. */
  read(text: string): Readonly<Record<string, unknown>>;
  /** The text with these members at `path`; objects are merged, what is equal already stays as it is written. */
  set(text: string, path: readonly string[], members: Readonly<Record<string, unknown>>): string;
  /** The text without what stands at `path`. */
  remove(text: string, path: readonly string[]): string;
}

/**
 * The text with these members at `path`, proven by reading it again: it says what it said
 * before and these members, and nothing else.
 *
 * @throws ConfigRefused for a text that can not be read or changed
 */
export function setMembers(format: ConfigFormat, text: string, path: readonly string[], members: Readonly<Record<string, unknown>>): string {
  const wanted = merged(format.read(text), nest(path, members));
  return proven(format, format.set(text, path, members), [wanted]);
}

/** The text without what stands at `path`, proven likewise. */
export function removeMembers(format: ConfigFormat, text: string, path: readonly string[]): string {
  const wanted = without(format.read(text), path);
  // In TOML a table that was only named by those within it goes with the last of them.
  const [parent = ''] = path;
  const parentless = path.length > 1 && isDeepStrictEqual(plain(valueAt(wanted, [parent])), {}) ? [without(wanted, [parent])] : [];
  return proven(format, format.remove(text, path), [wanted, ...parentless]);
}

/** What stands at `path` in a document's value; undefined where nothing does. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
}

function proven(format: ConfigFormat, after: string, wanted: readonly unknown[]): string {
  if (wanted.some((value) => saysExactly(format, after, value))) return after;
  throw new ConfigRefused('It is written in a way that can not be changed without touching the rest.', 'Change it by hand.');
}

function saysExactly(format: ConfigFormat, text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(plain(format.read(text)), plain(wanted));
  } catch {
    return false;
  }
}

/** Without prototypes, in which parsers differ. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function merged(base: unknown, more: unknown): unknown {
  if (!isRecord(base) || !isRecord(more)) return more;
  return { ...base, ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, Object.hasOwn(base, key) ? merged(base[key], value) : value])) };
}

function without(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isRecord(value) || !Object.hasOwn(value, key)) return value;
  if (rest.length > 0) return { ...value, [key]: without(value[key], rest) };
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
