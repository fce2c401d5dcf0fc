import type { BenchDaemon } from './world.js';

/** A project with a Session on it, as most measured calls need one. */
export interface BenchProject {
  readonly project: string;
  readonly session: string;
}

/** Registers `path` by beginning work on it. */
export async function beginWork(daemon: BenchDaemon, path: string): Promise<BenchProject> {
  const output = await daemon.call('work_on_project', { instruction: 'measure', client_id: 'local', path });
  return { project: text(output, 'project'), session: text(output, 'session_id') };
}

function text(output: Readonly<Record<string, unknown>>, name: string): string {
  const value = output[name];
  if (typeof value !== 'string') throw new Error(`work_on_project gave no ${name}: ${JSON.stringify(output)}`);
  return value;
}
