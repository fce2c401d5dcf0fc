import type { ErrorKind, RecoveryKind } from './error-kinds.js';
import { ERROR_KINDS } from './error-kinds.js';

/** A JSON value: all that an output may hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * The answer of every tool, on every surface (spec 04 §3). Keys are exactly
 * these; machine facts live in `output`, `error` is for people and is absent on
 * success.
 */
export type ToolResult =
  | { readonly success: true; readonly output: JsonObject }
  | { readonly success: false; readonly output: JsonObject; readonly error: string };

/** A next call that can be made as it stands: its arguments satisfy the target's own schema. */
export interface SuggestedCall {
  readonly follow_up_kind: 'mechanically_followable' | 'fallback_recovery';
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What a failure says beside its kind and its sentence. */
export interface FailureDetail {
  /** Whether anything changed: null when that is not proven. Absent where the tool cannot change anything. */
  readonly state_changed?: boolean | null;
  readonly failure_kind?: string;
  /** Overrides the recovery that the kind implies. */
  readonly recovery_kind?: RecoveryKind;
  readonly suggested_call?: SuggestedCall;
  readonly [fact: string]: Json | SuggestedCall | undefined;
}

/** A failed ToolResult: the one place where failures are made. */
export type Failure = Extract<ToolResult, { success: false }>;

/**
 * Makes a failed ToolResult.
 *
 * @param kind the closed reason; its usual recovery is filled in
 * @param message one sentence for a person: what is wrong and what to do
 * @param detail further facts for `output`; undefined members are left out
 */
export function failure(kind: ErrorKind, message: string, detail: FailureDetail = {}): Failure {
  const output: Record<string, Json> = { error_kind: kind, recovery_kind: ERROR_KINDS[kind] };
  for (const [fact, value] of Object.entries(detail)) {
    if (value !== undefined) output[fact] = value as Json;
  }
  return { success: false, output, error: message };
}

/** Makes a successful ToolResult. */
export function success(output: JsonObject): ToolResult {
  return { success: true, output };
}

/** The error kind of a failed result, or null on success. */
export function errorKindOf(result: ToolResult): ErrorKind | null {
  return result.success ? null : (result.output['error_kind'] as ErrorKind);
}
