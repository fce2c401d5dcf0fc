import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the last tests may still be ending when the suite is over. */
const ENDS_WITHIN_MS = 10_000;

/** A process of this run. */
interface Left {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/**
 * vitest's globalSetup: gives the run a temporary folder of its own, and fails it when a
 * process that belongs to it outlives it. Every state folder, project and socket of a test
 * lies in that folder, so that whatever a test started names it: daemons and Runners in
 * their arguments, commands in their environment or by where they run.
 */
export default function ownTemporaryFolder(): () => Promise<void> {
  const outer = tmpdir();
  const folder = realpathSync(mkdtempSync(join(outer, 'wc-suite-')));
  // Tests that run as another user work in it too.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  // What is worth keeping between runs, like downloaded modules.
  process.env['WC_TEST_CACHE'] ??= outer;
  return async () => {
    process.env['TMPDIR'] = outer;
    const left = await leftAfter(folder, ENDS_WITHIN_MS);
    for (const { pid } of left) endProcess(pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    if (left.length === 0) return;
    // An error of a teardown is shown, and fails nothing by itself.
    process.exitCode = 1;
    throw new Error(`the tests left ${left.length} processes behind:\n${left.map(({ pid, command }) => `  ${pid}  ${command.slice(0, 200)}`).join('\n')}`);
  };
}

async function leftAfter(folder: string, withinMs: number): Promise<Left[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    // Workers of vitest itself are its own business.
    const left = processesNaming(folder).filter(({ pid, parent }) => pid !== process.pid && parent !== process.pid);
    if (left.length === 0 || performance.now() > deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function processesNaming(folder: string): Left[] {
  return process.platform === 'linux' ? procNaming(folder) : psNaming(folder);
}

function procNaming(folder: string): Left[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
        const told = [command, readFileSync(`/proc/${name}/environ`, 'latin1'), readlinkSync(`/proc/${name}/cwd`)];
        const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'latin1'))?.[1]);
        return told.some((text) => text.includes(folder)) ? [{ pid: Number(name), parent, command: command.replaceAll('\0', ' ') }] : [];
      } catch {
        // It has ended, or belongs to another user.
        return [];
      }
    });
}

function psNaming(folder: string): Left[] {
  // `E` adds the environment to the command.
  return execFileSync('ps', ['-axwwE', '-o', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter((line) => line.includes(folder))
    .flatMap((line) => {
      const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined || command.startsWith('ps ') ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
    });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
