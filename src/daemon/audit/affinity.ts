import { firstCharacters } from '../redaction/index.js';
import type { AuditAffinity } from '../kernel/ports.js';
import { storableText } from './redaction-pass.js';

const MAX_ID_CHARACTERS = 120;
/** Ids of the house's other name spaces are never audit ids (spec 05 §2). */
const FOREIGN_ID = /^(?:wc_sess_|wc_peer_|~s)/;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** The Action Audit Session that a request asks for, and why a wish was not heeded. */
export interface RequestedSession {
  readonly id: string | null;
  readonly warning: string | null;
}

/**
 * Which Action Audit Session a request names: the header, then its alias, then the query.
 * A blank value is no value. A value that cannot be an audit id is ignored with a warning
 * and never refuses the call.
 */
export function requestedSession(affinity: AuditAffinity): RequestedSession {
  let warning: string | null = null;
  for (const carrier of [affinity.header, affinity.headerAlias, affinity.query]) {
    const id = firstCharacters((carrier ?? '').trim(), MAX_ID_CHARACTERS);
    if (id === '') continue;
    const problem = whyNoAuditId(id);
    if (problem === null) return { id, warning };
    warning ??= problem;
  }
  return { id: null, warning };
}

function whyNoAuditId(id: string): string | null {
  if (FOREIGN_ID.test(id)) return 'ignored an audit session id of another name space';
  if (CONTROL_CHARACTER.test(id)) return 'ignored an audit session id with control characters';
  if (storableText(id) !== id) return 'ignored an audit session id that looks like a credential';
  return null;
}
