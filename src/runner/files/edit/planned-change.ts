import type { BigIntStats } from 'node:fs';
import type { InsideRoot, NewInsideRoot } from '../../confinement/index.js';

/** A file as it was when its change was planned. */
export interface PlannedFile {
  readonly place: InsideRoot;
  readonly sha256: string;
  readonly status: BigIntStats;
}

/** A change that was checked against the files and only waits to be written. */
export type PlannedChange =
  | { readonly kind: 'edit'; readonly file: PlannedFile; readonly newBytes: Buffer; readonly newSha256: string }
  | { readonly kind: 'create'; readonly place: NewInsideRoot; readonly newBytes: Buffer; readonly newSha256: string }
  | { readonly kind: 'delete'; readonly file: PlannedFile }
  | {
      readonly kind: 'rename';
      readonly file: PlannedFile;
      readonly to: NewInsideRoot;
      /** Both names lead to the same file: the file system ignores case. */
      readonly isSameFile: boolean;
    };

/** Whether a change would leave its file as it is. */
export function isNoChange(change: PlannedChange): boolean {
  return change.kind === 'edit' && change.newSha256 === change.file.sha256;
}

/** Whether a file is still the one that a change was planned on, by its inode's facts. */
export function isSameState(planned: BigIntStats, now: BigIntStats): boolean {
  return (
    now.isFile() &&
    now.dev === planned.dev &&
    now.ino === planned.ino &&
    now.size === planned.size &&
    now.mtimeNs === planned.mtimeNs &&
    now.ctimeNs === planned.ctimeNs
  );
}
