import { Flags } from '../framework/oclif.js';
import { textOf } from '../../client/render/index.js';
import { onlyJob } from '../framework/follow-job.js';
import { jobArgs, JobCommand } from '../framework/job-command.js';

/** `wc job stop JOB`: ends its whole process tree. */
export default class JobStopCommand extends JobCommand {
  static override summary = 'Stop a Job and everything that it started.';
  static override args = jobArgs;
  static override flags = {
    project: Flags.string({ summary: 'Only if it is a Job of this project.', helpValue: 'PROJECT' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(JobStopCommand);
    let project: unknown = flags.project;
    if (project === undefined) {
      const job = onlyJob(await this.observe('observe_jobs', { items: [{ job_id: args.job }], tail_lines: 1 }));
      if ('failed' in job) return this.finish(job.failed, flags.json, () => '');
      project = job.facts['project'];
    }
    const result = await this.callTool('stop_job', { project, job_id: args.job, confirm: true });
    return this.finish(result, flags.json, (output) => `Job ${args.job}: ${textOf(output, 'stop_effect').replaceAll('_', ' ')}.`);
  }
}
