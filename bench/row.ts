import type { Bench } from './world.js';

/** One line of the table: a budget of the product and what was measured for it. */
export interface Row {
  /** For `--only`. */
  readonly name: string;
  /** What is measured, over what. */
  readonly what: string;
  readonly measure: (bench: Bench) => Promise<readonly Figure[]>;
}

/** A measured figure with its budget: a ratio against a baseline of the same run, or an absolute. */
export type Figure = RatioFigure | AbsoluteFigure;

export interface RatioFigure {
  readonly label: string;
  /** Milliseconds. */
  readonly ours: number;
  /** Milliseconds, measured in turns with ours. */
  readonly baseline: number;
  /** The largest ratio that is within the budget. */
  readonly budget: number;
}

export interface AbsoluteFigure {
  readonly label: string;
  readonly value: number;
  readonly unit: 'ms' | 'MB';
  readonly budget: number;
}

/** Whether a figure keeps its budget. */
export function isWithin(figure: Figure): boolean {
  return 'baseline' in figure ? figure.ours / figure.baseline <= figure.budget : figure.value <= figure.budget;
}
