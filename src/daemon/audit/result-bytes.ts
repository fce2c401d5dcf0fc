import { errorKindOf, type ToolResult } from '../../protocol/tool-result.js';
import type { CallRecord } from '../kernel/ports.js';

/** Refusals that come before a tool could make a result (spec 05 §7.2). */
const BEFORE_A_RESULT: ReadonlySet<string> = new Set(['invalid_arguments', 'insufficient_scope']);

type SizedCall = Pick<CallRecord, 'result' | 'resultBytes' | 'reachedHandler'>;

/** The UTF-8 bytes of the compact JSON of a result: `success`, `output`, and `error` where there is one. */
export function jsonBytes(result: ToolResult): number {
  return Buffer.byteLength(JSON.stringify(result));
}

/**
 * `serialized_result_bytes`: the exact size of the result that was sent. Null where the
 * call was refused before there was one, and where its result never came.
 */
export function serializedResultBytes({ result, resultBytes, reachedHandler }: SizedCall): number | null {
  const kind = errorKindOf(result);
  if (kind === 'dispatch_hard_timeout') return null;
  if (kind !== null && !reachedHandler && BEFORE_A_RESULT.has(kind)) return null;
  return resultBytes;
}

/** The size of the answer, which a refusal has as well; refusals are small, so that measuring them is cheap. */
export function responseBytes(call: SizedCall): number | null {
  return call.resultBytes ?? (call.result.success ? null : jsonBytes(call.result));
}
