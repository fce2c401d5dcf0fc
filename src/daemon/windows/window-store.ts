import type { Database } from 'better-sqlite3';
import type { ProjectId, SessionId, WindowKey } from '../../protocol/ids.js';
import type { WindowLink } from '../kernel/collaboration-ports.js';
import type { WindowSource } from '../kernel/window-key.js';

/** Links and active projects that are kept of one window, and windows of one principal. */
const LINKS_MAX = 100;
const ACTIVITY_MAX = 1_024;

/** A window that lately worked in a project. */
export interface ActiveWindow {
  readonly window: WindowKey;
  readonly source: WindowSource;
  readonly lastMeaningfulAtMs: number;
}

/** A window as its operator sees it. */
export interface KnownWindow extends ActiveWindow {
  readonly principalKey: string;
  readonly project: string;
}

/** What is known of windows; a project that is none is written as an empty text. */
export class WindowStore {
  private readonly upsertActivity;
  private readonly pruneActivity;
  private readonly selectPeers;
  private readonly selectAll;
  private readonly upsertLink;
  private readonly pruneLinks;
  private readonly selectAffinity;
  private readonly selectLinks;

  constructor(database: Database) {
    this.upsertActivity = database.prepare(
      `INSERT INTO window_activity (principal_key, project, window_key, source, last_meaningful_at_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (principal_key, project, window_key) DO UPDATE SET
         last_meaningful_at_ms = max(last_meaningful_at_ms, excluded.last_meaningful_at_ms)`,
    );
    this.pruneActivity = database.prepare(
      `DELETE FROM window_activity WHERE principal_key = @principal AND last_meaningful_at_ms <
         (SELECT last_meaningful_at_ms FROM window_activity WHERE principal_key = @principal
          ORDER BY last_meaningful_at_ms DESC LIMIT 1 OFFSET ${ACTIVITY_MAX})`,
    );
    // Without those that the observer was told of in this project before.
    this.selectPeers = database.prepare<[object], { window_key: WindowKey; source: WindowSource; last_meaningful_at_ms: number }>(
      `SELECT window_key, source, last_meaningful_at_ms FROM window_activity AS activity
       WHERE principal_key = @principal AND project = @project AND window_key <> @observer AND last_meaningful_at_ms >= @since
         AND NOT EXISTS (SELECT 1 FROM peer_discoveries WHERE principal_key = @principal AND observer_window = @observer
                         AND peer_window = activity.window_key AND project = @project)
       ORDER BY last_meaningful_at_ms DESC, window_key LIMIT @limit`,
    );
    this.selectAll = database.prepare<
      [],
      { principal_key: string; project: string; window_key: WindowKey; source: WindowSource; last_meaningful_at_ms: number }
    >('SELECT * FROM window_activity ORDER BY last_meaningful_at_ms DESC, window_key, project');
    this.upsertLink = database.prepare(
      `INSERT INTO window_links (principal_key, window_key, session_id, project, relation, linked_at_ms) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (principal_key, window_key, session_id, project, relation) DO UPDATE SET linked_at_ms = excluded.linked_at_ms`,
    );
    this.pruneLinks = database.prepare(
      `DELETE FROM window_links WHERE principal_key = @principal AND window_key = @window AND linked_at_ms <
         (SELECT linked_at_ms FROM window_links WHERE principal_key = @principal AND window_key = @window
          ORDER BY linked_at_ms DESC LIMIT 1 OFFSET ${LINKS_MAX})`,
    );
    this.selectAffinity = database
      .prepare<[string, string, string], SessionId>(
        `SELECT session_id FROM window_links WHERE principal_key = ? AND window_key = ? AND project = ?
         ORDER BY linked_at_ms DESC, relation = 'work_on_project' DESC, session_id LIMIT 1`,
      )
      .pluck();
    this.selectLinks = database
      .prepare<[string, string], SessionId>(
        `SELECT session_id FROM window_links WHERE principal_key = ? AND window_key = ?
         GROUP BY session_id ORDER BY max(linked_at_ms) DESC, session_id LIMIT ${LINKS_MAX}`,
      )
      .pluck();
  }

  /** A window did something meaningful. */
  noteActivity(principal: string, project: ProjectId | null, window: ActiveWindow): void {
    const { changes } = this.upsertActivity.run(principal, project ?? '', window.window, window.source, window.lastMeaningfulAtMs);
    if (changes > 0) this.pruneActivity.run({ principal });
  }

  /** Other windows that worked in the project since then and are not known to the observer, the latest first. */
  newPeers(principal: string, observer: WindowKey, project: ProjectId, sinceMs: number, limit: number): ActiveWindow[] {
    return this.selectPeers
      .all({ principal, observer, project, since: sinceMs, limit })
      .map((row) => ({ window: row.window_key, source: row.source, lastMeaningfulAtMs: row.last_meaningful_at_ms }));
  }

  /** Every window and its projects, the latest activity first. */
  all(): KnownWindow[] {
    return this.selectAll.all().map((row) => ({
      principalKey: row.principal_key,
      project: row.project,
      window: row.window_key,
      source: row.source,
      lastMeaningfulAtMs: row.last_meaningful_at_ms,
    }));
  }

  noteLink(principal: string, window: WindowKey, link: WindowLink, atMs: number): void {
    this.upsertLink.run(principal, window, link.sessionId, link.project ?? '', link.relation, atMs);
    this.pruneLinks.run({ principal, window });
  }

  /** The Session of the latest link in exactly this project; of two at once, the one that was worked on. */
  affinity(principal: string, window: WindowKey, project: ProjectId): SessionId | null {
    return this.selectAffinity.get(principal, window, project) ?? null;
  }

  /** The Sessions of a window's links, the latest first. */
  linkedSessions(principal: string, window: WindowKey): SessionId[] {
    return this.selectLinks.all(principal, window);
  }
}
