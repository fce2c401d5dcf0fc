import { constants } from 'node:fs';
import { access, lstat, mkdir, open, readFile, readlink, rename, rm, stat } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { isCode } from '../state.js';
import { ConfigRefused } from './config-refused.js';

/** Larger than any configuration; what is beyond is something else, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINKS = 40;
const BOM = '\uFEFF';

/** A client's configuration as it was read. */
export interface ConfigFile {
  /** Where the client looks for it. */
  readonly path: string;
  /** Where its links lead to: what is written. */
  readonly target: string;
  /** Null where there is none yet. */
  readonly bytes: Buffer | null;
  /** Without a byte order mark; '' where there is none yet. */
  readonly text: string;
  readonly mode: number | null;
}

/** Reads a configuration through any links. Throws ConfigRefused for what can be no configuration. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const target = await followLinks(path);
  try {
    const { mode, size } = await regular(target, path);
    if (size > MAX_BYTES) throw new ConfigRefused(`${path} is ${size} bytes long.`, 'That is no configuration; look at what it is.');
    const bytes = await readFile(target);
    return { path, target, bytes, text: decode(bytes, path), mode: mode & 0o777 };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return { path, target, bytes: null, text: '', mode: null };
    if (isCode(error, 'EACCES', 'ENOTDIR', 'EPERM')) throw new ConfigRefused(`${path} can not be read: ${(error as Error).message}.`, 'Give yourself the right to read it.');
    throw error;
  }
}

/** The bytes that hold `text` in that file, its byte order mark kept. */
export function encodeFor(file: ConfigFile, text: string): Buffer {
  const hasMark = file.bytes?.subarray(0, 3).equals(Buffer.from(BOM)) === true;
  return Buffer.from(hasMark ? BOM + text : text);
}

/**
 * Refuses a file that its owner set read-only, or that lies where nothing can be written;
 * the mode counts for the superuser as well.
 */
export async function refuseReadOnly(file: ConfigFile): Promise<void> {
  const refused = (why: string): ConfigRefused =>
    new ConfigRefused(`${shown(file)} can not be written: ${why}.`, `Make it writable (chmod u+w), or put the entry where it is made from.`);
  if (file.mode !== null && (file.mode & 0o200) === 0) throw refused('it is read-only');
  await access(await nearestFolder(dirname(file.target)), constants.W_OK).catch((error: unknown) => {
    throw refused((error as Error).message);
  });
}

/**
 * Puts `bytes` in the place of what was read, in one step, or removes the file (null). Links
 * stay links, and the mode stays.
 *
 * @throws ConfigRefused when somebody else wrote it since it was read
 */
export async function replaceConfigFile(file: ConfigFile, bytes: Buffer | null): Promise<void> {
  await refuseReadOnly(file);
  const now = await readConfigFile(file.path);
  if (now.target !== file.target || !sameBytes(now.bytes, file.bytes)) {
    throw new ConfigRefused(`${file.path} was changed by somebody else meanwhile.`, 'Look at it, and try again.');
  }
  if (bytes === null) return rm(file.target, { force: true });
  await mkdir(dirname(file.target), { recursive: true });
  const fresh = `${file.target}.wc-${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(fresh, 'wx', file.mode ?? 0o600);
    try {
      // The mode as it was, whatever the umask.
      if (file.mode !== null) await handle.chmod(file.mode);
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file.target);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** The path, and where its links lead to. */
export function shown({ path, target }: Pick<ConfigFile, 'path' | 'target'>): string {
  return path === target ? path : `${path} (a link to ${target})`;
}

export function sameBytes(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

async function regular(target: string, path: string): Promise<{ readonly mode: number; readonly size: number }> {
  const found = await stat(target);
  if (!found.isFile()) throw new ConfigRefused(`${path} is no file.`, 'Move away what is there.');
  return found;
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigRefused(`${path} is no text in UTF-8.`, 'Save it as UTF-8, as its client expects.');
  }
}

/** Where the last link leads, also when nothing is there yet. */
async function followLinks(path: string): Promise<string> {
  let at = path;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const isLink = await lstat(at).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (!isLink) return at;
    at = resolve(dirname(at), await readlink(at));
  }
  throw new ConfigRefused(`${path} is a link that leads round in a circle.`, 'Remove it.');
}

async function nearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(at).catch(() => null);
    if (found !== null || dirname(at) === at) return at;
  }
}
