import type { FinishedCall } from './finished-calls.js';

/** Whether a call changed files of the project, or may have. */
export function changedContent({ event }: FinishedCall): boolean {
  return event.changed_paths.length > 0 && event.effect_evidence?.state_changed !== false;
}

/** The sequence of the last call that changed content, or null. */
export function lastContentChange(calls: readonly FinishedCall[]): number | null {
  return calls.findLast(changedContent)?.sequence ?? null;
}

/** The paths that some calls changed, sorted, each once. */
export function changedPaths(calls: readonly FinishedCall[]): readonly string[] {
  return [...new Set(calls.filter(changedContent).flatMap(({ event }) => event.changed_paths))].sort();
}
