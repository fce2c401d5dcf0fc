import { Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import type { JobFacts } from '../../client/render/index.js';
import { jobState } from '../../client/render/index.js';
import { cancelOnInterrupt } from '../framework/cancel-on-interrupt.js';
import { executionExitCode } from '../framework/execution-exit.js';
import { followJob, fromTheStart } from '../framework/follow-job.js';
import { jobArgs, JobCommand } from '../framework/job-command.js';
import { readDuration } from '../framework/read-duration.js';

/** `wc job wait JOB`: until it has ended; the exit code is the program's. */
export default class JobWaitCommand extends JobCommand {
  static override summary = 'Wait until a Job has ended, and end with its exit code.';
  static override endsWithProgram = true;
  static override args = jobArgs;
  static override flags = {
    timeout: Flags.string({ summary: 'Give up waiting after this span (exit code 125); the Job goes on.', helpValue: 'SPAN' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(JobWaitCommand);
    const interrupt = cancelOnInterrupt();
    const bound = flags.timeout === undefined ? [] : [AbortSignal.timeout(readDuration('timeout', flags.timeout))];
    const result = await followJob(this.followParts([], AbortSignal.any([interrupt, ...bound])), args.job, fromTheStart());
    if (result === null) {
      this.note(`wc: Job ${args.job} goes on.`);
      return interrupt.aborted ? EXIT.signalBase + 2 : EXIT.ownFailure;
    }
    this.finish(result, flags.json, (output) => `Job ${args.job}: ${jobState(output as unknown as JobFacts)}`);
    return result.success ? executionExitCode(result) : EXIT.ownFailure;
  }
}
