import type { BigIntStats } from 'node:fs';
import type { InsideRoot, NewInsideRoot } from '../../confinement/index.js';

/** A file as it was when its change was planned. */
export interface PlannedFile {
  readonly place: InsideRoot;
  readonly sha256: string;
  readonly status: BigIntStats;
}

/** What a file will hold. */
export interface NewContent {
  readonly newBytes: Buffer;
  /** Lower hex. */
  readonly newSha256: string;
}

/** A change that was checked against the files and only waits to be written. */
export type PlannedChange =
  | (NewContent & {
      readonly kind: 'edit';
      readonly file: PlannedFile;
      /** What the file holds now. */
      readonly oldText: string;
    })
  | (NewContent & { readonly kind: 'create'; readonly place: NewInsideRoot; readonly isExecutable: boolean })
  | { readonly kind: 'delete'; readonly file: PlannedFile }
  | {
      readonly kind: 'rename';
      readonly file: PlannedFile;
      readonly to: NewInsideRoot;
      /** Both names lead to the same file: the file system ignores case. */
      readonly isSameFile: boolean;
      /** Null when the file itself moves; else it is replaced by one that holds this, under the new name. */
      readonly content: (NewContent & { readonly oldText: string }) | null;
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
