import { readJournal, removeJournal } from './edit-journal.js';
import { tidyBatch, undoBatch } from './undo-batch.js';

/** What became of the batches that a dead Runner was writing. */
export interface SettledEdits {
  /** Batches that stood whole and were tidied up after. */
  readonly finished: number;
  /** Batches that were taken back. */
  readonly undone: number;
  /** Things of theirs that could not be taken back, because something else stands there now. */
  readonly left: number;
}

/**
 * Settles the batches that a dead Runner's journal tells of: one that had come to its end
 * stands, any other is taken back, so that none stays half done.
 *
 * @param folder the journal folder of a Runner that is certainly dead; it is removed
 */
export async function settleEdits(folder: string): Promise<SettledEdits> {
  let [finished, undone, left] = [0, 0, 0];
  for (const { record, staged, isCommitted } of await readJournal(folder)) {
    if (isCommitted) {
      await tidyBatch(record);
      finished += 1;
    } else {
      left += await undoBatch(record, staged, record.folders);
      undone += 1;
    }
  }
  await removeJournal(folder);
  return { finished, undone, left };
}
