/** An object that came out of `JSON.parse`, or goes into `JSON.stringify`. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** Whether `value` is a JSON object: no array, no null. */
export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
