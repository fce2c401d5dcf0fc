import type { Database } from 'better-sqlite3';
import type { JobId } from '../../protocol/ids.js';
import type { SessionHead } from './session-head.js';

type Owner = Pick<SessionHead, 'number'>;

/** Which terminal Jobs of a Session have their event already. Writes run inside a commit. */
export class ValidationMarkerStore {
  private readonly selectAll;
  private readonly insertLast;
  private readonly deleteOne;

  constructor(database: Database) {
    this.selectAll = database
      .prepare<[number], JobId>('SELECT job_id FROM session_validation_jobs WHERE session_number = ? ORDER BY marker_number')
      .pluck();
    this.insertLast = database.prepare(
      `INSERT INTO session_validation_jobs (session_number, marker_number, job_id)
       SELECT @number, coalesce(max(marker_number) + 1, 0), @jobId FROM session_validation_jobs
       WHERE session_number = @number`,
    );
    this.deleteOne = database.prepare('DELETE FROM session_validation_jobs WHERE session_number = ? AND job_id = ?');
  }

  /** The Jobs, oldest marker first. */
  jobs({ number }: Owner): JobId[] {
    return this.selectAll.all(number);
  }

  add({ number }: Owner, jobId: JobId): void {
    this.insertLast.run({ number, jobId });
  }

  remove({ number }: Owner, jobId: JobId): void {
    this.deleteOne.run(number, jobId);
  }
}
