import { errorKindOf, type Failure } from '../../protocol/tool-result.js';

/** Why something could not be looked at: the error kind of the failure, never its text. */
export function unavailableReason(failure: Failure): string {
  return errorKindOf(failure) ?? 'internal_error';
}
