import { z } from 'zod';
import { fileMark, fileMarkSchema } from './file-mark.js';
import { isNoChange, type PlannedChange } from './planned-change.js';
import { siblingName } from './write-sibling.js';

const path = z.string();

/** What one change does to the file system; all paths are absolute, with links resolved. */
const stepSchema = z.discriminatedUnion('kind', [
  /** `staged` takes the place of `path`, whose old file is kept as `aside`. */
  z.strictObject({ kind: z.literal('edit'), path, staged: path, aside: path }),
  z.strictObject({ kind: z.literal('create'), path, staged: path }),
  z.strictObject({ kind: z.literal('delete'), path, aside: path }),
  /** The same file under another name; `same_file` where both names lead to it already. */
  z.strictObject({ kind: z.literal('rename'), path, to: path, old: fileMarkSchema, same_file: z.boolean() }),
  /** A new file at `to`, and the old one steps aside. */
  z.strictObject({ kind: z.literal('move'), path, to: path, staged: path, aside: path }),
]);
export type BatchStep = z.infer<typeof stepSchema>;

/** A batch as the journal keeps it: enough to undo or tidy it without knowing how far it got. */
export const batchRecordSchema = z.strictObject({
  version: z.literal(1),
  /** Folders that the batch makes, outermost first. */
  folders: z.array(path),
  /** In the order of the changes; null for a change that changes nothing. */
  steps: z.array(stepSchema.nullable()),
});
export type BatchRecord = z.infer<typeof batchRecordSchema>;

/** The marks of the staged files, in the order of the steps; null where a step stages none. */
export const stagedMarksSchema = z.array(fileMarkSchema.nullable());
export type StagedMarks = z.infer<typeof stagedMarksSchema>;

/** Decides every name that a batch will use, before it uses the first. */
export function batchRecord(changes: readonly PlannedChange[]): BatchRecord {
  const folders = new Set<string>();
  for (const change of changes) {
    const place = change.kind === 'create' ? change.place : change.kind === 'rename' ? change.to : null;
    for (const folder of place?.missingParents ?? []) folders.add(folder);
  }
  return { version: 1, folders: [...folders], steps: changes.map(stepOf) };
}

function stepOf(change: PlannedChange): BatchStep | null {
  if (isNoChange(change)) return null;
  if (change.kind === 'create') return { kind: 'create', path: change.place.path, staged: siblingName(change.place.path) };
  const { path } = change.file.place;
  switch (change.kind) {
    case 'edit':
      return { kind: 'edit', path, staged: siblingName(path), aside: siblingName(path) };
    case 'delete':
      return { kind: 'delete', path, aside: siblingName(path) };
    case 'rename': {
      const to = change.to.path;
      return change.content === null
        ? { kind: 'rename', path, to, old: fileMark(change.file.status), same_file: change.isSameFile }
        : { kind: 'move', path, to, staged: siblingName(to), aside: siblingName(path) };
    }
  }
}
