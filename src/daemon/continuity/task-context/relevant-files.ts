import { isFocusedRead } from '../feedback/exploration.js';
import { changedContent, type FinishedCall } from '../../validation/index.js';

const MAX_FILES = 20;

/** A file that the attempt was about, and the event that says so. */
export type RelevantFile = { readonly path: string; readonly source: 'changed' | 'read'; readonly event_id: string };

/** What an attempt changed, then what it read: the newest first, each file once, by its newest change. */
export function relevantFiles(attempt: readonly FinishedCall[]): { readonly files: readonly RelevantFile[]; readonly truncated: boolean } {
  const newestFirst = attempt.toReversed();
  const files = new Map<string, RelevantFile>();
  const add = (paths: readonly string[], source: RelevantFile['source'], eventId: string): void => {
    for (const path of paths) if (!files.has(path)) files.set(path, { path, source, event_id: eventId });
  };
  for (const call of newestFirst) if (changedContent(call)) add(call.event.changed_paths, 'changed', call.event.event_id);
  for (const { event } of newestFirst) if (isFocusedRead(event)) add(event.observed_paths ?? [], 'read', event.event_id);
  const all = [...files.values()];
  return { files: all.slice(0, MAX_FILES), truncated: all.length > MAX_FILES };
}
