import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import type { CommitQueue } from '../../storage/commit-queue.js';
import type { RememberedSource } from './instruction-status.js';

/** Sessions whose last observation is kept; the one observed longest ago goes first. */
const MAX_REMEMBERED = 10_000;

const sourcesSchema = z.array(
  z.strictObject({ source_scope: z.literal('project'), path: z.string(), fingerprint: z.string() }),
);

/** What each Session last saw of its project's instruction files. */
export class ObservedInstructions {
  private readonly select;
  private readonly forget;
  private readonly insert;
  private readonly forgetOldest;

  constructor(
    database: Database,
    private readonly commits: CommitQueue,
  ) {
    this.select = database
      .prepare<[string], string>('SELECT sources FROM observed_instructions WHERE session_id = ?')
      .pluck();
    this.forget = database.prepare('DELETE FROM observed_instructions WHERE session_id = ?');
    this.insert = database.prepare('INSERT INTO observed_instructions (session_id, sources) VALUES (?, ?)');
    this.forgetOldest = database.prepare(
      `DELETE FROM observed_instructions WHERE observation <=
         (SELECT observation FROM observed_instructions ORDER BY observation DESC LIMIT 1 OFFSET ?)`,
    );
  }

  /** Null for a Session that has seen none, or whose observation was let go. */
  of(sessionId: SessionId): readonly RememberedSource[] | null {
    const stored = this.select.get(sessionId);
    return stored === undefined ? null : sourcesSchema.parse(JSON.parse(stored));
  }

  /** @throws CommitFailedError */
  remember(sessionId: SessionId, sources: readonly RememberedSource[]): Promise<void> {
    const kept = sources.map(({ source_scope, path, fingerprint }) => ({ source_scope, path, fingerprint }));
    return this.commits.enqueue(() => {
      this.forget.run(sessionId);
      this.insert.run(sessionId, JSON.stringify(kept));
      this.forgetOldest.run(MAX_REMEMBERED);
    });
  }
}
