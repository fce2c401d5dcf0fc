import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createRunnerLink, type LinkBounds, type LinkEvent, type RunnerLink } from '../../../src/daemon/runner-link/index.js';
import type { RunnerSettings } from '../../../src/protocol/runner/settings.js';

export interface HarnessFolder {
  readonly path: string;
  readonly socketPath: string;
  /** Makes a daemon's side; `version` is the daemon's, `runnerVersion` the installed Runner's. */
  link(options?: LinkHarnessOptions): RunnerLink & { readonly events: LinkEvent[] };
  /** Ends every Runner that a link of this folder started. */
  dispose(): void;
}

export interface LinkHarnessOptions {
  readonly version?: string;
  readonly runnerVersion?: string;
  readonly bounds?: Partial<LinkBounds>;
  readonly idleEndMs?: number;
  readonly mainPath?: string;
  readonly settings?: RunnerSettings;
}

/** Bundles the harness Runner into one file that Node can run. */
export async function bundleHarnessRunner(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('./harness-runner.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}

export function harnessFolder(mainPath: string): HarnessFolder {
  const path = mkdtempSync(join(tmpdir(), 'wc-link-'));
  const socketPath = join(path, 'runner.sock');
  const pids = new Set<number>();
  return {
    path,
    socketPath,
    link: ({ version = '1.0.0', runnerVersion = version, bounds = {}, idleEndMs = 600_000, mainPath: other = mainPath, settings } = {}) => {
      const events: LinkEvent[] = [];
      const link = createRunnerLink({
        socketPath,
        daemon: { version, stateFolder: path },
        launch: {
          execPath: process.execPath,
          args: [other, socketPath, path, runnerVersion, String(idleEndMs)],
          env: { PATH: process.env['PATH'] ?? '' },
          cwd: path,
          logPath: join(path, 'runner.log'),
        },
        log: (event) => {
          events.push(event);
          if (event.event === 'runner_started' && event.pid !== undefined) pids.add(event.pid);
        },
        bounds: { startPollMs: 5, ...bounds },
        ...(settings === undefined ? {} : { settings }),
      });
      return Object.assign(link, { events });
    },
    dispose: () => {
      for (const pid of pids) {
        if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      }
      rmSync(path, { recursive: true, force: true });
    },
  };
}

const HAS_PROC = existsSync('/proc/self/status');

/** Whether a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (!HAS_PROC) return true;
    // A process whose first thread is over still holds its sockets until the last one is.
    const isZombie = /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return !isZombie || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** What a process has open; a descriptor that it closes while we look was no inherited one. */
export function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });
}

/** Waits for a fact, or fails when it does not come about. */
export async function until(fact: () => boolean, what: string, boundMs = 10_000): Promise<void> {
  const deadline = performance.now() + boundMs;
  while (!fact()) {
    if (performance.now() > deadline) throw new Error(`it never came about that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
