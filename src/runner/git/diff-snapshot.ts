import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { PLAIN_DIFF, type DiffSides } from './diff.js';
import { nulRecords } from './nul-records.js';
import { parseRawDiff } from './raw-diff.js';
import { gitBytes, type GitCall } from './run-git.js';

/** How many files are looked at at a time. */
const LOOKS_AT_ONCE = 16;

/** What both sides of a diff were at one moment. */
export interface DiffSnapshot {
  /** 32 hex characters that change with any change of either side. */
  readonly id: string;
  /** Untracked files of the work tree, where the scope has them. */
  readonly untracked: readonly Buffer[];
}

/** Two commits never change. */
export function commitsSnapshot(base: string, head: string): DiffSnapshot {
  return { id: digest(['commits', base, head]), untracked: [] };
}

/**
 * Names the state of index and work tree as far as a diff looks at them: the raw diff
 * pins the index and HEAD, the status of each changed file its content. To touch a file
 * makes another snapshot, which costs a caller a new beginning and never a wrong page.
 */
export async function workTreeSnapshot(
  call: GitCall,
  sides: DiffSides,
  pathspecs: readonly string[],
  looksAt: { readonly files: boolean; readonly untracked: boolean },
): Promise<DiffSnapshot | Refusal> {
  const everything = pathspecs.length === 0 ? ['.'] : pathspecs;
  const [raw, others] = await Promise.all([
    gitBytes(call, [...PLAIN_DIFF, '--raw', '-z', '--no-abbrev', '--no-renames', ...sides, '--', ...everything]),
    looksAt.untracked ? gitBytes(call, ['ls-files', '--others', '--exclude-standard', '-z', '--', ...everything]) : null,
  ]);
  if (isRefusal(raw)) return raw;
  if (others !== null && isRefusal(others)) return others;
  const untracked = others === null ? [] : nulRecords(others);
  const changed = looksAt.files ? parseRawDiff(raw).map(({ path }) => path) : [];
  const states = await fileStates(call.folder, [...changed, ...untracked]);
  return { id: digest(['work-tree', sides.join(' '), raw, ...states]), untracked };
}

async function fileStates(folder: string, paths: readonly Buffer[]): Promise<string[]> {
  const states: string[] = [];
  for (let start = 0; start < paths.length; start += LOOKS_AT_ONCE) {
    states.push(...(await Promise.all(paths.slice(start, start + LOOKS_AT_ONCE).map((path) => fileState(folder, path)))));
  }
  return states;
}

async function fileState(folder: string, path: Buffer): Promise<string> {
  const name = path.toString('latin1');
  try {
    const { ino, mode, size, mtimeNs, ctimeNs } = await lstat(Buffer.concat([Buffer.from(join(folder, '/')), path]), { bigint: true });
    return [name, ino, mode, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return `${name} is not there`;
  }
}

function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}
