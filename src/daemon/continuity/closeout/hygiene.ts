import { hygieneMethod, type HygieneReport } from '../../../protocol/runner/hygiene.js';
import type { ProjectRoot } from '../../../protocol/runner/project-root.js';
import type { JsonObject } from '../../../protocol/tool-result.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { unavailableReason } from '../unavailable-reason.js';
import type { OutcomeReason } from './task-outcome.js';

/** What a report names; check_workspace_hygiene names more. */
const MAX_FINDINGS = 20;

/** What lies around in the work tree, or why nobody looked. */
export type HygieneCheck =
  | { readonly status: 'observed'; readonly report: HygieneReport }
  | { readonly status: 'not_requested' }
  /** No project, or one in no repository: nothing says there what belongs and what lies around. */
  | { readonly status: 'not_applicable' }
  | { readonly status: 'failed'; readonly reasonCode: string };

/** Looks at the work tree's hygiene when asked to. */
export async function checkHygiene(runner: RunnerPort, root: ProjectRoot, asked: boolean, signal: AbortSignal): Promise<HygieneCheck> {
  if (!asked) return { status: 'not_requested' };
  const answer = await runner.call(hygieneMethod, { root, include_tracked: false, max_findings: MAX_FINDINGS + 1 }, { signal });
  if ('failure' in answer) return { status: 'failed', reasonCode: unavailableReason(answer.failure) };
  return answer.answer.is_repository ? { status: 'observed', report: answer.answer } : { status: 'not_applicable' };
}

/** What hygiene adds to the judgement (spec 06 §11): that it was not looked at, or that something was found. */
export function hygieneAdvisories(hygiene: HygieneCheck): OutcomeReason[] {
  switch (hygiene.status) {
    case 'not_applicable':
      return [];
    case 'not_requested':
      return [{ reason: 'hygiene_not_checked', detail: { reason_code: 'not_requested' } }];
    case 'failed':
      return [{ reason: 'hygiene_observation_failed', detail: { reason_code: hygiene.reasonCode } }];
    case 'observed': {
      const counts = ownCounts(hygiene.report);
      return Object.keys(counts).length === 0 ? [] : [{ reason: 'workspace_hygiene_findings', detail: counts }];
    }
  }
}

/** Hygiene in the report: names only. */
export function hygieneView(hygiene: HygieneCheck): JsonObject {
  switch (hygiene.status) {
    case 'not_requested':
      return { status: 'not_checked', reason_code: 'not_requested' };
    case 'not_applicable':
      return { status: 'not_applicable' };
    case 'failed':
      return { status: 'unavailable', reason_code: hygiene.reasonCode };
    case 'observed': {
      const { findings, checked_files } = hygiene.report;
      const counts = ownCounts(hygiene.report);
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const named = findings.filter(({ kind }) => kind !== 'dirty_worktree').slice(0, MAX_FINDINGS);
      return {
        status: total === 0 ? 'clean' : 'findings',
        counts,
        findings: named.map(({ bytes, ...finding }) => ({ ...finding, ...(bytes === undefined ? {} : { bytes }) })),
        findings_truncated: named.length < total,
        checked_files,
      };
    }
  }
}

/** Counts above zero; that the tree is dirty is the workspace's own reason. */
function ownCounts({ counts }: HygieneReport): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([kind, count]) => kind !== 'dirty_worktree' && count > 0));
}
