import { type Figure, isWithin } from './row.js';

/** What one row came to: its figures, or why it has none. */
export interface Outcome {
  readonly name: string;
  readonly what: string;
  readonly figures: readonly Figure[];
  readonly error: string | null;
}

/** Whether every figure was measured and keeps its budget. */
export function isKept({ figures, error }: Outcome): boolean {
  return error === null && figures.every(isWithin);
}

/** The outcomes for a person: a line a figure. */
export function asTable(outcomes: readonly Outcome[]): string {
  const head = ['row', 'figure', 'ours', 'baseline', 'measured', 'budget', 'verdict'];
  const body = outcomes.flatMap((outcome) =>
    outcome.error === null
      ? outcome.figures.map((figure) => [outcome.name, figure.label, ...figureCells(figure)])
      : [[outcome.name, '-', '-', '-', '-', '-', `failed: ${outcome.error}`]],
  );
  const widths = head.map((title, column) => Math.max(title.length, ...body.map((cells) => (cells[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ').trimEnd();
  return [
    ...outcomes.map(({ name, what }) => `${name}: ${what}`),
    '',
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...body.map(line),
  ].join('\n');
}

function figureCells(figure: Figure): string[] {
  const verdict = isWithin(figure) ? 'kept' : 'MISSED';
  if ('baseline' in figure) {
    return [
      `${figure.ours.toFixed(3)} ms`,
      `${figure.baseline.toFixed(3)} ms`,
      `${(figure.ours / figure.baseline).toFixed(2)} x`,
      `${figure.budget} x`,
      verdict,
    ];
  }
  return [`${figure.value.toFixed(1)} ${figure.unit}`, '-', '-', `${figure.budget} ${figure.unit}`, verdict];
}
