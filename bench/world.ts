import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'zx';
import type { ToolCallBody } from '../src/protocol/api.js';
import type { ToolResult } from '../src/protocol/tool-result.js';
import { unixHttp } from './unix-http.js';

const ROOT = join(import.meta.dirname, '..');
const INTERRUPTIONS = ['SIGINT', 'SIGTERM'] as const;

/** What a row measures with; whatever it opens is closed after the row. */
export interface Bench {
  /** A folder of the row's own. */
  readonly folder: string;
  /** The built command. */
  readonly wc: string;
  /** Where peers are installed and kept between runs. */
  readonly cache: string;
  /** A running daemon with a state folder of its own. */
  readonly daemon: (options?: DaemonOptions) => Promise<BenchDaemon>;
  /** A Git repository with a few committed files. */
  readonly repository: () => Promise<string>;
  /** Runs `close` after the row, in reverse order of the calls. */
  readonly defer: (close: () => unknown) => void;
}

export interface DaemonOptions {
  /** The content of config.json. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Called with the state folder before the daemon starts. */
  readonly prepare?: (stateFolder: string) => Promise<void>;
}

export interface BenchDaemon {
  readonly stateFolder: string;
  readonly socket: string;
  /** The environment that makes `wc` reach this daemon. */
  readonly env: NodeJS.ProcessEnv;
  /** Calls a tool over a kept connection; rejects when the tool says no. */
  readonly call: (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    body?: Omit<ToolCallBody, 'arguments'>,
  ) => Promise<Output>;
  /** Posts to any route. */
  readonly post: (path: string, body: unknown) => Promise<unknown>;
}

type Output = ToolResult['output'];

/** Gives `use` a bench in a folder of its own, and cleans up after it, after Ctrl-C too. */
export async function withBench<Result>(use: (bench: Bench) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'wc-bench-'));
  const closers: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const defer = (close: () => unknown): void => void closers.push(close);
  const cleanUp = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    void cleanUp().finally(() => process.kill(process.pid, signal));
  };
  for (const signal of INTERRUPTIONS) process.once(signal, onSignal);
  const wc = join(ROOT, 'bin', 'wc');
  try {
    return await use({
      folder,
      wc,
      cache: join(ROOT, '.bench-cache'),
      defer,
      daemon: (options = {}) => startDaemon({ wc, folder, defer }, options),
      repository: () => createRepository(join(folder, `repository-${closers.length}`)),
    });
  } finally {
    for (const signal of INTERRUPTIONS) process.off(signal, onSignal);
    await cleanUp();
  }
}

async function startDaemon(
  { wc, folder, defer }: Pick<Bench, 'wc' | 'folder' | 'defer'>,
  { config, prepare }: DaemonOptions,
): Promise<BenchDaemon> {
  const stateFolder = await mkdtemp(join(folder, 'state-'));
  if (config !== undefined) await writeFile(join(stateFolder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  await prepare?.(stateFolder);
  const env = { ...process.env, WC_HOME: stateFolder };
  const run = $({ env, quiet: true });
  await run`${wc} daemon start`;
  defer(() => run`${wc} daemon stop`);
  const status = JSON.parse((await run`${wc} daemon status --json`).stdout) as { socket: string };
  const http = unixHttp(status.socket);
  defer(() => {
    http.close();
  });
  return {
    stateFolder,
    socket: status.socket,
    env,
    post: http.post,
    call: async (tool, args, body = {}) => {
      const result = (await http.post(`/api/tools/${tool}`, { ...body, arguments: args })) as ToolResult;
      if (!result.success) throw new Error(`${tool}: ${result.error}`);
      return result.output;
    },
  };
}

async function createRepository(path: string): Promise<string> {
  await mkdir(join(path, 'src'), { recursive: true });
  const lines = Array.from({ length: 200 }, (_, index) => `export const value${index} = ${index};`);
  await writeFile(join(path, 'src', 'values.ts'), `${lines.join('\n')}\n`);
  await writeFile(join(path, 'README.md'), '# A repository to measure with\n');
  const git = $({ cwd: path, quiet: true });
  await git`git init --quiet --initial-branch main`;
  await git`git add --all`;
  await git`git -c user.name=bench -c user.email=bench@localhost commit --quiet --message=start`;
  return path;
}
