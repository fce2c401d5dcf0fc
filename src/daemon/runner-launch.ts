import { fileURLToPath } from 'node:url';
import type { RunnerLaunch as RunnerSettings } from '../protocol/runner/launch.js';
import type { StatePaths } from '../protocol/state-folder.js';
import type { Config } from './config.js';
import type { RunnerLaunch } from './runner-link/index.js';

/** Threads for file work, so that a file system that hangs blocks nothing else (decision 32). */
const FILE_THREADS = '16';

/** What starts the Runner: this very Node, the program beside this one, and the daemon's settings. */
export function runnerLaunch(
  paths: StatePaths,
  socket: string,
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): RunnerLaunch {
  const settings: RunnerSettings = {
    state_folder: paths.folder,
    socket_path: socket,
    spool_folder: paths.spool,
    env: config.runner.env,
    noninteractive: config.runner.noninteractive,
    max_concurrent_jobs: config.runner.max_concurrent_jobs,
    spool_max_bytes: config.runner.spool_max_bytes,
  };
  return {
    execPath: process.execPath,
    args: [fileURLToPath(new URL('../runner/main.js', import.meta.url)), JSON.stringify(settings)],
    env: {
      ...Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
      UV_THREADPOOL_SIZE: FILE_THREADS,
    },
    cwd: '/',
    logPath: paths.runnerLog,
  };
}
