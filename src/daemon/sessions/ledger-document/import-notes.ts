import type { ImportNote, ImportNotes } from '../../../protocol/ledger.js';
import type { RestoreNote } from './restore-notes.js';

/** How many notes are listed; all are counted. */
const LISTED = 100;

/** Gathers what an import left out or changed, in bounded memory. */
export class NoteList {
  private total = 0;
  private readonly byReason = new Map<string, number>();
  private readonly listed: ImportNote[] = [];

  add(row: number, { reason, at }: RestoreNote): void {
    this.total += 1;
    this.byReason.set(reason, (this.byReason.get(reason) ?? 0) + 1);
    if (this.listed.length < LISTED) this.listed.push({ row, reason, at });
  }

  report(): ImportNotes {
    return { total: this.total, by_reason: Object.fromEntries(this.byReason), listed: this.listed };
  }
}
