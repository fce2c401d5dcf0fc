import type { JsonObject } from '../../protocol/tool-result.js';
import { redactAndBound, REDACTED } from '../redaction/index.js';
import { LIST_JSON_BYTES, SUMMARY_CHARACTERS } from './limits.js';
import type { SessionHead } from './session-head.js';

/** One row of `list_sessions`. */
export function listedSession(head: SessionHead, ref: string | null): JsonObject {
  const { text, redacted, truncated } = redactAndBound(head.title ?? '', SUMMARY_CHARACTERS);
  return {
    session_id: head.sessionId,
    session_ref: ref,
    title: head.title === null ? null : text,
    // A credential may have been cut out when the title was stored.
    title_truncated: truncated || redacted || text.includes(REDACTED),
    lifecycle: head.lifecycle,
    created_at: head.createdAt,
    updated_at: head.updatedAt,
  };
}

/**
 * One page: as many rows as fit into 32 KiB of JSON; the next page begins at the first
 * row that did not.
 *
 * @param read how many rows of the whole were read for this page, unreadable ones included
 */
export function sessionPage(rows: readonly JsonObject[], total: number, offset: number, read: number): JsonObject {
  const pageOf = (count: number): JsonObject => {
    const next = offset + (count === rows.length ? read : count);
    return { total, offset, next_offset: next < total && next > offset ? next : null, sessions: rows.slice(0, count) };
  };
  let count = rows.length;
  while (count > 1 && Buffer.byteLength(JSON.stringify(pageOf(count))) > LIST_JSON_BYTES) count -= 1;
  return pageOf(count);
}
