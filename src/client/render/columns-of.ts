import stringWidth from 'string-width';

/** How many columns of a terminal a text takes. What is plain ASCII needs no tables of widths. */
export function columnsOf(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}
