import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { startExecutionMethod, type ExecutionReport } from '../../../src/protocol/runner/execution.js';
import { getJobMethod, observeJobsMethod, type JobView } from '../../../src/protocol/runner/jobs.js';
import type { RunnerMethod } from '../../../src/protocol/runner/method.js';
import type { Refusal } from '../../../src/protocol/runner/project-root.js';
import { createExecutionServices, type ExecutionServices, type ExecutionServicesOptions } from '../../../src/runner/jobs/index.js';
import { isRefusal, type RunnerRequest } from '../../../src/runner/request.js';
import { temporaryProject, type TemporaryProject } from '../temporary-project.js';

export type StartParams = z.input<typeof startExecutionMethod.params>;
type Started = z.output<typeof startExecutionMethod.result>;
type Note = z.output<typeof startExecutionMethod.note>;

export interface Call {
  readonly signal?: AbortSignal;
  readonly disconnected?: AbortSignal;
  readonly onNote?: (note: Note) => boolean;
  readonly drained?: () => Promise<void>;
}

/** The execution services in this process, with real children, a real output thread and a project of their own. */
export interface ExecutionHouse {
  readonly project: TemporaryProject;
  readonly spool: string;
  /** This life as cursors name it. */
  readonly instance: string;
  readonly execution: ExecutionServices;
  readonly faults: unknown[];
  /** Sends a request as the wire would: parameters and answer are checked. */
  ask<Params extends z.ZodType, Result extends z.ZodType, AnyNote extends z.ZodType>(
    method: RunnerMethod<Params, Result, AnyNote>,
    params: z.input<Params>,
    call?: Call,
  ): Promise<z.output<Result> | Refusal>;
  start(params: Partial<StartParams> & Pick<StartParams, 'program'>, call?: Call): Promise<Started | Refusal>;
  /** Runs a shell command to its end. */
  shell(command: string, params?: Partial<StartParams>, call?: Call): Promise<ExecutionReport>;
  /** Starts a shell command as a Job. */
  job(command: string, params?: Partial<StartParams>): Promise<JobView>;
  view(jobId: string): Promise<JobView>;
  /** The Job after its end, which comes within 20 s. */
  ended(jobId: string): Promise<JobView>;
  close(): Promise<void>;
}

export const outputModule = new URL('../../../dist/runner/output/worker/main.js', import.meta.url);

export async function executionHouse(options: Partial<ExecutionServicesOptions> = {}): Promise<ExecutionHouse> {
  const project = await temporaryProject();
  const spool = options.spoolFolder ?? (await mkdtemp(join(tmpdir(), 'wc-spool-')));
  const faults: unknown[] = [];
  const instanceId = randomBytes(16).toString('hex');
  const execution = await createExecutionServices({
    spoolFolder: spool,
    instanceId,
    outputModule,
    env: 'inherit',
    noninteractive: true,
    maxConcurrentJobs: 4,
    spoolMaxBytes: 64 * 1_024 * 1_024,
    onFault: (error) => faults.push(error),
    ...options,
  });

  const ask: ExecutionHouse['ask'] = async (method, params, call = {}) => {
    const service = execution.services.find((candidate) => candidate.method.name === method.name);
    if (service === undefined) throw new Error(`no service for ${method.name}`);
    const request: RunnerRequest<unknown> = {
      signal: call.signal ?? new AbortController().signal,
      disconnected: call.disconnected ?? new AbortController().signal,
      note: (note) => call.onNote?.(startExecutionMethod.note.parse(note)) ?? true,
      drained: call.drained ?? (() => Promise.resolve()),
    };
    const answer = (await service.handle(method.params.parse(params), request)) as object;
    return isRefusal(answer) ? answer : method.result.parse(answer);
  };

  const house: ExecutionHouse = {
    project,
    spool,
    instance: instanceId.slice(0, 8),
    execution,
    faults,
    ask,
    start: (params, call) =>
      ask(
        startExecutionMethod,
        {
          execution_id: randomUUID(),
          root: project.root,
          project: 'agent:local:test',
          session_id: null,
          source: 'run_process',
          purpose: 'other',
          command_preview: 'test',
          stdin: null,
          cwd: null,
          timeout_ms: 20_000,
          mode: 'foreground',
          hand_off_after_ms: null,
          environment: null,
          stream_output: false,
          annotations: {},
          ...params,
        },
        call,
      ),
    shell: async (command, params, call) => {
      const started = await house.start({ program: { kind: 'shell', command, shell: 'bash' }, ...params }, call);
      if (isRefusal(started) || started.outcome !== 'finished') throw new Error(`no end: ${JSON.stringify(started)}`);
      return started.report;
    },
    job: async (command, params) => {
      const program = { kind: 'shell', command, shell: 'bash' } as const;
      const started = await house.start({ program, mode: 'job', source: 'run_job', ...params });
      if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error(`no Job: ${JSON.stringify(started)}`);
      return started.job;
    },
    view: async (jobId) => {
      const got = await ask(getJobMethod, { job_id: jobId });
      if (isRefusal(got)) throw new Error(got.refused.message);
      return got.job;
    },
    ended: async (jobId) => {
      const { job } = observed(await observe(house, jobId, { wake_on: 'terminal', wait_ms: 20_000 }));
      if (job.outcome === null) throw new Error(`the Job has not ended: ${JSON.stringify(job)}`);
      return job;
    },
    close: async () => {
      await execution.shutdown();
      await project.remove();
      if (options.spoolFolder === undefined) await rm(spool, { recursive: true, force: true });
    },
  };
  return house;
}

type ObserveAnswer = z.output<typeof observeJobsMethod.result>;

/** Observes one Job from a cursor that has seen nothing, or from the given one. */
export async function observe(
  house: ExecutionHouse,
  jobId: string,
  params: Partial<z.input<typeof observeJobsMethod.params>> & { readonly after?: z.input<typeof observeJobsMethod.params>['items'][number]['after'] } = {},
): Promise<ObserveAnswer> {
  const { after, ...rest } = params;
  const answer = await house.ask(observeJobsMethod, {
    items: [{ job_id: jobId, after: after === undefined ? { ...UNSEEN, instance: house.instance } : after, reset: false }],
    tail_lines: 200,
    wait_ms: 0,
    wake_on: 'change',
    ...rest,
  });
  if (isRefusal(answer)) throw new Error(answer.refused.message);
  return answer;
}

const UNSEEN = { update_seq: 0, next_stdout_line: 1, next_stderr_line: 1 };

export function observed(answer: ObserveAnswer): Extract<ObserveAnswer['items'][number], { cursor: unknown }> {
  const [item] = answer.items;
  if (item === undefined || !('cursor' in item)) throw new Error(`not observed: ${JSON.stringify(item)}`);
  return item;
}

export function refused(answer: object): Refusal['refused'] {
  if (!isRefusal(answer)) throw new Error(`not refused: ${JSON.stringify(answer)}`);
  return answer.refused;
}

/** Waits until `fact` holds; a fact that does not come fails the test. */
export async function until<Value>(what: string, fact: () => Promise<Value | null> | Value | null, withinMs = 20_000): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await fact();
    if (value !== null && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`it did not come true within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process runs; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3));
  } catch {
    return false;
  }
}
