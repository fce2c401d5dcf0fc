import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';
import type { PlannedChange } from './planned-change.js';

/** A longer diff is left out. */
const MAX_DIFF_BYTES = 64 * 1024;
/** Larger texts are not compared. */
const MAX_COMPARED_CHARACTERS = 512 * 1024;
/** Comparing holds up everything else. */
const MAX_COMPARE_MS = 20;

/** What a change does to its text, as the hunks of a unified diff; null where that is nothing, or too much to show. */
export function changeDiff(change: PlannedChange): string | null {
  const content = change.kind === 'rename' ? change.content : change.kind === 'delete' ? null : change;
  if (content === null) return null;
  const oldText = 'oldText' in content ? content.oldText : '';
  const newText = content.newBytes.toString('utf8');
  if (oldText.length + newText.length > MAX_COMPARED_CHARACTERS) return null;
  const patch = structuredPatch('', '', oldText, newText, undefined, undefined, { context: 3, timeout: MAX_COMPARE_MS });
  if (patch === undefined || patch.hunks.length === 0) return null;
  const text = formatPatch(patch, OMIT_HEADERS);
  return Buffer.byteLength(text) > MAX_DIFF_BYTES ? null : text;
}
