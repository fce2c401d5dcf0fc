import type { Refusal } from '../../protocol/runner/project-root.js';
import { nulRecords } from '../git/nul-records.js';
import { gitBytes } from '../git/run-git.js';
import type { WorkTree } from '../git/work-tree.js';
import { isRefusal } from '../request.js';

/** A tracked path that differs from HEAD, in the index or in the work tree. */
export interface TrackedChange {
  /** Project-relative, as git has it. */
  readonly path: Buffer;
  readonly isUnmerged: boolean;
  /** Null where that side has no such path. */
  readonly head: { readonly mode: string; readonly oid: string } | null;
  readonly index: { readonly mode: string; readonly oid: string } | null;
}

/** What differs from HEAD, and the bytes that tell one such state from another. */
export interface TrackedChanges {
  readonly changes: readonly TrackedChange[];
  readonly raw: Uint8Array;
}

const ABSENT = '000000';

/** Asks git which tracked paths under the project's folder differ from HEAD. */
export async function trackedChanges(tree: WorkTree): Promise<TrackedChanges | Refusal> {
  const raw = await gitBytes(tree.call, [
    'status', '--porcelain=v2', '--no-renames', '--untracked-files=no', '--ignore-submodules=dirty', '-z', '--', '.',
  ]);
  if (isRefusal(raw)) return raw;
  const changes = nulRecords(raw).flatMap((record) => changeOf(record, tree.prefix) ?? []);
  return { changes, raw };
}

function changeOf(record: Buffer, prefix: string): TrackedChange | null {
  const kind = String.fromCharCode(record[0] ?? 0);
  if (kind === 'u') return { path: pathAfter(record, 10, prefix), isUnmerged: true, head: null, index: null };
  if (kind !== '1') return null;
  const [, , , headMode = ABSENT, indexMode = ABSENT, , headOid = '', indexOid = ''] = record.toString('latin1').split(' ', 8);
  return {
    path: pathAfter(record, 8, prefix),
    isUnmerged: false,
    head: headMode === ABSENT ? null : { mode: headMode, oid: headOid },
    index: indexMode === ABSENT ? null : { mode: indexMode, oid: indexOid },
  };
}

function pathAfter(record: Buffer, fields: number, prefix: string): Buffer {
  let start = 0;
  for (let field = 0; field < fields; field += 1) start = record.indexOf(0x20, start) + 1;
  return record.subarray(start + Buffer.byteLength(prefix));
}
