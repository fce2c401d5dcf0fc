import type { CallRecord } from '../../kernel/ports.js';
import { serializedResultBytes } from '../result-bytes.js';
import { bootstrap } from './bootstrap.js';
import { objectMember } from './closed-values.js';
import { editFacts } from './edit-outcome.js';
import { executionStateOf, failureLabels } from './failure-labels.js';
import { instructionRead } from './instruction-read.js';
import { invocation } from './invocation.js';
import { jobConvergence } from './job-convergence.js';
import { readiness } from './readiness.js';
import { workRequest } from './work-request.js';

/** The version of the record; rows of older ones stay as they are. */
export const TELEMETRY_VERSION = 12;

/**
 * The telemetry record of one invocation (spec 05 §6), or null for a tool that no model
 * sees. It is made of closed labels, booleans and capped counts: no argument, command,
 * output, path, id, reference or text ever enters it.
 *
 * An optional member is absent where it does not apply, which is neither null nor false.
 *
 * @param salt 16 bytes of this process, for Job relations
 */
export function modelErgonomics(call: CallRecord, salt: Buffer): Record<string, unknown> | null {
  const { facts, result, rawArguments, outcomeFacts } = call;
  if (facts === null || facts.visibility !== 'model_visible') return null;
  return {
    schema_version: TELEMETRY_VERSION,
    tool_name: facts.name,
    tool_category: facts.category,
    success: result.success,
    duration_ms: Math.max(0, Math.trunc(call.durationMs)),
    serialized_result_bytes: serializedResultBytes(call),
    ...failureLabels(result),
    execution_state: executionStateOf(call),
    invocation: invocation(call.envelope),
    ...(facts.telemetry === 'finish' ? { finish_summary_only: rawArguments['summary_only'] === true } : {}),
    ...(facts.telemetry === 'work_on_project'
      ? {
          work_on_project: workRequest(rawArguments),
          bootstrap: bootstrap(objectMember(outcomeFacts.telemetry, 'bootstrap')),
        }
      : {}),
    ...(facts.telemetry === 'instruction_read' ? { instruction_read: instructionRead(rawArguments) } : {}),
    ...readinessOf(call),
    ...editFacts(call, facts.telemetry),
    ...jobConvergenceOf(call, salt),
  };
}

function readinessOf(call: CallRecord): { readonly readiness?: Record<string, unknown> } {
  if (call.facts?.telemetry !== 'readiness' || !call.result.success) return {};
  const record = readiness(objectMember(call.outcomeFacts.telemetry, 'readiness'));
  return record === null ? {} : { readiness: record };
}

function jobConvergenceOf(call: CallRecord, salt: Buffer): { readonly job_convergence?: Record<string, unknown> } {
  const record = jobConvergence(call, salt);
  return record === null ? {} : { job_convergence: record };
}
