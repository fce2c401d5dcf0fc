import type { DiffFile } from '../../protocol/runner/git-diff.js';
import type { GitChangeKind } from '../../protocol/runner/git.js';
import { pathProtection } from '../confinement/index.js';
import { nulRecords, pathText } from './nul-records.js';

/** A record of `git diff --raw -z`. */
export interface RawRecord {
  readonly oldMode: string;
  readonly newMode: string;
  /** Object names; zeros for what is only in the work tree. Full ones need `--no-abbrev`. */
  readonly oldOid: string;
  readonly newOid: string;
  readonly change: GitChangeKind;
  /** From the project's folder. */
  readonly path: Buffer;
  readonly fromPath: Buffer | null;
}

const KINDS: Readonly<Record<string, GitChangeKind>> = {
  A: 'added', C: 'copied', D: 'deleted', M: 'modified', R: 'renamed', T: 'type_changed', U: 'unmerged',
};

/** Reads `git diff --raw -z`. */
export function parseRawDiff(output: Uint8Array): RawRecord[] {
  const fields = nulRecords(output);
  const records: RawRecord[] = [];
  for (let index = 0; index < fields.length; ) {
    const [oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = (fields[index]?.toString('latin1') ?? '').slice(1).split(' ');
    const change = KINDS[status.charAt(0)] ?? 'modified';
    const first = fields[index + 1] ?? Buffer.alloc(0);
    const isPair = change === 'renamed' || change === 'copied';
    const path = isPair ? (fields[index + 2] ?? first) : first;
    records.push({ oldMode, newMode, oldOid, newOid, change, path, fromPath: isPair ? first : null });
    index += isPair ? 3 : 2;
  }
  return records;
}

/** Lines that were added and removed; null for a binary file. */
export type LineCounts = { readonly insertions: number; readonly deletions: number } | null;

/** Reads `git diff --numstat -z` into counts by the path as it is now. */
export function parseNumstat(output: Uint8Array): Map<string, LineCounts> {
  const counts = new Map<string, LineCounts>();
  const fields = nulRecords(output).map((field) => field.toString('latin1'));
  for (let index = 0; index < fields.length; index += 1) {
    const [added, removed, ...rest] = (fields[index] ?? '').split('\t');
    let path = rest.join('\t');
    if (path === '') {
      path = fields[index + 2] ?? '';
      index += 2;
    }
    counts.set(path, added === '-' ? null : { insertions: Number(added), deletions: Number(removed) });
  }
  return counts;
}

/** Brings both together; a file whose bytes are equal and whose mode is the same was only touched and is left out. */
export function diffFiles(records: readonly RawRecord[], counts: ReadonlyMap<string, LineCounts>): DiffFile[] {
  return records.flatMap((record): DiffFile[] => {
    const { path, path_is_lossy: isLossy } = pathText(record.path);
    const from = record.fromPath === null ? null : pathText(record.fromPath).path;
    const isProtected = [path, from].some((name) => name !== null && pathProtection(name) === 'secret');
    const lines = counts.get(record.path.toString('latin1'));
    const isTouched = lines?.insertions === 0 && lines.deletions === 0;
    if (record.change === 'modified' && record.oldMode === record.newMode && isTouched) return [];
    return [
      {
        path,
        ...(isLossy === undefined ? {} : { path_is_lossy: isLossy }),
        ...(from === null ? {} : { from_path: from }),
        change: record.change,
        old_mode: record.oldMode,
        new_mode: record.newMode,
        insertions: lines?.insertions ?? null,
        deletions: lines?.deletions ?? null,
        binary: lines === null,
        ...(isProtected ? { protected: true as const } : {}),
      },
    ];
  });
}
