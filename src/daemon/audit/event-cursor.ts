import type { EventPlace } from './reads/list-events.js';

/** The cursor that stands for a place: the start and the row of an event. */
export function eventCursor({ startedAt, row }: EventPlace): string {
  return `${startedAt}.${row}`;
}

/** The place in a cursor of either form, `row` or `start.row`; the request's schema has checked the form. */
export function placeOf(cursor: string): EventPlace {
  const [first = '0', second] = cursor.split('.');
  return second === undefined
    ? { startedAt: 0, row: Number(first) }
    : { startedAt: Number(first), row: Number(second) };
}
