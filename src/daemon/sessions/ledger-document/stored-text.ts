import { firstCharacters, lastCharacters, redactAndBound, redactText } from '../../redaction/index.js';

/*
 * Text of a document that somebody else may have written goes through what our own
 * evidence goes through before it is stored: credentials are cut out, bounds hold, and no
 * half of a surrogate pair is left, which UTF-8 could not hold. Text that was stored by
 * those rules comes out as it went in.
 */

/** With the flag, a whole pair is one character and never matches. */
const HALF_PAIR = /\p{Cs}/gu;

/** Texts that were judged lately: the same few names stand in every event. */
const MEMORY_ENTRIES = 4_096;
const MEMORY_CHARACTERS = 256;
const judged = new Map<string, string>();

/** A text in which U+FFFD stands for each half of a surrogate pair. */
export function wellFormed(text: string): string {
  return text.replace(HALF_PAIR, '\uFFFD');
}

/** The first `characters` code points of a text, without its credentials. */
export function storedText(text: string, characters: number): string {
  if (text.length > MEMORY_CHARACTERS) return judge(text, characters);
  const key = `${characters} ${text}`;
  const known = judged.get(key);
  if (known !== undefined) return known;
  if (judged.size >= MEMORY_ENTRIES) judged.clear();
  const clean = judge(text, characters);
  judged.set(key, clean);
  return clean;
}

function judge(text: string, characters: number): string {
  return firstCharacters(redactAndBound(wellFormed(text), characters).text, characters);
}

/** The last `characters` code points of the end of an output, without the lines that hold a credential. */
export function storedTail(text: string, characters: number): string {
  const whole = wellFormed(text);
  const searched = lastCharacters(whole, 2 * characters);
  const clean = redactText(searched);
  if (!clean.redacted) return lastCharacters(searched, characters);
  const lines = clean.text.split('\n').filter((line) => !line.includes('[redacted]'));
  return lastCharacters(lines.join('\n'), characters);
}
