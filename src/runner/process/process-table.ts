import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process as the operating system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  /** The id of its session; null where the system does not list it. */
  readonly session: number | null;
  readonly zombie: boolean;
  /**
   * When it started, as text that differs between two processes which had the same
   * pid: clock ticks since the boot on Linux, the wall-clock second elsewhere.
   */
  readonly startTime: string;
}

/** How many processes are looked at side by side: each takes a descriptor. */
const LOOKS_AT_ONCE = 16;

/**
 * Every process of the machine that can be seen.
 *
 * @throws when the machine does not let us look now, e.g. for want of descriptors: that
 *   is not the same as an empty list
 */
export async function listProcesses(platform: NodeJS.Platform = process.platform): Promise<ProcessEntry[]> {
  if (platform !== 'linux') return parsePsListing(await ps(['-axo', PS_COLUMNS]));
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  const entries: (ProcessEntry | null)[] = [];
  for (let next = 0; next < pids.length; next += LOOKS_AT_ONCE) {
    entries.push(...(await Promise.all(pids.slice(next, next + LOOKS_AT_ONCE).map(procEntry))));
  }
  return entries.filter((entry) => entry !== null);
}

/** One process, or null when there is none with this pid; it throws as `listProcesses` does. */
export async function findProcess(pid: number, platform: NodeJS.Platform = process.platform): Promise<ProcessEntry | null> {
  if (platform === 'linux') return procEntry(pid);
  try {
    return parsePsListing(await ps(['-o', PS_COLUMNS, '-p', String(pid)]))[0] ?? null;
  } catch {
    // ps ends with 1 when it finds nothing
    return null;
  }
}

/** Names the current boot, where start times count from it; empty elsewhere. */
export async function bootId(platform: NodeJS.Platform = process.platform): Promise<string> {
  return platform === 'linux' ? (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim() : '';
}

const PS_COLUMNS = 'pid=,pgid=,stat=,lstart=';

/** Parses `ps` output in the columns pid, pgid, stat and lstart. */
export function parsePsListing(listing: string): ProcessEntry[] {
  return listing.split('\n').flatMap((line): ProcessEntry[] => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (match === null) return [];
    const [, pid, group, state = '', startTime = ''] = match;
    return [{ pid: Number(pid), group: Number(group), session: null, zombie: state.startsWith('Z'), startTime }];
  });
}

/** Parses `/proc/<pid>/stat`; the second field may hold blanks and parentheses. */
export function parseProcStat(stat: string): ProcessEntry | null {
  const afterName = stat.lastIndexOf(')');
  if (afterName === -1) return null;
  const fields = stat.slice(afterName + 2).split(' ');
  const [state, , group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return {
    pid: parseInt(stat, 10),
    group: Number(group),
    session: Number(session),
    // X is a dead process that is just being removed.
    zombie: state === 'Z' || state === 'X',
    startTime,
  };
}

/** What reading says of a process that has ended, before or while it is read. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESRCH']);

async function procEntry(pid: number): Promise<ProcessEntry | null> {
  try {
    return parseProcStat(await readFile(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

async function ps(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', args, { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 16 * 1_024 * 1_024 });
  return stdout;
}
