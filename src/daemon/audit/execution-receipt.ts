import { RESULT_EXPECTATIONS } from '../../protocol/execution-state.js';
import type { CallRecord } from '../kernel/ports.js';
import { executionStateOf } from './ergonomics/failure-labels.js';
import { closedLabel, labelText, wholeNumbers } from './ergonomics/closed-values.js';
import { isJsonMap } from './json-value.js';

const VALIDATION_COUNTS = ['tests_total', 'tests_passed', 'tests_failed', 'tests_skipped', 'diagnostics'] as const;

/**
 * The receipt of a call that ran a program: its lifecycle, the counts of a validation and
 * the verdict on what was expected of it. Never a command, an output or a path (spec 05 §5).
 */
export function executionReceipt(call: CallRecord): { readonly execution?: Record<string, unknown> } {
  const { effect, resultExpectation, failureExpectationResult, telemetry } = call.outcomeFacts;
  if (call.facts === null || call.facts.effect !== 'execute' || effect === undefined) return {};
  const validation = wholeNumbers(isJsonMap(telemetry?.['validation']) ? telemetry['validation'] : {}, VALIDATION_COUNTS);
  const expectation = closedLabel(resultExpectation, RESULT_EXPECTATIONS);
  const verdict = labelText(failureExpectationResult);
  return {
    execution: {
      execution_state: executionStateOf(call),
      command_started: effect.commandStarted ?? null,
      command_completed: effect.commandCompleted ?? null,
      ...(Object.keys(validation).length === 0 ? {} : { validation }),
      ...(expectation === null ? {} : { result_expectation: expectation }),
      ...(verdict === null ? {} : { expectation_result: verdict }),
    },
  };
}
