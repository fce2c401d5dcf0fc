import type { z } from 'zod';
import { MAX_REVIEW_FILES, type reviewSummaryMethod } from '../../protocol/runner/git-history.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal, refuse } from '../request.js';
import { inCleanRoom } from './clean-room.js';
import { PLAIN_DIFF, unprotected } from './diff.js';
import { sumFiles } from './diff-page.js';
import { requireCommits } from './head-of.js';
import { literalPathspecs } from './pathspecs.js';
import { diffFiles, parseNumstat, parseRawDiff } from './raw-diff.js';
import { gitBytes, gitFailed, runGit, type GitCall } from './run-git.js';
import type { WorkTree } from './work-tree.js';

type Request = Omit<z.output<typeof reviewSummaryMethod.params>, 'root'>;
type Answer = z.input<typeof reviewSummaryMethod.result>;

/** What a branch brings, from where it parted from its base (spec 04 §7.7); nothing mutable has a say. */
export function reviewSummary(tree: WorkTree, { base, head }: Request): Promise<Answer | Refusal> {
  return inCleanRoom(tree, async (call) => {
    const unknown = await requireCommits(call, [base, head]);
    if (unknown !== null) return unknown;
    const mergeBase = await onlyMergeBase(call, base, head);
    if (typeof mergeBase !== 'string') return mergeBase;
    const pathspecs = literalPathspecs([], tree.prefix);
    if (isRefusal(pathspecs)) return pathspecs;
    const sides = [...(tree.prefix === '' ? [] : [`--relative=${tree.prefix}`]), mergeBase, head];
    const [raw, numstat, commits] = await Promise.all([
      gitBytes(call, [...PLAIN_DIFF, '--raw', '-z', ...sides, '--', ...pathspecs]),
      gitBytes(call, [...PLAIN_DIFF, '--numstat', '-z', ...sides, '--', ...unprotected(pathspecs)]),
      gitBytes(call, ['rev-list', '--count', `${mergeBase}..${head}`, '--', ...(tree.prefix === '' ? [] : pathspecs)]),
    ]);
    if (isRefusal(raw)) return raw;
    if (isRefusal(numstat)) return numstat;
    if (isRefusal(commits)) return commits;
    const all = diffFiles(parseRawDiff(raw), parseNumstat(numstat));
    const sums = sumFiles(all, MAX_REVIEW_FILES);
    return {
      merge_base: mergeBase,
      commits: Number(Buffer.from(commits).toString('utf8')),
      files: sums.files,
      total_files: sums.total,
      insertions: sums.insertions,
      deletions: sums.deletions,
      paths: all.map(({ path, old_mode, new_mode, binary, protected: isProtected }) => ({
        path,
        old_mode,
        new_mode,
        binary,
        protected: isProtected === true,
      })),
    };
  });
}

async function onlyMergeBase(call: GitCall, base: string, head: string): Promise<string | Refusal> {
  const output = await runGit(call, ['merge-base', '--all', base, head]);
  if (isRefusal(output)) return output;
  if (output.exitCode > 1) return gitFailed(output);
  const found = Buffer.from(output.stdout).toString('utf8').split('\n').filter((line) => line !== '');
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const why = found.length === 0 ? 'have no common ancestor here' : 'have several best common ancestors';
  return refuse('ambiguous_merge_base', `The two commits ${why}; name the one to compare with and use review_changes.`, {
    candidates: found.slice(0, 10),
    reason_code: found.length === 0 ? 'no_common_ancestor' : 'several_merge_bases',
  });
}
