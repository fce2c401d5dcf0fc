import { renderJob } from '../../client/render/index.js';
import { onlyJob } from '../framework/follow-job.js';
import { jobArgs, JobCommand } from '../framework/job-command.js';

/** `wc job show JOB`: what is known of it, and where to go on. */
export default class JobShowCommand extends JobCommand {
  static override summary = 'Show one Job: its state, its times, how much it has printed.';
  static override args = jobArgs;

  async run(): Promise<number> {
    const { args, flags } = await this.parse(JobShowCommand);
    const seen = await this.observe('observe_jobs', { items: [{ job_id: args.job }], tail_lines: 1, summary_only: true });
    const job = onlyJob(seen);
    if ('failed' in job) return this.finish(job.failed, flags.json, () => '');
    return this.finish({ success: true, output: job.facts }, flags.json, renderJob);
  }
}
