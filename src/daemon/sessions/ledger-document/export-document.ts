import type { ExportSummary } from '../../../protocol/ledger.js';
import type { LedgerPart, LedgerSession } from '../ledger-rows.js';
import { documentRow } from './document-rows.js';
import { LEDGER_VERSION } from './document-reader.js';

/** How much text is gathered before it is handed on, in UTF-16 units. */
const PIECE_UNITS = 64 * 1024;

/**
 * The version-2 document as text, piece by piece: compact JSON, `version` first, rows in
 * the order they come, a line break at the end. Equal parts give equal bytes.
 *
 * @param onSession told of each Session that was written, in its order
 * @returns what it held, once all of it was taken
 */
export async function* exportDocument(
  parts: AsyncIterable<LedgerPart> | Iterable<LedgerPart>,
  onSession: (session: LedgerSession) => void = () => undefined,
): AsyncGenerator<string, ExportSummary> {
  const unreadable: string[] = [];
  let sessions = 0;
  let tombstones = 0;
  let piece = `{"version":${LEDGER_VERSION},"sessions":[`;
  for await (const part of parts) {
    if ('unreadable' in part) {
      unreadable.push(part.unreadable);
      continue;
    }
    piece += `${sessions + tombstones === 0 ? '' : ','}${documentRow(part)}`;
    if ('session' in part) {
      sessions += 1;
      onSession(part.session);
    } else tombstones += 1;
    if (piece.length < PIECE_UNITS) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}\n`;
  return { sessions, tombstones, unreadable };
}
