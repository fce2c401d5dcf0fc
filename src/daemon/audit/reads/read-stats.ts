import type { Database } from 'better-sqlite3';
import { jobIdsOf } from '../event-ids.js';
import { isJsonMap } from '../json-value.js';
import { decodeDocuments } from './event-view.js';
import { listSessions } from './list-sessions.js';
import { findSession } from './read-session.js';
import { WORK_COUNTERS, workCounter, type WorkCounter } from './work-counter.js';

/** Events that are scanned of one session that was asked for, and of each of several. */
const SCOPED_SCAN = 500;
const UNSCOPED_SCAN = 200;

export interface StatsQuery {
  /** One session, or null for the last used ones. */
  readonly sessionId: string | null;
  readonly limit: number;
}

type Counts = Readonly<Record<string, number>>;

/** The answer of `POST /api/audit/stats`, in the order of its members. */
export type Stats = {
  readonly by_endpoint: Counts;
  readonly by_project: Counts;
  readonly by_status: Counts;
  readonly attribution: {
    readonly by_principal_kind: Counts;
    readonly attributed_count: number;
    readonly unattributed_count: number;
    readonly by_oauth_client: readonly { readonly client_id: string; readonly name: string | null; readonly count: number }[];
  };
} & Readonly<Record<WorkCounter, number>> & {
    readonly changed_files_distinct_count: number;
    readonly job_ids_distinct_count: number;
    readonly events_scanned: number;
    readonly events_available: number;
    readonly sessions_scanned: number;
    readonly truncated_sessions: number;
    readonly partial: boolean;
    readonly truncated: boolean;
    readonly undecodable_events: number;
  };

interface StatsRow {
  readonly endpoint: string;
  readonly project: string | null;
  readonly status: string;
  readonly principal_kind: string | null;
  readonly oauth_client_id: string | null;
  readonly changed_files_json: string;
  readonly ids_json: string;
  readonly summary_json: string;
}

/**
 * Totals over the newest events of the selected sessions, and how much of them was scanned.
 * The caller reads it all in one snapshot, so that counts and rows belong together.
 *
 * @returns null when the session that was asked for does not exist
 */
export function readStats(database: Database, { sessionId, limit }: StatsQuery): Stats | null {
  if (sessionId !== null && findSession(database, sessionId) === null) return null;
  const sessions =
    sessionId === null
      ? listSessions(database, { status: null, since: null, limit }).map(({ session_id }) => session_id)
      : [sessionId];
  const scan = sessionId === null ? UNSCOPED_SCAN : SCOPED_SCAN;
  const count = database
    .prepare<[string], number>('SELECT count(*) FROM action_events WHERE session_id = ?')
    .pluck();
  const newest = database.prepare<[string, number], StatsRow>(
    `SELECT endpoint, project, status, principal_kind, oauth_client_id, changed_files_json, ids_json, summary_json
     FROM action_events WHERE session_id = ? ORDER BY started_at DESC, rowid DESC LIMIT ?`,
  );
  const tally = new Tally();
  for (const session of sessions) tally.addSession(count.get(session) ?? 0, newest.all(session, scan));
  return tally.stats();
}

class Tally {
  private readonly byEndpoint = new Map<string, number>();
  private readonly byProject = new Map<string, number>();
  private readonly byStatus = new Map<string, number>();
  private readonly byPrincipalKind = new Map<string, number>();
  private readonly byOauthClient = new Map<string, number>();
  private readonly byWork = new Map<WorkCounter, number>();
  private readonly changedFiles = new Set<string>();
  private readonly jobs = new Set<string>();
  private scanned = 0;
  private available = 0;
  private sessions = 0;
  private truncatedSessions = 0;
  private unattributed = 0;
  private undecodable = 0;

  addSession(available: number, rows: readonly StatsRow[]): void {
    this.sessions += 1;
    this.available += available;
    this.scanned += rows.length;
    if (available > rows.length) this.truncatedSessions += 1;
    for (const row of rows) this.addEvent(row);
  }

  stats(): Stats {
    const truncated = this.truncatedSessions > 0;
    return {
      by_endpoint: counts(this.byEndpoint),
      by_project: counts(this.byProject),
      by_status: counts(this.byStatus),
      attribution: {
        by_principal_kind: counts(this.byPrincipalKind),
        attributed_count: this.scanned - this.unattributed,
        unattributed_count: this.unattributed,
        // There is no register of OAuth clients that could name them.
        by_oauth_client: [...this.byOauthClient]
          .map(([client_id, count]) => ({ client_id, name: null, count }))
          .sort((a, b) => b.count - a.count || (a.client_id < b.client_id ? -1 : 1)),
      },
      ...(Object.fromEntries(WORK_COUNTERS.map((name) => [name, this.byWork.get(name) ?? 0])) as Record<WorkCounter, number>),
      changed_files_distinct_count: this.changedFiles.size,
      job_ids_distinct_count: this.jobs.size,
      events_scanned: this.scanned,
      events_available: this.available,
      sessions_scanned: this.sessions,
      truncated_sessions: this.truncatedSessions,
      partial: truncated || this.undecodable > 0,
      truncated,
      undecodable_events: this.undecodable,
    };
  }

  private addEvent(row: StatsRow): void {
    raise(this.byEndpoint, row.endpoint);
    raise(this.byStatus, row.status);
    if (row.project !== null) raise(this.byProject, row.project);
    if (row.principal_kind === null) this.unattributed += 1;
    else raise(this.byPrincipalKind, row.principal_kind);
    if (row.oauth_client_id !== null) raise(this.byOauthClient, row.oauth_client_id);
    const documents = decodeDocuments(row);
    if (documents.undecodable) this.undecodable += 1;
    for (const path of documents.changedFiles) this.changedFiles.add(path);
    for (const job of jobIdsOf(documents.ids)) this.jobs.add(job);
    const record = documents.summary['model_ergonomics'];
    const counter = isJsonMap(record) ? workCounter(record['tool_name'], record['tool_category']) : null;
    if (counter !== null) raise(this.byWork, counter);
  }
}

function raise<Key>(map: Map<Key, number>, key: Key): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

function counts(map: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries(map);
}
