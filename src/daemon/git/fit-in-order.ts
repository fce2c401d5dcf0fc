/** The first of some values whose JSON fits into a room, and the bytes that they take of it. */
export interface Fitted<Value> {
  readonly kept: readonly Value[];
  readonly bytes: number;
}

/**
 * Keeps values from the first on while their JSON fits, a comma for each counted in.
 *
 * @param room UTF-8 bytes
 */
export function fitInOrder<Value>(values: readonly Value[], room: number): Fitted<Value> {
  let bytes = 0;
  let kept = 0;
  for (const value of values) {
    const next = bytes + Buffer.byteLength(JSON.stringify(value)) + 1;
    if (next > room) break;
    bytes = next;
    kept += 1;
  }
  return { kept: values.slice(0, kept), bytes };
}
