import { spawn, type SpawnOptions } from 'node:child_process';

/** Runs a program to its end and throws away what it prints, as it comes; rejects when it fails. */
export function runToEnd(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
    child.stdout?.resume();
    child.stderr?.resume();
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args.join(' ')} ended with ${String(code)}`));
    });
  });
}
