import type { FailedItem } from '../protocol/runner/files.js';
import type { Refusal } from '../protocol/runner/project-root.js';

/** A refusal as the failed item of a batch, in which a missing right is a kind of its own (spec 04 §7.5). */
export function failedItem({ refused }: Refusal, index: number, path: string): FailedItem {
  const reason = refused.detail['reason_code'];
  return {
    index,
    success: false,
    path,
    error_kind: reason === 'permission_denied' ? 'permission_denied' : refused.error_kind,
    reason_code: typeof reason === 'string' ? reason : null,
    message: refused.message,
  };
}
