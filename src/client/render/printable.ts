/**
 * Text that is safe to show on a terminal: control characters (escape sequences with
 * them) appear as `\xNN`, line breaks and tabs stay. File names, titles and outputs come
 * from anywhere.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The same on one line: line breaks and tabs become spaces. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s*[\r\n\t]+\s*/g, ' '));
}

const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
