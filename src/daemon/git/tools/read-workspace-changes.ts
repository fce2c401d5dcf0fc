import { z } from 'zod';
import { workspaceChangesMethod, type WorkspaceChanges } from '../../../protocol/runner/git.js';
import { success, type Json, type JsonObject } from '../../../protocol/tool-result.js';
import { projectOf, type CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { SessionsDomain } from '../../sessions/index.js';
import { changeVerdict } from '../change-verdict.js';
import { fitInOrder } from '../fit-in-order.js';
import type { GitDeps } from '../index.js';

/** The JSON of a result, in UTF-8 bytes (spec 04 §7.7). */
const MAX_RESULT_BYTES = 192 * 1024;
/** What the names of files, and the events of the Session, may take of it at most. */
const MAX_FILES_BYTES = 64 * 1024;
const MAX_EVENTS_BYTES = 32 * 1024;

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  include_diff: z.boolean().default(false).meta({ description: 'The hunks of the diff against HEAD as well' }),
  max_hunks: clamped(0, 100, 20),
  max_hunk_lines: clamped(1, 240, 80),
  session_event_limit: clamped(0, 200, 0),
});

/** `read_workspace_changes`: what is different from HEAD, and by how much (spec 04 §7.7). */
export function readWorkspaceChanges({ runner, sessions }: GitDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_workspace_changes',
      title: 'Read workspace changes',
      summary: 'What changed in the work tree: branch, files, counts, and the diff when asked for.',
      description:
        'Takes no lock and runs no hook, filter, pager or diff driver of the repository. ' +
        'A folder without Git is a success that says so. With session_event_limit the newest events of session_id come along.',
      category: 'git',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      direct_rank: 88,
      git_like: true,
      change_summary_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'include_diff', 'max_hunks', 'max_hunk_lines', 'session_event_limit'],
      input,
      output: z.looseObject({
        verdict: z.enum(['not_a_repository', 'conflicted', 'changed', 'clean']),
        branch: z.string().nullable(),
        head: z.string().nullable(),
        files: z.array(z.looseObject({ path: z.string() })),
      }),
    },
    async (args, call) => {
      const project = projectOf(call);
      const answered = await runner.call(
        workspaceChangesMethod,
        {
          root: { path: project.path, fingerprint: project.rootFingerprint },
          include_diff: args.include_diff,
          max_hunks: args.max_hunks,
          max_hunk_lines: args.max_hunk_lines,
          max_diff_bytes: MAX_RESULT_BYTES,
        },
        { signal: call.signal },
      );
      if ('failure' in answered) return { result: answered.failure };
      const changes = answered.answer;
      return {
        result: success(output(changes, newestEvents(sessions, call, args.session_event_limit))),
        facts: {
          contextResultSummary: {
            verdict: changeVerdict(changes),
            changed_files: changes.counts.changed,
            insertions: changes.diff_stat.insertions,
            deletions: changes.diff_stat.deletions,
          },
        },
      };
    },
  );
}

/** The output, its lists cut from their ends so that the whole keeps its bound: files and events before hunks. */
function output(changes: WorkspaceChanges, events: readonly JsonObject[] | null): JsonObject {
  const { repository, hunks } = changes;
  const files = fitInOrder(changes.files, MAX_FILES_BYTES);
  // The newest are the last, and the ones that matter.
  const newest = fitInOrder((events ?? []).toReversed(), MAX_EVENTS_BYTES).kept.toReversed();
  const base: JsonObject = {
    verdict: changeVerdict(changes),
    is_repository: repository.is_repository,
    branch: repository.branch,
    head: repository.head,
    ahead: repository.ahead,
    behind: repository.behind,
    operation: repository.operation,
    counts: changes.counts,
    files: files.kept as Json,
    files_truncated: files.kept.length < changes.counts.changed,
    diff_stat: changes.diff_stat,
    protected_files: changes.protected_files,
    ...(events === null ? {} : { session_events: newest, session_events_truncated: newest.length < events.length }),
  };
  if (hunks === null) return base;
  const withoutHunks = { success: true, output: { ...base, hunks: [], more_hunks: false } };
  const fitted = fitInOrder(hunks, MAX_RESULT_BYTES - Buffer.byteLength(JSON.stringify(withoutHunks)));
  return { ...base, hunks: fitted.kept as Json, more_hunks: changes.more_hunks || fitted.kept.length < hunks.length };
}

/** The newest events of the call's own Session, oldest first; null when none were asked for. */
function newestEvents(
  sessions: Pick<SessionsDomain, 'snapshot'>,
  call: CallContext,
  limit: number,
): readonly JsonObject[] | null {
  if (limit === 0 || call.session === null) return null;
  const snapshot = sessions.snapshot(call.session.sessionId);
  return (snapshot?.events ?? []).slice(-limit).map(({ event_id, kind, timestamp, tool_name, status, changed_paths }) => ({
    event_id,
    kind,
    timestamp,
    tool_name,
    status,
    changed_paths,
  }));
}
