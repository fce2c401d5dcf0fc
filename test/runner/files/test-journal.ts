import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EditJournal } from '../../../src/runner/files/index.js';

/** What edits need of a Runner: a journal of their own, and no dead predecessor. */
export function testJournal(): { readonly journal: EditJournal; readonly settled: Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'wc-edits-'));
  // Some tests edit as another user.
  chmodSync(folder, 0o777);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { journal: new EditJournal(folder), settled: Promise.resolve() };
}
