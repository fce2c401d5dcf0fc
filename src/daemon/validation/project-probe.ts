import type { Failure } from '../../protocol/tool-result.js';
import { MAX_RANGE_BYTES, MAX_READ_ITEMS, readFilesMethod } from '../../protocol/runner/files.js';
import type { ResolvedProject } from '../kernel/call-context.js';
import { CallRefused, refuseCall } from '../kernel/call-refused.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { ProjectProbe } from './adapter.js';

/** Longer than any file that fits a whole read. */
const ALL_LINES = 1_000_000;
/** What a file answers that is there and cannot be read as text: it exists all the same. */
const THERE_BUT_UNREADABLE: ReadonlySet<string> = new Set(['not_utf8', 'range_too_large', 'file_too_large', 'sensitive_path', 'permission_denied']);

/**
 * A project as adapters may look at it. A look that the Runner does not answer ends the
 * planning (`looking`): a project that cannot be seen is not one without files.
 *
 * @throws CallRefused
 */
export function projectProbe(runner: RunnerPort, project: ResolvedProject, signal: AbortSignal): ProjectProbe {
  const read = async (paths: readonly string[], limit: number, maxBytes: number) => {
    const answer = await runner.call(
      readFilesMethod,
      {
        root: { path: project.path, fingerprint: project.rootFingerprint },
        project: project.id,
        items: paths.map((path) => ({ path, start_line: 1, limit })),
        max_text_bytes: maxBytes,
      },
      { signal },
    );
    return 'failure' in answer ? refuseCall(answer.failure) : answer.answer.items;
  };
  return {
    async files(paths) {
      const found = new Set<string>();
      for (let start = 0; start < paths.length; start += MAX_READ_ITEMS) {
        const part = paths.slice(start, start + MAX_READ_ITEMS);
        for (const item of await read(part, 1, 1)) {
          const path = part[item.index];
          if (path !== undefined && (item.success || THERE_BUT_UNREADABLE.has(item.error_kind))) found.add(path);
        }
      }
      return found;
    },
    async text(path) {
      const [item] = await read([path], ALL_LINES, MAX_RANGE_BYTES);
      return item?.success === true && item.line_count === item.total_lines ? item.text : null;
    },
  };
}

/** What came of looking at a project, or the refusal of a look. */
export async function looking<Seen>(look: () => Promise<Seen>): Promise<Seen | { readonly failure: Failure }> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof CallRefused) return { failure: error.failure };
    throw error;
  }
}
