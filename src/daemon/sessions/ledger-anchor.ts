import { createHash } from 'node:crypto';
import { parseSessionId, type SessionId } from '../../protocol/ids.js';

/** What an anchor says of one Session: how many events it had, and the digest of the newest. */
export interface AnchorEntry {
  readonly sessionId: SessionId;
  readonly eventsObserved: number;
  /** 64 hex. */
  readonly head: string;
}

/** A stored list of histories. */
export interface AnchorList {
  /** Unix seconds. */
  readonly madeAt: number;
  readonly sessions: number;
  /** A line a Session: `session_id events_observed head`. */
  readonly entries: string;
}

const LINE = /^wc-ledger-anchor:1:(\d{1,15}):(\d{1,15}):([0-9a-f]{64})$/;

/** The list as it is stored and digested. */
export function entryLine({ sessionId, eventsObserved, head }: AnchorEntry): string {
  return `${sessionId} ${eventsObserved} ${head}\n`;
}

/** SHA-256 over a domain tag, the time, the number of Sessions and the entries, parted by NUL; lower hex. */
export function anchorDigest({ madeAt, sessions, entries }: AnchorList): string {
  return createHash('sha256')
    .update(['webcodex.ledger-anchor.v1', String(madeAt), String(sessions), entries].join('\0'))
    .digest('hex');
}

/** The one line to keep outside. */
export function anchorLine(list: AnchorList): string {
  return `wc-ledger-anchor:1:${list.madeAt}:${list.sessions}:${anchorDigest(list)}`;
}

/** What a kept line says, or null when it is none. */
export function parseAnchorLine(
  line: string,
): { readonly madeAt: number; readonly sessions: number; readonly digest: string } | null {
  const [, madeAt, sessions, digest] = LINE.exec(line.trim()) ?? [];
  if (madeAt === undefined || sessions === undefined || digest === undefined) return null;
  return { madeAt: Number(madeAt), sessions: Number(sessions), digest };
}

/** The entries of a list, by Session; a list whose digest was right has no others than ours. */
export function anchorEntries(entries: string): Map<SessionId, AnchorEntry> {
  const map = new Map<SessionId, AnchorEntry>();
  for (const line of entries.split('\n')) {
    const [id, eventsObserved, head] = line.split(' ');
    const sessionId = parseSessionId(id ?? '');
    if (sessionId === null || eventsObserved === undefined || head === undefined) continue;
    map.set(sessionId, { sessionId, eventsObserved: Number(eventsObserved), head });
  }
  return map;
}
