import type { Json, JsonObject } from '../../protocol/tool-result.js';
import { printable, printableLine } from './printable.js';
import type { Style } from './style.js';
import { textOf } from './text-of.js';
import { textTable } from './text-table.js';

type Scalar = string | number | boolean | null;

/** The widest cell that still makes a table of rows readable, in characters. */
const MAX_CELL = 60;
const MAX_COLUMNS = 8;

/**
 * Any output, for people: names and values, lists of equal rows as tables, long texts as
 * blocks. Nothing is left out; a command whose output people read often has its own form.
 */
export function renderValue(output: JsonObject, style: Style): string {
  return block(output, '', style).join('\n');
}

function block(value: JsonObject, indent: string, style: Style): string[] {
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${indent}${style.dim('(nothing)')}`];
  return entries.flatMap(([name, member]) => entry(name, member, indent, style));
}

function entry(name: string, value: Json, indent: string, style: Style): string[] {
  const label = `${indent}${style.bold(name)}:`;
  if (isScalar(value)) {
    if (typeof value === 'string' && value.includes('\n')) return [label, ...indented(printable(value), `${indent}  `)];
    return [`${label} ${scalar(value, style)}`];
  }
  if (isList(value)) {
    if (value.length === 0) return [`${label} ${style.dim('(none)')}`];
    return [label, ...list(value, `${indent}  `, style)];
  }
  if (Object.keys(value).length === 0) return [`${label} ${style.dim('(nothing)')}`];
  return [label, ...block(value, `${indent}  `, style)];
}

function list(values: readonly Json[], indent: string, style: Style): string[] {
  const rows = asRows(values);
  if (rows) return indented(rowTable(rows, style), indent);
  return values.flatMap((value) => {
    if (isScalar(value)) return [`${indent}- ${scalar(value, style)}`];
    const inner = isList(value) ? list(value, `${indent}  `, style) : block(value, `${indent}  `, style);
    const [first = '', ...rest] = inner;
    return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
  });
}

/** The values as rows of one table, or null where a table would not hold them. */
function asRows(values: readonly Json[]): readonly JsonObject[] | null {
  const rows: JsonObject[] = [];
  const names = new Set<string>();
  for (const value of values) {
    if (isScalar(value) || isList(value)) return null;
    for (const [name, cell] of Object.entries(value)) {
      if (!isScalar(cell) || String(cell).length > MAX_CELL || String(cell).includes('\n')) return null;
      names.add(name);
    }
    rows.push(value);
  }
  return names.size > 0 && names.size <= MAX_COLUMNS ? rows : null;
}

function rowTable(rows: readonly JsonObject[], style: Style): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return textTable(
    rows,
    names.map((name) => ({
      title: name,
      value: (row: JsonObject) => cell(row, name),
      align: rows.every((row) => row[name] === undefined || typeof row[name] === 'number') ? ('right' as const) : ('left' as const),
    })),
    style,
  );
}

function cell(row: JsonObject, name: string): string {
  return textOf(row, name) || (row[name] === '' ? '' : '-');
}

function scalar(value: Scalar, style: Style): string {
  return value === null ? style.dim('-') : printableLine(String(value));
}

function indented(text: string, indent: string): string[] {
  return text.replace(/\n$/, '').split('\n').map((line) => indent + line);
}

function isScalar(value: Json): value is Scalar {
  return typeof value !== 'object' || value === null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
