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
  /** Where the table is too wide, this column is cut, down to so many columns of the terminal. */
  readonly shrinksTo?: number;
  /** Where that is not enough, this column is left out, the last one first. */
  readonly optional?: boolean;
}

const GAP = '  ';

/**
 * Rows under a head, each column as wide as its widest cell on a terminal.
 *
 * @param fitTo the width of the terminal, for tables whose columns say how they give way
 */
export function textTable<Row>(rows: readonly Row[], allColumns: readonly Column<Row>[], style: Style, fitTo: number | null = null): string {
  const allCells = rows.map((row) => allColumns.map((column) => printableLine(column.value(row))));
  const fitted = fitColumns(
    allColumns.map((column, index) => ({
      ...column,
      index,
      width: Math.max(columnsOf(column.title), ...allCells.map((line) => columnsOf(line[index] ?? ''))),
    })),
    fitTo,
  );
  const columns = fitted.map(({ index }) => allColumns[index]).filter((column) => column !== undefined);
  const widths = fitted.map(({ width }) => width);
  const cells = allCells.map((line) => fitted.map(({ index, width }) => cutTo(line[index] ?? '', width)));
  const pad = (text: string, index: number): string => {
    const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - columnsOf(text)));
    if (columns[index]?.align === 'right') return space + text;
    return index === columns.length - 1 ? text : text + space;
  };
  const head = style.dim(columns.map((column, index) => pad(cutTo(column.title.toUpperCase(), widths[index] ?? 0), index)).join(GAP));
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

interface MeasuredColumn {
  readonly index: number;
  readonly width: number;
  readonly shrinksTo?: number;
  readonly optional?: boolean;
}

/** The columns that have their place within `fitTo`, each with the width that it gets. */
function fitColumns(columns: readonly MeasuredColumn[], fitTo: number | null): readonly MeasuredColumn[] {
  const total = (some: readonly MeasuredColumn[], widthOf: (column: MeasuredColumn) => number): number =>
    some.reduce((sum, column) => sum + widthOf(column), GAP.length * Math.max(0, some.length - 1));
  if (fitTo === null) return columns;
  const least = ({ width, shrinksTo }: MeasuredColumn): number => Math.min(width, shrinksTo ?? width);
  let kept = columns;
  while (total(kept, least) > fitTo) {
    const dropped = kept.findLast(({ optional }) => optional === true);
    if (dropped === undefined) break;
    kept = kept.filter((column) => column !== dropped);
  }
  let excess = Math.max(0, total(kept, ({ width }) => width) - fitTo);
  return kept.map((column) => {
    const gives = Math.min(excess, column.width - least(column));
    excess -= gives;
    return { ...column, width: column.width - gives };
  });
}

/** A text within `width` columns of a terminal; one that was cut ends in an ellipsis. */
function cutTo(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += columnsOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Names and values, a line each; what has no value is left out. */
export function factLines(facts: readonly (readonly [name: string, value: string | null | undefined])[], style: Style): string {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null && fact[1] !== undefined && fact[1] !== '');
  const width = Math.max(0, ...known.map(([name]) => columnsOf(name)));
  return known
    .map(([name, value]) => `${style.dim(name + ' '.repeat(width - columnsOf(name)))}  ${printableLine(value)}`)
    .join('\n');
}
