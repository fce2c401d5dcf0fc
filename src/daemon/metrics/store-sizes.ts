import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatePaths } from '../../protocol/state-folder.js';
import type { Sample } from './exposition.js';

/** Files of one look into a folder: a spool is bounded, a folder that is none of ours may not be. */
const MAX_FILES = 10_000;

/** Where the daemon keeps what grows. */
export type StorePaths = Pick<StatePaths, 'ledger' | 'audit' | 'log' | 'runnerLog' | 'spool'>;

/** The sizes of the stores in bytes, logs of the databases apart; what does not exist has none. */
export async function storeSizes(paths: StorePaths): Promise<readonly Sample[]> {
  const files = {
    ledger: paths.ledger,
    ledger_wal: `${paths.ledger}-wal`,
    audit: paths.audit,
    audit_wal: `${paths.audit}-wal`,
    daemon_log: paths.log,
    runner_log: paths.runnerLog,
  };
  const sizes = await Promise.all(Object.entries(files).map(async ([store, path]) => [store, await fileSize(path)] as const));
  sizes.push(['spool', await folderSize(paths.spool)]);
  return sizes.flatMap(([store, value]) => (value === null ? [] : [{ labels: { store }, value }]));
}

async function fileSize(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

async function folderSize(path: string): Promise<number | null> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).slice(0, MAX_FILES);
    let total = 0;
    for (const { parentPath, name } of files) total += (await fileSize(join(parentPath, name))) ?? 0;
    return total;
  } catch {
    return null;
  }
}
