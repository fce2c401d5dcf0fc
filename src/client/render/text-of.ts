import type { Json, JsonObject } from '../../protocol/tool-result.js';

/** A member of an output as text: a scalar as it is, anything else as JSON, nothing as ''. */
export function textOf(output: JsonObject, name: string): string {
  const value: Json | undefined = output[name];
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
