import type { Database } from 'better-sqlite3';
import { jobSchema } from '../../../protocol/runner/jobs.js';
import type { CommitQueue } from '../../storage/commit-queue.js';
import type { Receipt } from './job-receipts.js';

interface Row {
  readonly job_id: string;
  readonly runner_instance: string;
  readonly observed_at_ms: number;
  readonly job: string;
}

/** The SQL of receipts. A write that fails is retried by nobody: the receipt lives on in memory. */
export class ReceiptStore {
  private readonly selectAll;
  private readonly insertRow;
  private readonly deleteRow;

  constructor(
    database: Database,
    private readonly commits: CommitQueue,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.selectAll = database.prepare<[], Row>('SELECT * FROM job_receipts ORDER BY observed_at_ms, rowid');
    this.insertRow = database.prepare(
      'INSERT OR IGNORE INTO job_receipts (job_id, runner_instance, observed_at_ms, job) VALUES (?, ?, ?, ?)',
    );
    this.deleteRow = database.prepare('DELETE FROM job_receipts WHERE job_id = ?');
  }

  /** Oldest first. A row that this version does not understand is passed over. */
  all(): Receipt[] {
    return this.selectAll.all().flatMap((row) => {
      const job = jobSchema.safeParse(parseJson(row.job));
      return job.success ? [{ job: job.data, instance: row.runner_instance, observedAtMs: row.observed_at_ms }] : [];
    });
  }

  add({ job, instance, observedAtMs }: Receipt): void {
    // The ledger holds no command, and the beginning of one may be a secret that does not look like one.
    const kept = JSON.stringify({ ...job, command_preview: '' });
    this.write(() => this.insertRow.run(job.job_id, instance, observedAtMs, kept));
  }

  remove(jobIds: readonly string[]): void {
    if (jobIds.length > 0) this.write(() => jobIds.forEach((jobId) => this.deleteRow.run(jobId)));
  }

  private write(work: () => void): void {
    this.commits.enqueue(work).catch(this.onFault);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
