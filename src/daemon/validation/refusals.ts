import { failure, type Failure, type JsonObject } from '../../protocol/tool-result.js';

/** A run that the toolchain, or the project with its tools, does not offer. Nothing was started. */
export function notOffered(
  kind: 'validation_scope_unavailable' | 'capability_unavailable',
  message: string,
  detail: JsonObject = {},
): Failure {
  return failure(kind, message, {
    failure_kind: 'capability_unavailable',
    state_changed: false,
    ...detail,
  });
}
