import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HygieneFinding, HygieneFindingKind, HygieneReport } from '../../protocol/runner/hygiene.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { cacheFolderOf, hygieneOfName, LARGE_FILE_BYTES } from './hygiene-rules.js';
import { nulRecords, pathText } from './nul-records.js';
import { gitBytes, runGit, gitFailed } from './run-git.js';
import type { WorkTree } from './work-tree.js';

const LOOKS_AT_ONCE = 16;

/** What is said of a project in no repository: nothing was checked. */
export function hygieneWithoutRepository(): HygieneReport {
  return { is_repository: false, findings: [], total: 0, counts: countKinds([]), checked_files: 0 };
}

/** Judges a work tree by the names and sizes of its files; ignored ones do not count (spec 04 §7.8). */
export async function checkHygiene(
  tree: WorkTree,
  request: { readonly include_tracked: boolean; readonly max_findings: number },
): Promise<HygieneReport | Refusal> {
  const { call } = tree;
  const [untracked, tracked, changed] = await Promise.all([
    gitBytes(call, ['ls-files', '--others', '--exclude-standard', '-z', '--', '.']),
    request.include_tracked ? gitBytes(call, ['ls-files', '--cached', '-z', '--', '.']) : new Uint8Array(),
    runGit(call, ['status', '--porcelain=v2', '--untracked-files=no', '--ignore-submodules=dirty', '-z', '--', '.']),
  ]);
  if (isRefusal(untracked)) return untracked;
  if (isRefusal(tracked)) return tracked;
  if (isRefusal(changed)) return changed;
  if (changed.exitCode !== 0) return gitFailed(changed);
  const loose = nulRecords(untracked);
  const kept = nulRecords(tracked);
  const isDirty = changed.stdout.length > 0 || loose.length > 0;
  const findings = [
    ...(isDirty ? [{ kind: 'dirty_worktree' as const, path: null, tracked: null }] : []),
    ...[...named(loose, false), ...named(kept, true), ...(await largeFiles(call.folder, loose))].sort(byGravity),
  ];
  return {
    is_repository: true,
    findings: findings.slice(0, request.max_findings),
    total: findings.length,
    counts: countKinds(findings),
    checked_files: loose.length + kept.length,
  };
}

const GRAVITY: readonly HygieneFindingKind[] = ['secret_like_path', 'large_untracked_file', 'temporary_file', 'cache_path'];

function byGravity(one: HygieneFinding, other: HygieneFinding): number {
  return GRAVITY.indexOf(one.kind) - GRAVITY.indexOf(other.kind);
}

function countKinds(findings: readonly HygieneFinding[]): HygieneReport['counts'] {
  const counts: HygieneReport['counts'] = {
    temporary_file: 0,
    cache_path: 0,
    secret_like_path: 0,
    large_untracked_file: 0,
    dirty_worktree: 0,
  };
  for (const { kind } of findings) counts[kind] += 1;
  return counts;
}

/** Findings by name; a whole folder of what can be made anew is one, however much lies in it. */
function named(paths: readonly Buffer[], tracked: boolean): HygieneFinding[] {
  const findings = new Map<string, HygieneFinding>();
  for (const bytes of paths) {
    const { path } = pathText(bytes);
    const kind = hygieneOfName(path);
    if (kind === null) continue;
    const shown = kind === 'cache_path' ? (cacheFolderOf(path) ?? path) : path;
    findings.set(`${kind} ${shown}`, { kind, path: shown, tracked });
  }
  return [...findings.values()];
}

async function largeFiles(folder: string, paths: readonly Buffer[]): Promise<HygieneFinding[]> {
  const found: HygieneFinding[] = [];
  const base = Buffer.from(join(folder, '/'));
  for (let start = 0; start < paths.length; start += LOOKS_AT_ONCE) {
    const sizes = await Promise.all(
      paths.slice(start, start + LOOKS_AT_ONCE).map(async (path) => {
        const status = await lstat(Buffer.concat([base, path])).catch(() => null);
        return { path, bytes: status?.isFile() === true ? status.size : 0 };
      }),
    );
    for (const { path, bytes } of sizes) {
      if (bytes > LARGE_FILE_BYTES) found.push({ kind: 'large_untracked_file', path: pathText(path).path, tracked: false, bytes });
    }
  }
  return found;
}
