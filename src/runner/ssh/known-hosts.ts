import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownHostKey } from './host-key-verdict.js';

/** What the search of one file may take. */
const SEARCH_WITHIN_MS = 5_000;
const MAX_FOUND_BYTES = 1_024 * 1_024;
/** What `ssh-keygen -F` ends with when no line matches. */
const NOT_FOUND = 1;

/** The files that OpenSSH goes by when it is not told otherwise. */
function usualFiles(home: string): string[] {
  return [join(home, '.ssh/known_hosts'), join(home, '.ssh/known_hosts2'), '/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2'];
}

export interface KnownHostsSearch {
  /** `ssh-keygen`, absolute: it reads hashed names, patterns and marks as `ssh` does. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whose known hosts these are. */
  readonly home: string;
  readonly host: string;
  readonly port: number;
}

/** The keys that are known of a host; null when a file that is there could not be searched. */
export async function knownHostKeys(search: KnownHostsSearch): Promise<readonly KnownHostKey[] | null> {
  const found = await Promise.all(usualFiles(search.home).map((file) => searchFile(search, file)));
  return found.some((keys) => keys === null) ? null : found.flatMap((keys) => keys ?? []);
}

async function searchFile({ program, env, host, port }: KnownHostsSearch, file: string): Promise<readonly KnownHostKey[] | null> {
  if (!(await exists(file))) return [];
  const name = port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
  return new Promise((resolve) => {
    execFile(
      program,
      ['-F', name, '-f', file],
      { env, cwd: '/', timeout: SEARCH_WITHIN_MS, killSignal: 'SIGKILL', encoding: 'utf8', maxBuffer: MAX_FOUND_BYTES },
      (error, stdout) => resolve(error === null ? knownKeys(stdout) : error.code === NOT_FOUND ? [] : null),
    );
  });
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

/** The keys in lines of `known_hosts`; keys of authorities are left out, since host certificates are not taken. */
function knownKeys(lines: string): readonly KnownHostKey[] {
  return lines.split('\n').flatMap((line) => {
    if (line.startsWith('#')) return [];
    const fields = line.trim().split(/\s+/);
    const mark = fields[0]?.startsWith('@') === true ? fields.shift() : null;
    const [, type, key] = fields;
    if (type === undefined || key === undefined || (mark !== null && mark !== '@revoked')) return [];
    return [{ type, key: Buffer.from(key, 'base64'), revoked: mark === '@revoked' }];
  });
}
