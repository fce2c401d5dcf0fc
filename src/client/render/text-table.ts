import { columnsOf } from './columns-of.js';
import { printableLine } from './printable.js';
import type { Style } from './style.js';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Numbers stand on the right; default left. */
  readonly align?: 'left' | 'right';
  /** Applied after the padding, so that it changes no width. */
  readonly paint?: (text: string, row: Row) => string;
}

const GAP = '  ';

/** Rows under a head, each column as wide as its widest cell on a terminal. */
export function textTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], style: Style): string {
  const cells = rows.map((row) => columns.map((column) => printableLine(column.value(row))));
  const widths = columns.map((column, index) =>
    Math.max(columnsOf(column.title), ...cells.map((line) => columnsOf(line[index] ?? ''))),
  );
  const pad = (text: string, index: number): string => {
    const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - columnsOf(text)));
    if (columns[index]?.align === 'right') return space + text;
    return index === columns.length - 1 ? text : text + space;
  };
  const head = style.dim(columns.map((column, index) => pad(column.title.toUpperCase(), index)).join(GAP));
  const body = rows.map((row, line) =>
    columns
      .map((column, index) => {
        const padded = pad(cells[line]?.[index] ?? '', index);
        return column.paint ? column.paint(padded, row) : padded;
      })
      .join(GAP)
      .trimEnd(),
  );
  return [head, ...body].join('\n');
}

/** Names and values, a line each; what has no value is left out. */
export function factLines(facts: readonly (readonly [name: string, value: string | null | undefined])[], style: Style): string {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null && fact[1] !== undefined && fact[1] !== '');
  const width = Math.max(0, ...known.map(([name]) => columnsOf(name)));
  return known
    .map(([name, value]) => `${style.dim(name + ' '.repeat(width - columnsOf(name)))}  ${printableLine(value)}`)
    .join('\n');
}
