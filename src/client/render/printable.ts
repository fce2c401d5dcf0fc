/**
 * Text that is safe to show on a terminal: control characters (escape sequences with
 * them) appear as `\xNN`, marks that turn the direction of a line around as `\u{NNNN}`;
 * line breaks and tabs stay. File names, titles and outputs come from anywhere.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}

/** The same on one line: line breaks and tabs become spaces. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s*[\r\n\t]+\s*/g, ' '));
}

const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
