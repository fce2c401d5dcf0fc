import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'smol-toml';
import { valueAt, type ConfigFormat } from './config-format.js';
import { isRecord } from './json-values.js';
import { linesOfKey, parseToml, tablesIn, type TomlTable } from './toml-lines.js';

/**
 * TOML, changed in its text by whole lines of the table at `path`. A table that is written
 * another way (inline, by dotted keys) is not found here, and the proof of the result refuses it.
 */
export const tomlConfig: ConfigFormat = {
  read: parseToml,

  set: (text, path, members) => {
    const now = valueAt(parseToml(text), path);
    if (now === undefined) return appendTable(text, path, members);
    return Object.entries(members).reduce((changed, [key, value]) => setKey(changed, path, key, value), text);
  },

  remove: (text, path) => {
    const { lines, end } = split(text);
    const within = (table: TomlTable): boolean => path.every((key, at) => table.name[at] === key);
    const gone = tablesIn(lines).filter(within);
    // The empty line in front of the table stays, and separates its neighbours or ends the text.
    return lines.filter((_line, at) => !gone.some((table) => at >= table.start && at < table.end)).join(end);
  },
};

function appendTable(text: string, path: readonly string[], members: Readonly<Record<string, unknown>>): string {
  const { end } = split(text);
  const body = text === '' || text.endsWith('\n') ? text : text + end;
  const block = [`[${path.map(bareOrQuoted).join('.')}]`, ...Object.entries(members).map(([key, value]) => line(key, value))];
  return `${body}${body.trim() === '' ? '' : end}${block.join(end)}${end}`;
}

/** Sets one key; a table's members are set where they stand, so that others in it stay. */
function setKey(text: string, path: readonly string[], key: string, value: unknown): string {
  const now = valueAt(parseToml(text), [...path, key]);
  if (isDeepStrictEqual(now, value)) return text;
  const { lines, end } = split(text);
  const tables = tablesIn(lines);
  const named = (name: readonly string[]): TomlTable | undefined => tables.find((table) => isDeepStrictEqual(table.name, name));
  if (isRecord(value) && isRecord(now) && named([...path, key]) !== undefined) {
    return Object.entries(value).reduce((changed, [name, member]) => setKey(changed, [...path, key], name, member), text);
  }
  const table = named(path);
  if (table === undefined) return text;
  const written = line(key, isRecord(value) && isRecord(now) ? { ...now, ...value } : value);
  const old = linesOfKey(lines, table, key) ?? { start: table.start + 1, end: table.start + 1 };
  return [...lines.slice(0, old.start), written, ...lines.slice(old.end)].join(end);
}

function line(key: string, value: unknown): string {
  return `${bareOrQuoted(key)} = ${literal(value)}`;
}

/** A value on one line. */
function literal(value: unknown): string {
  if (isRecord(value)) {
    const members = Object.entries(value).map(([key, member]) => line(key, member));
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return stringify({ value }).trim().replace(/^value = /, '');
}

function bareOrQuoted(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function split(text: string): { readonly lines: readonly string[]; readonly end: string } {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  return { lines: text.split(end), end };
}
