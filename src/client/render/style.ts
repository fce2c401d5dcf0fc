import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** How a piece of text is set off; plain text where no terminal reads it. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

/** What decides on colour. */
export interface StyleInputs {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The style for one stream: colour only on a terminal, and never where `NO_COLOR` holds
 * anything (https://no-color.org) or `TERM` is `dumb`.
 */
export function styleFor({ isTerminal, env }: StyleInputs): Style {
  const coloured = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint =
    (format: Format) =>
    (text: string): string =>
      // Whether the stream takes colour was decided above, for the stream that is meant.
      coloured ? styleText(format, text, { validateStream: false }) : text;
  return { bold: paint('bold'), dim: paint('dim'), good: paint('green'), bad: paint('red'), warn: paint('yellow') };
}
