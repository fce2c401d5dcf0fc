import { constants } from 'node:os';
import { Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import { cancelOnInterrupt } from '../framework/cancel-on-interrupt.js';
import type { StreamName } from '../framework/follow-job.js';
import { followJob, fromTheStart, showNew } from '../framework/follow-job.js';
import { jobArgs, JobCommand } from '../framework/job-command.js';

/**
 * `wc job logs JOB`: the end of what it printed, all of it, or what it still prints. Its
 * standard output and standard error come out as such.
 */
export default class JobLogsCommand extends JobCommand {
  static override summary = 'Show what a Job printed.';
  static override args = jobArgs;
  static override flags = {
    lines: Flags.integer({ char: 'n', summary: 'How many lines from the end of each stream.', default: 200, min: 1, max: 5_000 }),
    full: Flags.boolean({ summary: 'From the first line on.', exclusive: ['json'] }),
    follow: Flags.boolean({ char: 'f', summary: 'Go on until the Job has ended.', exclusive: ['json'] }),
    stream: Flags.string({ summary: 'Only this stream.', options: ['stdout', 'stderr'] }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(JobLogsCommand);
    const streams: readonly StreamName[] = flags.stream === undefined ? ['stdout', 'stderr'] : [flags.stream as StreamName];
    const positions = fromTheStart();
    for (const stream of flags.full ? [] : streams) {
      const head = await this.observe('read_job_output', { job_id: args.job, stream, limit: 1 });
      if (!head.success) return this.finish(head, flags.json, () => '');
      positions[stream].startLine = Math.max(1, Number(head.output['total_lines']) - flags.lines + 1);
    }
    if (flags.json) {
      const [stream = 'stdout'] = streams;
      const request = { job_id: args.job, stream, start_line: positions[stream].startLine, limit: flags.lines };
      return this.finish(await this.observe('read_job_output', request), true, () => '');
    }
    const interrupt = cancelOnInterrupt();
    const parts = this.followParts(streams, interrupt);
    if (flags.follow) {
      const ended = await followJob(parts, args.job, positions);
      if (flags.full) await this.sayWhatIsMissing(args.job, streams);
      // Who was interrupted has not seen the end, which success would say.
      if (ended === null) return EXIT.signalBase + constants.signals[interrupt.reason as NodeJS.Signals];
      return ended.success ? EXIT.success : this.finish(ended, false, () => '');
    }
    for (const stream of streams) {
      const failed = await showNew(parts, { job_id: args.job }, stream, positions[stream]);
      if (failed !== null) return this.finish(failed, false, () => '');
    }
    if (flags.full) await this.sayWhatIsMissing(args.job, streams);
    return EXIT.success;
  }

  /** Output that is not whole must not look as if it were. */
  private async sayWhatIsMissing(job: string, streams: readonly StreamName[]): Promise<void> {
    for (const stream of streams) {
      const { output } = await this.observe('read_job_output', { job_id: job, stream, limit: 1 });
      const dropped = output['dropped'] as { readonly first_line: number; readonly last_line: number; readonly bytes: number } | null | undefined;
      if (!dropped) continue;
      this.note(`wc: ${dropped.bytes} bytes of ${stream} are missing above, in the lines ${dropped.first_line} to ${dropped.last_line}: they are not kept.`);
    }
  }
}
