import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';

/** One file of a unified diff. Paths are project-relative, without the `a/` and `b/` of Git. */
export type DiffSection =
  | { readonly kind: 'create'; readonly path: string; readonly isExecutable: boolean; readonly hunks: readonly StructuredPatchHunk[] }
  | { readonly kind: 'delete'; readonly path: string; readonly hunks: readonly StructuredPatchHunk[] }
  | { readonly kind: 'change'; readonly path: string; readonly toPath: string | undefined; readonly hunks: readonly StructuredPatchHunk[] };

/** Why a text is no unified diff that can be applied; it quotes nothing of it. */
export interface DiffProblem {
  readonly problem: string;
}

const NO_FILE = '/dev/null';
const REGULAR_MODES = new Set(['100644', '100755']);

/**
 * Parses a unified diff, plain or Git's (spec 04 §7.6). Strict: every file is named on
 * both sides, counts are right, and what a diff of text cannot say (binary content,
 * links, submodules, copies, changed modes) is a problem.
 */
export function parseDiff(diff: string): readonly DiffSection[] | DiffProblem {
  let parsed: StructuredPatch[];
  try {
    parsed = parsePatch(diff.replaceAll('\r\n', '\n'));
  } catch (error) {
    // The library's message quotes lines; where it says which one, that is told.
    const line = /\bline (\d+)/.exec((error as Error).message)?.[1];
    return { problem: line === undefined ? 'a file lacks its "--- " or "+++ " line' : `the hunk at line ${line} does not hold what its header says` };
  }
  const sections: DiffSection[] = [];
  for (const file of parsed) {
    const section = sectionOf(file);
    if ('problem' in section) return section;
    sections.push(section);
  }
  return sections.length === 0 ? { problem: 'there is no file in it' } : sections;
}

function sectionOf(file: StructuredPatch): DiffSection | DiffProblem {
  const { oldFileName: oldName, newFileName: newName, hunks, isGit, isRename, newMode, oldMode } = file;
  if (oldName === undefined || newName === undefined) return { problem: 'a hunk belongs to no file' };
  if (file.isBinary) return { problem: 'binary content can not be applied' };
  if (file.isCopy) return { problem: 'copies can not be applied' };
  if ([oldMode, newMode].some((mode) => mode !== undefined && !REGULAR_MODES.has(mode))) {
    return { problem: 'only regular files can be changed' };
  }
  if (hunks.some(({ oldStart, newStart }) => !Number.isSafeInteger(oldStart) || !Number.isSafeInteger(newStart))) {
    return { problem: 'a hunk header can not be read' };
  }
  const isCreate = oldName === NO_FILE || file.isCreate === true;
  const isDelete = newName === NO_FILE || file.isDelete === true;
  if (isCreate && isDelete) return { problem: 'a file has no side' };
  const names = isGit === true || oldName.startsWith('a/') || newName.startsWith('b/') ? withoutPrefixes : asTheyAre;
  const [oldPath, newPath] = names(oldName, newName);
  if (isCreate) return { kind: 'create', path: newPath, isExecutable: newMode === '100755', hunks };
  if (isDelete) return { kind: 'delete', path: oldPath, hunks };
  if (oldMode !== newMode) return { problem: 'a changed mode can not be applied' };
  if (oldPath !== newPath && isRename !== true) return { problem: 'the two names of a file differ without a rename' };
  if (oldPath === newPath && hunks.length === 0) return { problem: 'a file has no hunk' };
  return { kind: 'change', path: oldPath, toPath: oldPath === newPath ? undefined : newPath, hunks };
}

function withoutPrefixes(oldName: string, newName: string): [string, string] {
  return [oldName.replace(/^a\//, ''), newName.replace(/^b\//, '')];
}

function asTheyAre(oldName: string, newName: string): [string, string] {
  return [oldName, newName];
}
