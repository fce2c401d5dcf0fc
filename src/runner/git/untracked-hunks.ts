import type { GitHunk } from '../../protocol/runner/git.js';
import type { VerifiedRoot } from '../confinement/index.js';
import { openRegularFile, pathProtection, resolveInside } from '../confinement/index.js';
import { isRefusal } from '../request.js';
import { pathText } from './nul-records.js';

/** Larger untracked files are named and not shown. */
const MAX_FILE_BYTES = 1024 * 1024;
/** A longer line is cut, as in every other hunk. */
const MAX_LINE_CHARACTERS = 8192;

/** Where a page stands among the untracked files, and what room it has left. */
export interface UntrackedBounds {
  readonly skipHunks: number;
  readonly maxHunks: number;
  readonly maxHunkLines: number;
  readonly maxBytes: number;
}

export interface UntrackedHunks {
  readonly hunks: readonly GitHunk[];
  readonly more: boolean;
}

/**
 * Untracked text files as hunks that add all of their lines, as `git diff` would show
 * them once they are added. Binary, protected, very large and odd ones have none.
 */
export async function untrackedHunks(root: VerifiedRoot, paths: readonly Buffer[], bounds: UntrackedBounds): Promise<UntrackedHunks> {
  const hunks: GitHunk[] = [];
  let bytes = 0;
  let seen = 0;
  for (const path of paths) {
    const hunk = await hunkOf(root, path, bounds.maxHunkLines);
    if (hunk === null) continue;
    seen += 1;
    if (seen <= bounds.skipHunks) continue;
    bytes += Buffer.byteLength(hunk.text);
    if (hunks.length >= bounds.maxHunks || bytes > bounds.maxBytes) return { hunks, more: true };
    hunks.push(hunk);
  }
  return { hunks, more: false };
}

async function hunkOf(root: VerifiedRoot, bytes: Buffer, maxLines: number): Promise<GitHunk | null> {
  const { path, path_is_lossy: isLossy } = pathText(bytes);
  if (isLossy === true || pathProtection(path) === 'secret') return null;
  const text = await textOf(root, path);
  if (text === null || text === '') return null;
  const endsWithLine = text.endsWith('\n');
  const lines = (endsWithLine ? text.slice(0, -1) : text).split('\n');
  const kept = lines.slice(0, maxLines);
  const isWhole = kept.length === lines.length;
  const shown = kept.map((line) => `+${line.slice(0, MAX_LINE_CHARACTERS)}`);
  return {
    path,
    old_start: 0,
    old_lines: 0,
    new_start: 1,
    new_lines: lines.length,
    section: '',
    text: [...shown, ...(isWhole && !endsWithLine ? ['\\ No newline at end of file'] : [])].join('\n'),
    omitted_lines: lines.length - kept.length,
    cut_lines: kept.filter((line) => line.length > MAX_LINE_CHARACTERS).length,
  };
}

async function textOf(root: VerifiedRoot, path: string): Promise<string | null> {
  const place = await resolveInside(root, path);
  if (isRefusal(place) || place.realRelative !== place.relative) return null;
  const opened = await openRegularFile(place);
  if (isRefusal(opened)) return null;
  try {
    if (opened.status.size > MAX_FILE_BYTES) return null;
    const content = await opened.handle.readFile();
    if (content.includes(0)) return null;
    const text = content.toString('utf8');
    return Buffer.from(text).equals(content) ? text : null;
  } finally {
    await opened.handle.close();
  }
}
