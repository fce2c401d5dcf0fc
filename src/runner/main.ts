import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { countsMethod } from '../protocol/runner/counts.js';
import { runnerLaunchSchema, type RunnerLaunch } from '../protocol/runner/launch.js';
import { VERSION } from '../protocol/version.js';
import { createCheckpointServices } from './checkpoints/index.js';
import { createFilesServices, EditJournal, settleEdits } from './files/index.js';
import { createGitServices } from './git/index.js';
import { createExecutionServices } from './jobs/index.js';
import { createProjectServices } from './project/index.js';
import { createSearchServices } from './search/index.js';
import { createShellServices, endLeftShells, type EndedShell } from './shell/index.js';
import { serve } from './request.js';
import { serveRunner } from './server.js';
import { Turns } from './turns.js';
import { createWorktreeServices } from './worktree/index.js';

/** The file creation mask of children, unless the user's start files set another one. */
const USUAL_UMASK = 0o022;
/** The threads of Node's pool when UV_THREADPOOL_SIZE does not say. */
const NODE_POOL_SIZE = 4;

// The pool of this process took its size at the start; its children's are their own business.
const poolSize = process.env['UV_THREADPOOL_SIZE'];
delete process.env['UV_THREADPOOL_SIZE'];

/*
 * The Runner's process: everything that touches the user's machine, served on a private
 * socket (DESIGN §1, §7). Its standard error is its log.
 */

function log(event: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...event })}\n`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function launchArgument(): RunnerLaunch {
  const parsed = runnerLaunchSchema.safeParse(JSON.parse(process.argv[2] ?? 'null'));
  if (!parsed.success) throw new Error(`The Runner was started with settings that it does not understand: ${parsed.error.message}`);
  return parsed.data;
}

/** File work that hangs leaves two threads of the pool to everything else. */
function placesForFileWork(poolSize: string | undefined): number {
  return Math.max(1, (Number(poolSize) || NODE_POOL_SIZE) - 2);
}

/** Where a life of a Runner keeps the journal of its edits. */
function journalFolder(lifeFolder: string): string {
  return join(lifeFolder, 'edits');
}

async function run(): Promise<void> {
  const launch = launchArgument();
  // The Runner is started under a tight mask; what children make is the user's, not ours.
  process.umask(USUAL_UMASK);
  const instanceId = randomBytes(16).toString('hex');
  const onFault = (error: unknown): void => log({ event: 'fault', error: reasonOf(error) });
  const lostShells: EndedShell[] = [];
  const execution = await createExecutionServices({
    spoolFolder: launch.spool_folder,
    instanceId,
    outputModule: new URL('./output/worker/main.js', import.meta.url),
    env: launch.env,
    noninteractive: launch.noninteractive,
    maxConcurrentJobs: launch.max_concurrent_jobs,
    spoolMaxBytes: launch.spool_max_bytes,
    onUmask: (umask) => void process.umask(umask),
    onDeadLife: async (folder, sameBoot) => {
      // Edits first: what a shell left may be waited for.
      const settled = await settleEdits(journalFolder(folder));
      if (settled.finished + settled.undone > 0) log({ event: 'edits_settled', ...settled });
      lostShells.push(...(await endLeftShells(folder, sameBoot, Date.now())));
    },
    onFault,
  });
  const shells = await createShellServices({
    folder: execution.folder,
    environments: execution.environments,
    settings: execution.settings,
    hosts: execution.hosts,
    lost: execution.recovered.then(() => lostShells),
    onFault,
  });
  const environment = (): ReturnType<typeof execution.environment> => execution.environment();
  const turns = new Turns();
  const journal = new EditJournal(journalFolder(execution.folder));
  const server = await serveRunner({
    services: [
      ...execution.services,
      ...shells.services,
      ...createProjectServices({ environment }),
      ...createFilesServices({ places: placesForFileWork(poolSize), turns, journal, settled: execution.recovered }),
      ...createGitServices({ environment, turns }),
      ...createCheckpointServices({
        folder: join(launch.state_folder, 'checkpoints'),
        environment,
        turns,
        now: () => Date.now(),
        onFault: (error) => log({ event: 'fault', error: reasonOf(error) }),
      }),
      ...createSearchServices({ environment }),
      ...createWorktreeServices({ environment, turns }),
      serve(countsMethod, async () => ({ open_shells: shells.openShells(), ssh_connections: execution.hosts.connectionCount })),
    ],
    socketPath: launch.socket_path,
    identity: {
      version: VERSION,
      instanceId,
      startedAtMs: Date.now(),
      stateFolder: launch.state_folder,
      capabilities: ['files', 'search', 'git', 'process', 'shell', 'jobs', 'persistent_shell', 'ssh_shell', 'ssh_persistent_shell'],
    },
    activity: () => ({ activeJobs: execution.activeJobs(), openShells: shells.openShells() }),
    shutdown: async () => {
      await Promise.all([shells.shutdown(), journal.idle()]);
      return execution.shutdown();
    },
    onFault: ({ method, error }) => log({ event: 'fault', method, error: reasonOf(error) }),
  });
  log({ event: 'started', instance_id: instanceId, version: VERSION });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.end(signal));
  log({ event: 'ended', reason: await server.ended });
}

// Whatever is still open, such as a socket that does not close, must not keep an ended Runner alive.
run().then(
  () => process.exit(0),
  (error: unknown) => {
    log({ event: 'failed', error: reasonOf(error) });
    process.exit(1);
  },
);
