import { execFile } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What a Node may take to say its version, in milliseconds. */
const ANSWERS_WITHIN_MS = 10_000;

export interface NodeVersion {
  readonly major: number;
  readonly minor: number;
}

/** The versions that were asked for, by the very file that answered. */
const known = new Map<string, NodeVersion>();

/**
 * The version of a Node, asked once a file; null when it does not say one in time. A
 * version manager's shim answers for the folder and the environment that it runs in, so
 * only real files are remembered.
 */
export async function nodeVersion(file: string, at: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): Promise<NodeVersion | null> {
  const key = await identityOf(file);
  const remembered = key === null ? undefined : known.get(key);
  if (remembered !== undefined) return remembered;
  const version = await askVersion(file, at);
  if (version !== null && key !== null) known.set(key, version);
  return version;
}

/** Which file this is, as long as it is the same; null for a small script that decides anew at each start. */
async function identityOf(file: string): Promise<string | null> {
  try {
    const path = await realpath(file);
    const { size, mtimeMs } = await stat(path);
    return size < SHIM_BYTES ? null : `${path}\0${size}\0${mtimeMs}`;
  } catch {
    return null;
  }
}

/** No Node is this small, and every shim is. */
const SHIM_BYTES = 1_024 * 1_024;

async function askVersion(file: string, { cwd, env }: Parameters<typeof nodeVersion>[1]): Promise<NodeVersion | null> {
  try {
    const { stdout } = await promisify(execFile)(file, ['--version'], { cwd, env, timeout: ANSWERS_WITHIN_MS, killSignal: 'SIGKILL' });
    const found = /^v(\d+)\.(\d+)\./.exec(stdout);
    return found === null ? null : { major: Number(found[1]), minor: Number(found[2]) };
  } catch {
    return null;
  }
}
