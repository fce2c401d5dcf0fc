import { spawn } from 'node:child_process';

/** How a process ended: with a code of its own, or by a signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnedChild {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
}

/** Why nothing was started: an error code of the system, e.g. `ENOENT`. */
export interface SpawnFailure {
  readonly code: string;
}

export interface ChildProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Descriptors for the child; the child gets copies and inherits nothing else. */
export interface ChildStdio {
  /** Null is the null device. */
  readonly stdin: number | null;
  readonly stdout: number;
  readonly stderr: number;
}

/**
 * Starts a program as the leader of a session and a process group of its own. A program
 * without a slash in its name is looked up in the PATH of `env`.
 */
export async function spawnChild(program: ChildProgram, stdio: ChildStdio): Promise<SpawnedChild | SpawnFailure> {
  try {
    const child = spawn(program.file, program.args, {
      cwd: program.cwd,
      env: program.env,
      detached: true,
      stdio: [stdio.stdin ?? 'ignore', stdio.stdout, stdio.stderr],
    });
    const exited = new Promise<ProcessExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    if (child.pid !== undefined) {
      // Later errors of the handle (a kill that failed) say nothing about the process.
      child.on('error', () => undefined);
      return { pid: child.pid, exited };
    }
    return await new Promise<SpawnFailure>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? 'UNKNOWN' }));
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code };
  }
}
