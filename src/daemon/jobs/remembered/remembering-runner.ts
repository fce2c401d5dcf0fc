import type { z } from 'zod';
import { startExecutionMethod } from '../../../protocol/runner/execution.js';
import { awaitJobsMethod, getJobMethod, jobSchema, listJobsMethod, observeJobsMethod, stopJobMethod } from '../../../protocol/runner/jobs.js';
import type { RunnerMethod } from '../../../protocol/runner/method.js';
import { failure } from '../../../protocol/tool-result.js';
import type { RunnerAnswer, RunnerCallOptions, RunnerPort, RunnerState } from '../../runner-link/index.js';
import type { KnownJob } from './job-memory.js';
import { isAway, isUnknownJob, LOOK_WAITS_MS, looking, type LookOptions, type MemoryParts } from './memory-parts.js';
import { observeRemembered } from './recalled-observation.js';
import { awaitRemembered } from './recalled-readiness.js';

/** What the Runner keeps at most. */
const ALL_OF_RUNNER = 128;

type Output<Method extends { readonly result: z.ZodType }> = z.output<Method['result']>;
type Params<Method extends { readonly params: z.ZodType }> = z.output<Method['params']>;
type Recall = (params: unknown, options: LookOptions) => Promise<RunnerAnswer<unknown>>;

/**
 * The Runner, with the daemon's memory of its Jobs: what the Runner cannot answer itself,
 * because it is away or has forgotten, is answered from there. Everything else is the
 * Runner's own answer; only an end that was final before stays as it was.
 */
export class RememberingRunner implements RunnerPort {
  private readonly recalls: ReadonlyMap<string, Recall>;

  constructor(private readonly parts: MemoryParts) {
    this.recalls = new Map<string, Recall>([
      [listJobsMethod.name, (params, options) => this.list(listJobsMethod.params.parse(params), options)],
      [getJobMethod.name, (params, options) => this.get(getJobMethod.params.parse(params), options)],
      [observeJobsMethod.name, (params, options) => observeRemembered(parts, observeJobsMethod.params.parse(params), options)],
      [awaitJobsMethod.name, (params, options) => awaitRemembered(parts, awaitJobsMethod.params.parse(params), options)],
      [stopJobMethod.name, (params, options) => this.stop(stopJobMethod.params.parse(params), options)],
    ]);
  }

  get state(): RunnerState | null {
    return this.parts.runner.state;
  }

  onInstance(listener: Parameters<RunnerPort['onInstance']>[0]): void {
    this.parts.runner.onInstance(listener);
  }

  async call<P extends z.ZodType, R extends z.ZodType, N extends z.ZodType>(
    method: RunnerMethod<P, R, N>,
    params: z.input<P>,
    options: RunnerCallOptions<z.output<N>> = {},
  ): Promise<RunnerAnswer<z.output<R>>> {
    const recall = this.recalls.get(method.name);
    if (recall === undefined || !method.params.safeParse(params).success) {
      const answer = await this.parts.runner.call(method, params, options);
      if (method.name === startExecutionMethod.name && 'answer' in answer) this.noteHandOff(answer.answer);
      return answer;
    }
    const answer = await recall(params, options.signal === undefined ? {} : { signal: options.signal });
    return 'failure' in answer ? answer : { answer: method.result.parse(answer.answer) };
  }

  private async list(params: Params<typeof listJobsMethod>, options: LookOptions): Promise<RunnerAnswer<Output<typeof listJobsMethod>>> {
    const { runner, memory } = this.parts;
    const everything = { status: null, project: params.project, session_id: params.session_id, limit: ALL_OF_RUNNER };
    const answer = await runner.call(listJobsMethod, everything, looking(this.parts, options));
    if ('failure' in answer && !(isAway(answer) && memory.lastSeen !== null)) return answer;
    const told = 'answer' in answer ? answer.answer.jobs.map((job) => memory.settled(job)) : [];
    const names = new Set(told.map(({ job_id }) => job_id));
    // What runs is known to the Runner alone, unless it is away.
    const remembered = memory.all().filter((job) => !names.has(job.job_id) && ('failure' in answer || job.outcome !== null));
    const matching = [...told, ...remembered]
      .filter(
        (job) =>
          (params.status === null || job.status === params.status) &&
          (params.project === null || job.project === params.project) &&
          (params.session_id === null || job.session_id === params.session_id),
      )
      .sort((a, b) => b.created_at_ms - a.created_at_ms);
    return { answer: { jobs: matching.slice(0, params.limit), matched: matching.length } };
  }

  private async get({ job_id: jobId }: Params<typeof getJobMethod>, options: LookOptions): Promise<RunnerAnswer<Output<typeof getJobMethod>>> {
    const { runner, memory } = this.parts;
    const answer = await runner.call(getJobMethod, { job_id: jobId }, looking(this.parts, options));
    if ('answer' in answer) return { answer: { job: memory.settled(answer.answer.job) } };
    const known = await this.recall(answer, jobId);
    return known === null ? answer : { answer: { job: known.job } };
  }

  /** A Job whose Runner is away cannot be stopped now; one that has ended needs none. */
  private async stop({ job_id: jobId }: Params<typeof stopJobMethod>, options: LookOptions): Promise<RunnerAnswer<Output<typeof stopJobMethod>>> {
    const { runner, memory } = this.parts;
    const answer = await runner.call(stopJobMethod, { job_id: jobId }, looking(this.parts, options));
    if ('answer' in answer) return { answer: { ...answer.answer, job: memory.settled(answer.answer.job) } };
    const known = await this.recall(answer, jobId);
    if (known === null) return answer;
    if (known.job.outcome !== null) return { answer: { stop_effect: 'already_finished', job: known.job } };
    const message = 'The Runner of that Job is being reached again; nothing was stopped, try again in a moment.';
    return { failure: failure('runner_unavailable_recovering', message, { job_id: jobId, state_changed: false }) };
  }

  private async recall(answer: RunnerAnswer<unknown>, jobId: string): Promise<KnownJob | null> {
    const { memory } = this.parts;
    if (isAway(answer)) return memory.find(jobId);
    if (!isUnknownJob(answer)) return null;
    // A Runner that has no record of an active Job is about to say that it is gone.
    if (memory.find(jobId)?.job.outcome === null) await memory.changes(LOOK_WAITS_MS, undefined);
    return memory.find(jobId);
  }

  /** A Job that its caller has heard of is known from then on. */
  private noteHandOff(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null || !('job' in answer)) return;
    const job = jobSchema.safeParse(answer.job);
    if (job.success) this.parts.memory.noteAnswered(job.data);
  }
}
