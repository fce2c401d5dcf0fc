/** A list inside of something that has to fit into a bound of bytes, and gives way from its end. */
export interface ShortenedList<Whole> {
  readonly items: (whole: Whole) => readonly unknown[];
  readonly withoutLast: (whole: Whole, count: number) => Whole;
}

/** The UTF-8 bytes of something as JSON, as it goes over the wire. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Drops items from the ends of lists until the whole fits: from the first list until it is
 * empty, then from the next. What is dropped is measured once, and the whole again after
 * each drop only: the work is linear in the size of the whole.
 */
export function shortened<Whole>(whole: Whole, maxBytes: number, lists: readonly ShortenedList<Whole>[]): Whole {
  let shorter = whole;
  let over = jsonBytes(shorter) - maxBytes;
  for (const list of lists) {
    for (let items = list.items(shorter); over > 0 && items.length > 0; items = list.items(shorter)) {
      shorter = list.withoutLast(shorter, countFreeing(items, over));
      over = jsonBytes(shorter) - maxBytes;
    }
    if (over <= 0) break;
  }
  return shorter;
}

/** How many of the last items free so many bytes, each with the comma before it. */
function countFreeing(items: readonly unknown[], bytes: number): number {
  let freed = 0;
  let count = 0;
  while (count < items.length && freed < bytes) {
    freed += jsonBytes(items[items.length - 1 - count]) + 1;
    count += 1;
  }
  return count;
}
