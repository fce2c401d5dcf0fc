import { rm } from 'node:fs/promises';
import { describeEnvironmentMethod, publishExecutionMethod, readOutputMethod, startExecutionMethod } from '../../protocol/runner/execution.js';
import { watchJobsMethod } from '../../protocol/runner/job-watch.js';
import { awaitJobsMethod, getJobMethod, listJobsMethod, observeJobsMethod, stopJobMethod } from '../../protocol/runner/jobs.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { releaseConnectionsMethod, testResourceMethod } from '../../protocol/runner/ssh.js';
import { ChildEnvironments, type Environment } from '../environment/index.js';
import { OutputThread } from '../output/index.js';
import { CurrentSettings } from '../policy/current-settings.js';
import { isRefusal, refuse, serve, type RunnerService } from '../request.js';
import { awaitJobs } from './await-jobs.js';
import { ExecutionEngine } from './execution-engine.js';
import { GroupJournal } from './group-journal.js';
import type { Job } from './job.js';
import { observeJobs } from './observe-jobs.js';
import { recoverPredecessors } from './predecessors.js';
import { readOutput } from './read-output.js';
import { createLifeFolder, journalPath } from './runner-life.js';
import { settingsInForce } from './settings-in-force.js';
import { RemoteHosts, removeSocketFolder, testResource } from '../ssh/index.js';
import { startExecution } from './start-execution.js';
import { StartMarks } from './start-marks.js';
import { watchJobs } from './watch-jobs.js';

export interface ExecutionServicesOptions {
  /** Where the lives of Runners have their private folders. */
  readonly spoolFolder: string;
  /** This life: hex digits, 8 at least; it names the folder and marks the cursors. */
  readonly instanceId: string;
  /** The built module of the output thread. */
  readonly outputModule: URL;
  readonly env: 'login' | 'inherit';
  readonly noninteractive: boolean;
  readonly maxConcurrentJobs: number;
  readonly spoolMaxBytes: number;
  /** Called with the user's file creation mask, once it is known and before the first child. */
  readonly onUmask?: (umask: number) => void;
  /**
   * Called with the private folder of each Runner that died, before it goes; `sameBoot`
   * says whether that life's process numbers can still mean the same processes.
   */
  readonly onDeadLife?: (folder: string, sameBoot: boolean) => Promise<void>;
  /** What went wrong beside a request: the output thread, the journal, a predecessor's rest. */
  readonly onFault: (error: unknown) => void;
  /** Wall clock, Unix milliseconds. */
  readonly wallClock?: () => number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

export interface ExecutionServices {
  readonly services: readonly RunnerService[];
  /** The private folder of this life. */
  readonly folder: string;
  /** Settles when the Runners that died before this one have been dealt with. */
  readonly recovered: Promise<void>;
  /** What children of projects run in, shells included. */
  readonly environments: ChildEnvironments;
  /** The hosts that Sessions may work on. */
  readonly hosts: RemoteHosts;
  /** What may be started, as the daemon last said. */
  readonly settings: CurrentSettings;
  /** Executions that have not ended, published or not. */
  activeJobs(): number;
  /** What every child of this Runner starts from, for children beside executions. */
  environment(): Promise<Environment>;
  /** Ends every execution and removes what this life kept on disk. */
  shutdown(): Promise<{ readonly ended_jobs: number }>;
}

/**
 * Processes and Jobs (spec 03 §1 to §6). The Jobs that a dead Runner left are taken up
 * in the background; requests about Jobs wait for that, starts do not.
 */
export async function createExecutionServices(options: ExecutionServicesOptions): Promise<ExecutionServices> {
  const { instanceId, wallClock = Date.now, now = () => performance.now(), onFault } = options;
  const folder = await createLifeFolder(options.spoolFolder, instanceId);
  const output = new OutputThread({ module: options.outputModule, folder, spoolMaxBytes: options.spoolMaxBytes, onFault });
  const settings = new CurrentSettings();
  const marks = new StartMarks(folder, onFault);
  const environments = new ChildEnvironments({
    settings,
    from: options.env,
    noninteractive: options.noninteractive,
    marks,
    ...(options.onUmask === undefined ? {} : { onUmask: options.onUmask }),
  });
  const journal = new GroupJournal(journalPath(folder), onFault);
  const hosts = new RemoteHosts({ folder, environments, settings, marks, onFault });
  const engine = new ExecutionEngine({
    output,
    journal,
    marks,
    folder,
    environments,
    settings,
    hosts,
    maxConcurrentJobs: options.maxConcurrentJobs,
    wallClock,
    now,
    onFault,
  });
  const recovered = recoverPredecessors({
    spool: options.spoolFolder,
    ownFolder: folder,
    output,
    wallClock,
    onDeadLife: async (dead, sameBoot) => {
      await removeSocketFolder(dead);
      await options.onDeadLife?.(dead, sameBoot);
    },
    onFault,
  }).then(
    (lost) => engine.takeUp(lost),
    onFault,
  );
  // Asked ahead, so that the first command does not wait for the user's shell.
  void environments.base();

  return {
    services: [
      settings.service(),
      serve(testResourceMethod, ({ resource }) => testResource(hosts, resource)),
      serve(releaseConnectionsMethod, ({ session_id }) => Promise.resolve({ released: hosts.release(session_id) })),
      ...executionServices({ engine, output, environments, settings, recovered, instance: instanceId.slice(0, 8), now }),
    ],
    folder,
    recovered,
    environments,
    hosts,
    settings,
    activeJobs: () => engine.inventory.activeCount,
    environment: () => environments.forChild(null, {}),
    shutdown: async () => {
      environments.close();
      const ended = await engine.shutdown();
      await hosts.close();
      await removeSocketFolder(folder);
      await recovered;
      await journal.close();
      marks.close();
      await output.stop();
      // What could not be ended stays on record for the next Runner.
      if (engine.inventory.activeCount === 0) await removeFolder(folder).catch(onFault);
      return { ended_jobs: ended };
    },
  };
}

/** A process that was making FIFOs may still be at it. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

interface ServedParts {
  readonly engine: ExecutionEngine;
  readonly output: OutputThread;
  readonly environments: ChildEnvironments;
  readonly settings: CurrentSettings;
  readonly recovered: Promise<void>;
  readonly instance: string;
  readonly now: () => number;
}

function executionServices({ engine, output, environments, settings, recovered, instance, now }: ServedParts): readonly RunnerService[] {
  const { inventory } = engine;
  const withJob = async <Answer>(jobId: string, use: (job: Job) => Answer | Promise<Answer>): Promise<Answer | Refusal> => {
    await recovered;
    const job = inventory.findPublished(jobId);
    return job === null ? refuse('unknown_job', 'There is no such Job; list_jobs shows which there are.', { job_id: jobId }) : use(job);
  };

  return [
    serve(startExecutionMethod, async (params, request) => {
      const started = await startExecution(engine, output, params, request);
      if (isRefusal(started) || started.outcome === 'finished') return started;
      const cursor = { instance, update_seq: started.job.update_seq, next_stdout_line: 1, next_stderr_line: 1 };
      return { ...started, cursor };
    }),
    serve(publishExecutionMethod, ({ execution_id, reason }) => {
      const job = inventory.findActive(execution_id);
      if (job !== null) engine.publish(job, reason === 'disconnected');
      return Promise.resolve({ job: job === null ? null : engine.view(job) });
    }),
    serve(listJobsMethod, async ({ status, project, session_id, limit }) => {
      await recovered;
      const matching = inventory
        .published()
        .filter(
          (job) =>
            (status === null || job.status === status) &&
            (project === null || job.identity.project === project) &&
            (session_id === null || job.identity.sessionId === session_id),
        );
      return { jobs: matching.slice(0, limit).map((job) => engine.view(job)), matched: matching.length };
    }),
    serve(getJobMethod, ({ job_id }) => withJob(job_id, (job) => ({ job: engine.view(job) }))),
    serve(observeJobsMethod, async (params, { signal }) => {
      await recovered;
      return observeJobs({ inventory, output, instance, now }, params, signal);
    }),
    serve(watchJobsMethod, async (params, { signal }) => {
      await recovered;
      return watchJobs({ inventory, instance, view: (job) => engine.view(job) }, params, signal);
    }),
    serve(awaitJobsMethod, async (params, { signal }) => {
      await recovered;
      return awaitJobs({ inventory, output, members: (job) => engine.members(job), now }, params, signal);
    }),
    serve(stopJobMethod, ({ job_id }) =>
      withJob(job_id, async (job) => {
        const effect = await engine.stop(job);
        return { stop_effect: effect, job: engine.view(job) };
      }),
    ),
    serve(readOutputMethod, async (params) => {
      await recovered;
      return readOutput({ inventory, output }, params);
    }),
    serve(describeEnvironmentMethod, async () => {
      const { source, shell, failure, variables } = await environments.base();
      return {
        source,
        shell,
        failure,
        path: variables['PATH'] ?? '',
        names: Object.keys(variables).sort(),
        noninteractive: environments.keepsFromAsking,
        ...settingsInForce(settings),
      };
    }),
  ];
}
