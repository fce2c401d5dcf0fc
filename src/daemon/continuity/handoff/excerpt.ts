import { REDACTED, redactAndBound } from '../../redaction/index.js';

/** A piece of what somebody wrote. */
export type Excerpt = {
  readonly excerpt: string;
  /** Whether a credential was cut out of it, or the rest of it is missing. */
  readonly truncated: boolean;
};

/** Code points of an instruction's excerpt (spec 06 §8). */
const INSTRUCTION_CHARACTERS = 600;

/**
 * The beginning of a stored instruction. Paths, commands, code and prose stay; only
 * credentials go, and those that went when it was stored are told of as well.
 */
export function instructionExcerpt(stored: string): Excerpt {
  const { text, truncated, redacted } = redactAndBound(wellFormed(stored), INSTRUCTION_CHARACTERS);
  return { excerpt: text, truncated: truncated || redacted || stored.includes(REDACTED) };
}

/** Half a surrogate pair is no character, and no JSON of other programs takes it. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** The same for every text inside of a value. */
export function allWellFormed<Value>(value: Value): Value {
  if (typeof value === 'string') return wellFormed(value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => allWellFormed(item)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, allWellFormed(member as unknown)])) as Value;
}
