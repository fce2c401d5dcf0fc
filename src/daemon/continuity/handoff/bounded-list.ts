import { z } from 'zod';

/** A list of which only some is shown. Null throughout where the source cannot be read, which is not an empty one. */
export type BoundedList<Item> = {
  readonly items: readonly Item[] | null;
  readonly total: number | null;
  readonly returned: number | null;
  readonly truncated: boolean | null;
};

export const UNKNOWN_LIST: BoundedList<never> = { items: null, total: null, returned: null, truncated: null };

/**
 * The first `limit` of `items`.
 *
 * @param total how many there are, where `items` are not all of them
 */
export function boundedList<Item>(items: readonly Item[], limit: number, total: number = items.length): BoundedList<Item> {
  const shown = items.slice(0, limit);
  return { items: shown, total, returned: shown.length, truncated: shown.length < total };
}

/** The list without its last `count` items; what was counted stays counted. */
export function withoutLast<Item>(list: BoundedList<Item>, count: number): BoundedList<Item> {
  if (list.items === null || count <= 0) return list;
  const items = list.items.slice(0, -count);
  return { ...list, items, returned: items.length, truncated: true };
}

export function boundedListSchema(item: z.ZodType) {
  return z.strictObject({
    items: z.array(item).nullable(),
    total: z.int().nullable(),
    returned: z.int().nullable(),
    truncated: z.boolean().nullable(),
  });
}
