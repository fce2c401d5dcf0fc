import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const WC = join(import.meta.dirname, '..', '..', 'bin', 'wc');

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
}

/** A place of its own for one test file: a state folder, and `wc` in it. */
export interface CliPlace {
  readonly folder: string;
  /** The state folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs `wc` to its end, the event loop standing still. */
  wc(args: readonly string[], options?: CliOptions): Ended;
  /** Starts `wc`; the promise settles when it has ended. */
  start(args: readonly string[], options?: CliOptions): Promise<Ended>;
  /** A line of sh, in which `$WC` is the command. */
  shell(line: string, options?: CliOptions): Ended;
  status(): { readonly running: boolean; readonly pid: number | null; readonly socket: string };
  /** Ends what runs here, stopped processes included, and removes the folder. */
  close(): void;
}

/** Selectors and tokens of whoever runs the tests are no business of theirs. */
const CLEAN = { WC_SESSION: '', WC_PROJECT: '', WC_RECORD: '', WC_TOKEN: '' };

export function cliPlace(): CliPlace {
  const folder = mkdtempSync(join(tmpdir(), 'wc-cli-'));
  const home = join(folder, 'state');
  const env: NodeJS.ProcessEnv = { ...process.env, ...CLEAN, WC_HOME: home, WC };
  const run = (program: string, args: readonly string[], options: CliOptions = {}): Ended => {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: options.cwd ?? folder,
      env: { ...env, ...options.env },
      input: options.input ?? '',
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    });
    return { code: status, out: stdout, err: stderr };
  };
  const wc = (args: readonly string[], options?: CliOptions): Ended => run(WC, args, options);
  return {
    folder,
    home,
    env,
    wc,
    shell: (line, options) => run('/bin/sh', ['-c', line], options),
    start: (args, options = {}) =>
      new Promise((resolve) => {
        const child = spawn(WC, args, { cwd: options.cwd ?? folder, env: { ...env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] });
        const text = { out: '', err: '' };
        child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString('utf8')));
        child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString('utf8')));
        child.on('close', (code) => resolve({ code, ...text }));
      }),
    status: () => JSON.parse(wc(['daemon', 'status', '--json']).out) as ReturnType<CliPlace['status']>,
    close: () => {
      const pid = holder(home);
      if (pid !== null) signal(pid, 'SIGCONT');
      wc(['daemon', 'stop']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Git repository with one commit, in `place`. */
export function gitRepository(place: CliPlace, name = 'repo'): string {
  const path = join(place.folder, name);
  mkdirSync(path);
  place.shell('git init -q -b main && git -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m first', { cwd: path });
  return path;
}

function holder(home: string): number | null {
  try {
    return (JSON.parse(readFileSync(join(home, 'lock.holder'), 'utf8')) as { pid: number }).pid;
  } catch {
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
