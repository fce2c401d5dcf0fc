import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { inheritedDescriptors } from './inherited-descriptors.js';

/** How the Runner is started. */
export interface RunnerLaunch {
  /** The Node that runs it, absolute. */
  readonly execPath: string;
  /** `runner/main.js` and what follows it. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Where output goes that the Runner's own log cannot hold, such as a crash of Node. */
  readonly logPath: string;
}

export interface SpawnedRunner {
  readonly pid: number | undefined;
  /** Settles when the process is over, with a sentence that says how. */
  readonly exited: Promise<string>;
}

/**
 * Starts a Runner in a session of its own that inherits nothing of the daemon: no
 * terminal, no folder, and no descriptor but the null device and the log. Descriptors
 * that the daemon was itself started with are covered by the null device.
 */
export function spawnRunner({ execPath, args, env, cwd, logPath }: RunnerLaunch): SpawnedRunner {
  const nothing = openSync('/dev/null', 'r+');
  const log = openSync(logPath, 'a', 0o600);
  try {
    const stdio: ('ignore' | number)[] = ['ignore', log, log];
    for (const descriptor of inheritedDescriptors()) {
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio[descriptor] = nothing;
    }
    const child = spawn(execPath, args, { cwd, env, detached: true, stdio });
    child.unref();
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`it could not be started (${error.message})`));
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
      );
    });
    return { pid: child.pid, exited };
  } finally {
    closeSync(nothing);
    closeSync(log);
  }
}
