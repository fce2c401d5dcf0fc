import type { DomainSchema } from '../storage/migrations.js';

/** Receipts of ended Jobs: what list_jobs shows of them, and none of their output. */
export const jobsSchema: DomainSchema = {
  domain: 'jobs',
  steps: [
    `CREATE TABLE job_receipts (
       job_id TEXT PRIMARY KEY,
       runner_instance TEXT NOT NULL,
       observed_at_ms INTEGER NOT NULL,
       job TEXT NOT NULL
     ) STRICT;`,
  ],
};
