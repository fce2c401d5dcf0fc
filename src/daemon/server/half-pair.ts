/** With the flag, a whole pair is one character and never matches. */
const HALF_PAIR = /\p{Cs}/u;

/**
 * Whether a text in a JSON value has half of a surrogate pair. JSON can say one by an
 * escape, and UTF-8 cannot hold it: stores and files would give back something else.
 */
export function hasHalfPair(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') {
      if (HALF_PAIR.test(next)) return true;
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, member] of Object.entries(next)) open.push(key, member);
    }
  }
  return false;
}
