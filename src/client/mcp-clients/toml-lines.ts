import { parse, TomlError } from 'smol-toml';
import { ConfigRefused } from './config-refused.js';
import { isRecord } from './json-values.js';

/** A table of a document: its name, and its lines from the header to the next one's. */
export interface TomlTable {
  readonly name: readonly string[];
  /** The header's line, counted from 0. */
  readonly start: number;
  /** The first line that is no more of it. */
  readonly end: number;
}

/**
 * The value of a TOML document.
 *
 * @throws ConfigRefused with the place of the first mistake
 */
export function parseToml(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new ConfigRefused(
      `It is no valid TOML: ${firstLine(error.message)} at line ${error.line}, column ${error.column}.`,
      'Mend it, or restore a version that its client can read.',
    );
  }
}

/**
 * The tables of a document that was parsed. Comments right above a header belong to its
 * table. A line that only looks like a header, within a text of several lines, is taken
 * for one: whoever changes lines by this has to prove the result.
 */
export function tablesIn(lines: readonly string[]): readonly TomlTable[] {
  const headers = lines.flatMap((line, start) => {
    const name = headerName(line);
    return name === null ? [] : [{ name, start }];
  });
  return headers.map(({ name, start }, at) => {
    let end = headers[at + 1]?.start ?? lines.length;
    while (end > start + 1 && headers[at + 1] !== undefined && /^\s*#/.test(lines[end - 1] ?? '')) end -= 1;
    return { name, start, end };
  });
}

/** Where a key's value stands in a table, as lines; null when the table has no such key. */
export function linesOfKey(lines: readonly string[], table: TomlTable, key: string): { readonly start: number; readonly end: number } | null {
  for (let start = table.start + 1; start < table.end; start += 1) {
    if (!/^\s*[A-Za-z0-9_"'-]/.test(lines[start] ?? '')) continue;
    for (let end = start + 1; end <= table.end; end += 1) {
      const value = parsed(lines.slice(start, end).join('\n'));
      if (value === null) continue;
      if (Object.hasOwn(value, key)) return { start, end };
      start = end - 1;
      break;
    }
  }
  return null;
}

function headerName(line: string): readonly string[] | null {
  if (!/^\s*\[.*\]\s*(#.*)?$/.test(line)) return null;
  let value: unknown = parsed(line);
  if (value === null) return null;
  const name: string[] = [];
  for (;;) {
    // Of an array of tables, the element.
    if (Array.isArray(value)) value = (value as readonly unknown[])[0];
    const key: string | undefined = isRecord(value) ? Object.keys(value)[0] : undefined;
    if (key === undefined) return name;
    name.push(key);
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch {
    // Not by itself: the first line of a value of several, or none.
    return null;
  }
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/^Invalid TOML document:\s*/, '');
}
