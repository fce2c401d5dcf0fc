import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** A bash that is driven by hand: commands on its standard input, their ends on a descriptor of its own. */
export interface HandDrivenShell {
  /** Runs a command and resolves with its status. */
  readonly run: (command: string) => Promise<number>;
  readonly end: () => void;
}

/** Starts the shell as anybody would who writes this in a few lines. */
export function handDrivenShell(cwd: string): HandDrivenShell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  const control = child.stdio[3] as Readable;
  let answer: (status: number) => void = () => undefined;
  control.on('data', (bytes: Buffer) => answer(Number(bytes.toString())));
  return {
    run: (command) =>
      new Promise((resolve) => {
        answer = resolve;
        child.stdin.write(`${command}\necho $? >&3\n`);
      }),
    end: () => child.stdin.end(),
  };
}
