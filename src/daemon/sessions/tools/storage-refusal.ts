import { failure, type Failure } from '../../../protocol/tool-result.js';
import { CommitFailedError } from '../../storage/commit-queue.js';
import { UnreadableRowError } from '../session-head.js';

/**
 * What a tool answers when the ledger could not keep or give what it needed; any other
 * error is not the store's and is thrown on.
 *
 * @param what one clause that says what did not happen
 */
export function storageRefusal(error: unknown, what: string): Failure {
  if (error instanceof CommitFailedError) {
    return failure('storage_unavailable', `${what}: ${error.message}; free space or repair the state folder`, {
      state_changed: false,
    });
  }
  if (error instanceof UnreadableRowError) {
    return failure('storage_unavailable', `${what}: ${error.message}; restore ledger.db from a copy`);
  }
  throw error;
}
