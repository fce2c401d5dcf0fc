import type { CallRecord } from '../kernel/ports.js';
import { modelErgonomics } from './ergonomics/model-ergonomics.js';
import { executionReceipt } from './execution-receipt.js';
import { redactForStore } from './redaction-pass.js';
import type { RowContext } from './event-row.js';

const MAX_SUMMARY_BYTES = 16 * 1024;

/**
 * The text of `summary_json` of a call: how it came in, how it ended, the receipt of an execution, and
 * the telemetry record. Telemetry that cannot be made is left out and costs nothing else.
 */
export function summaryJson(call: CallRecord, context: RowContext): string {
  const overMcp = call.adapter === 'mcp_legacy' || call.adapter === 'mcp_2026';
  const predecessor = call.windowTiming?.previousMeaningfulCall ?? null;
  const summary = redactForStore({
    transport: overMcp ? 'mcp' : call.adapter,
    ...(overMcp ? { protocol_era: call.adapter === 'mcp_2026' ? 'stateless_2026' : 'legacy' } : {}),
    outcome: call.outcome,
    ...telemetry(call, context),
    ...executionReceipt(call),
    ...(predecessor === null ? {} : { previous_meaningful_call: predecessor }),
  }) as Record<string, unknown>;
  return boundedSummary(summary);
}

function telemetry(call: CallRecord, context: RowContext): Record<string, unknown> {
  try {
    const record = modelErgonomics(call, context.salt);
    return record === null ? {} : { model_ergonomics: record };
  } catch (error) {
    context.warn(error);
    return {};
  }
}

/** A summary that is too large keeps what every reader counts on, and says that it was cut. */
export function boundedSummary(summary: Record<string, unknown>): string {
  const text = JSON.stringify(summary);
  if (Buffer.byteLength(text) <= MAX_SUMMARY_BYTES) return text;
  const { transport, model_ergonomics } = summary;
  return JSON.stringify({ transport, model_ergonomics, summary_truncated: true });
}
