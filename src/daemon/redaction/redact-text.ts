import { firstCharacters } from './characters.js';
import { SECRET_FORMS } from './secret-forms.js';
import { REDACTED } from './secret-keys.js';

/** A text without its credentials. */
export interface RedactedText {
  readonly text: string;
  /** Whether something was cut out. */
  readonly redacted: boolean;
}

/** The longest text that is searched, in UTF-16 units; callers keep far less of it. */
const SEARCHED_UNITS = 16 * 1024;

/** One search for every form; what one form cuts out can bring another to light. */
function redactOnce(text: string): string {
  return SECRET_FORMS.reduce((searched, { pattern, replace }) => searched.replace(pattern, replace), text);
}

/** More rounds than any text has needed that chance has made. */
const MAX_ROUNDS = 8;

/**
 * Cuts credentials out of `text` and keeps the rest: paths, commands, code and prose stay
 * (spec 06 §8). Where a credential's end cannot be told, everything after its begin goes.
 * Searched until nothing more is found, so that a redacted text is never changed again: an
 * imported document is the exported one, byte for byte (spec 01 §4).
 */
export function redactText(text: string): RedactedText {
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const after = redactOnce(before);
    if (after === before) return { text: after, redacted: after !== text };
    before = after;
  }
  return { text: REDACTED, redacted: true };
}

/** A text without its credentials, cut to a bound. */
export interface BoundedText extends RedactedText {
  readonly truncated: boolean;
}

/**
 * Redacts, then cuts to `characters` code points, so that no cut leaves half a credential
 * that is no longer recognized.
 */
export function redactAndBound(text: string, characters: number): BoundedText {
  const searched = text.slice(0, SEARCHED_UNITS);
  const { text: clean, redacted } = redactText(searched);
  const bounded = firstCharacters(clean, characters);
  // The cut of the search itself may stand in the middle of a credential.
  if (searched.length < text.length && bounded.length === clean.length) {
    return { text: REDACTED, redacted: true, truncated: true };
  }
  return { text: bounded, redacted, truncated: bounded.length < clean.length || searched.length < text.length };
}
