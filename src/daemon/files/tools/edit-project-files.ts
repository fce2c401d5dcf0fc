import { z } from 'zod';
import {
  editedFileSchema,
  editFilesMethod,
  fileChangeSchema,
  MAX_CHANGES,
  MAX_EDIT_REQUEST_BYTES,
  type EditedFile,
  type FileChange,
} from '../../../protocol/runner/edits.js';
import type { ProjectId } from '../../../protocol/ids.js';
import { failure, success, type Failure, type Json, type SuggestedCall } from '../../../protocol/tool-result.js';
import { projectOf, type CallContext, type ResolvedProject } from '../../kernel/call-context.js';
import type { SessionPort } from '../../kernel/ports.js';
import { defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import type { LastWriters } from '../last-writers.js';
import { runnerRoot } from '../runner-root.js';

export interface EditDeps {
  readonly runner: RunnerPort;
  readonly sessions: Pick<SessionPort, 'refFor'>;
  /** Unix seconds. */
  readonly now: () => number;
  readonly writers: LastWriters;
}

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  changes: z.array(fileChangeSchema).min(1).max(MAX_CHANGES),
  dry_run: z.boolean().default(false).meta({ description: 'Check everything, write nothing' }),
});

/** `edit_project_files`: exact edits of several files, all or none (spec 04 §7.6). */
export function editProjectFiles(deps: EditDeps): Tool {
  return defineTool(
    {
      name: 'edit_project_files',
      title: 'Edit project files',
      summary: 'Creates, edits, renames and deletes files in one batch that applies whole or not at all.',
      description:
        'All edits of a file are matched exactly against one snapshot; nothing is guessed. Line endings, final newline, mode ' +
        'and links stay. A text that stands more than once needs occurrence, line_scope or expected_match_count. Send the ' +
        'read_revision that read_files gave as expected_read_revision; replace_range needs it. A conflict says in ' +
        'conflict_recovery how to go on. Text fields are at most 512 KiB, all of them 1 MiB.',
      category: 'edit',
      visibility: 'model_visible',
      effect: 'mutate',
      risk: 'project_write',
      approval: 'standard',
      idempotency: 'non_idempotent',
      scopes: { kind: 'all', scopes: ['project:write'] },
      session: 'records',
      project: 'required',
      path_hint: 'path_list',
      destructive: false,
      shell_like: false,
      direct_rank: 25,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'business_pair',
      telemetry: 'edit',
      recorded_inputs: ['project', 'dry_run'],
      input,
      output: z.strictObject({
        dry_run: z.boolean(),
        changed: z.boolean(),
        would_change: z.boolean(),
        applied_count: z.int(),
        files: z.array(editedFileSchema),
        changed_paths: z.array(z.string()),
        state_changed: z.boolean(),
        execution_state: z.literal('completed'),
      }),
    },
    async (args, call) => {
      const project = projectOf(call);
      const refused = refusedByDaemon(args.changes, project);
      if (refused !== null) return failed(refused, args.dry_run);
      const answered = await deps.runner.call(
        editFilesMethod,
        { root: runnerRoot(project), project: project.id, changes: args.changes, dry_run: args.dry_run },
        { signal: call.signal },
      );
      if ('failure' in answered) return failed(withWayOn(answered.failure, project, call, deps), args.dry_run);
      const { would_change, applied_count, files } = answered.answer;
      const changed = applied_count > 0;
      const changedPaths = changed ? files.flatMap(pathsChangedBy) : [];
      if (changed) remember(files, project.id, call, deps);
      return {
        result: success({
          dry_run: args.dry_run,
          changed,
          would_change,
          applied_count,
          files: files.map((file) => ({ ...file })),
          changed_paths: changedPaths,
          state_changed: changed,
          execution_state: 'completed',
        }),
        facts: {
          changedPaths,
          effect: { stateChanged: changed, executionState: 'completed' },
          contextResultSummary: { changes: files.length, applied: applied_count, dry_run: args.dry_run },
        },
      };
    },
  );
}

/** What needs no look at the files. */
function refusedByDaemon(changes: readonly FileChange[], project: ResolvedProject): Failure | null {
  const nothing = { state_changed: false, changed: false, execution_state: 'not_started' };
  if (!project.allowPatch) {
    return failure('policy_rejected', 'This project is registered without edits (allow_patch is false).', {
      reason_code: 'edits_not_allowed',
      ...nothing,
    });
  }
  const bytes = changes.reduce((sum, change) => sum + textBytes(change), 0);
  if (bytes <= MAX_EDIT_REQUEST_BYTES) return null;
  return failure('invalid_arguments', `The texts of the changes take ${bytes} bytes, more than 1 MiB; send them in several calls.`, nothing);
}

/** The UTF-8 bytes of all text in a change, however deep it sits. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + textBytes(member), 0);
}

function failed(result: Failure, dryRun: boolean): HandlerOutcome {
  const { state_changed, execution_state } = result.output;
  return {
    result: { ...result, output: { ...result.output, dry_run: dryRun } },
    facts: {
      effect: {
        ...(typeof state_changed === 'boolean' || state_changed === null ? { stateChanged: state_changed } : {}),
        ...(execution_state === 'not_started' || execution_state === 'outcome_unknown'
          ? { executionState: execution_state }
          : {}),
      },
    },
  };
}

/** A refusal with what the daemon knows besides: the read that goes on from it, and who wrote the file last. */
function withWayOn(result: Failure, project: ResolvedProject, call: CallContext, deps: EditDeps): Failure {
  const { conflict_kind, path, current_sha256 } = result.output;
  if (typeof path !== 'string' || (conflict_kind !== 'sha256_mismatch' && conflict_kind !== 'match_not_found')) return result;
  const reread: SuggestedCall = {
    follow_up_kind: 'fallback_recovery',
    tool: 'read_files',
    arguments: { project: project.id, items: [{ path, ...regionOf(result) }] },
  };
  const writer =
    conflict_kind === 'sha256_mismatch'
      ? { last_writer: lastWriter(project.id, path, current_sha256, call, deps) }
      : {};
  return { ...result, output: { ...result.output, suggested_call: { ...reread }, ...writer } };
}

/** Around the nearest candidate, when there is one; else from the start. */
function regionOf(result: Failure): { start_line: number; limit: number } | Record<string, never> {
  const near = result.output['near_miss'];
  const line = typeof near === 'object' && near !== null && 'line' in near ? near.line : null;
  return typeof line === 'number' ? { start_line: Math.max(1, line - 20), limit: 60 } : {};
}

/** Decision 36 of spec 00: named when it was a call of the same principal. */
function lastWriter(
  project: ProjectId,
  path: string,
  sha256: Json | undefined,
  call: CallContext,
  { writers, sessions }: EditDeps,
): Json {
  const writer = typeof sha256 === 'string' ? writers.of(project, path, sha256) : null;
  if (writer?.principalKey !== call.principal.principalKey) return 'external';
  return {
    session_ref: writer.sessionId === null ? null : sessions.refFor(writer.sessionId, call.principal),
    at: writer.at,
  };
}

function remember(files: readonly EditedFile[], project: ProjectId, call: CallContext, { writers, now }: EditDeps): void {
  const writer = {
    principalKey: call.principal.principalKey,
    sessionId: call.session?.sessionId ?? call.recorder,
    at: now(),
  };
  for (const file of files) {
    if (file.changed && file.new_sha256 !== null) writers.wrote(project, file.to_path ?? file.path, file.new_sha256, writer);
  }
}

function pathsChangedBy(file: EditedFile): string[] {
  if (!file.changed) return [];
  return file.to_path === null ? [file.path] : [file.path, file.to_path];
}
