import type { JsonObject } from '../../protocol/tool-result.js';

/** The UTF-8 bytes of the compact JSON of a successful result, as it is sent. */
export function resultBytes(output: JsonObject): number {
  return Buffer.byteLength(JSON.stringify({ success: true, output }));
}

/** The UTF-8 bytes that a value takes as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The bounds of `max_result_bytes`, in bytes of the result's JSON (spec 04 §7.5). */
export const RESULT_BYTES = { least: 8 * 1024, most: 512 * 1024, usual: 64 * 1024 } as const;
