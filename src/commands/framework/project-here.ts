import type { ToolResult } from '../../protocol/tool-result.js';
import { UsageError } from './usage-error.js';

interface Resolved {
  readonly status: 'resolved' | 'ambiguous' | 'not_registered';
  readonly candidates: readonly { readonly project: string }[];
}

/**
 * The project that the current folder belongs to, as the daemon resolved it: where the
 * person stands is their choice, as long as it means one project.
 *
 * @throws UsageError when it means none, or several
 */
export function projectHere(result: ToolResult, folder: string): string {
  if (!result.success) throw new UsageError(`No project is given, and none was found for ${folder}: ${result.error}`, 'Give --project, or set WC_PROJECT.');
  const { status, candidates } = result.output as unknown as Resolved;
  const [only] = candidates;
  if (status === 'resolved' && only !== undefined) return only.project;
  if (status === 'ambiguous') {
    throw new UsageError(
      `${folder} lies in several projects: ${candidates.map(({ project }) => project).join(', ')}.`,
      'Give one with --project, or set WC_PROJECT.',
    );
  }
  throw new UsageError(`No project is registered at or above ${folder}.`, 'Begin with `wc work-on-project` or `wc project add`, or give --project.');
}
