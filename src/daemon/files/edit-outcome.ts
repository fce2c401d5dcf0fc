import type { ProjectId } from '../../protocol/ids.js';
import { editedFileSchema, type EditedFile, type EditResult } from '../../protocol/runner/edits.js';
import { failure, success, type Failure, type Json, type JsonObject, type SuggestedCall } from '../../protocol/tool-result.js';
import { z } from 'zod';
import type { CallContext, ResolvedProject } from '../kernel/call-context.js';
import type { SessionPort } from '../kernel/ports.js';
import type { HandlerOutcome } from '../kernel/tool.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { LastWriters } from './last-writers.js';

export interface EditDeps {
  readonly runner: RunnerPort;
  readonly sessions: Pick<SessionPort, 'refFor'>;
  /** Unix seconds. */
  readonly now: () => number;
  readonly writers: LastWriters;
}

/** What every tool that edits answers (spec 04 §7.6). */
export const editOutput = z.strictObject({
  dry_run: z.boolean(),
  changed: z.boolean(),
  would_change: z.boolean(),
  applied_count: z.int(),
  files: z.array(editedFileSchema),
  changed_paths: z.array(z.string()),
  state_changed: z.boolean(),
  execution_state: z.literal('completed'),
});

/** The call that an edit belongs to. */
export interface EditCall {
  readonly project: ResolvedProject;
  readonly call: CallContext;
  readonly dryRun: boolean;
  readonly deps: EditDeps;
}

/** The outcome of a batch that the Runner applied, or did not. */
export function editOutcome(
  answered: { readonly answer: EditResult } | { readonly failure: Failure },
  { project, call, dryRun, deps }: EditCall,
): HandlerOutcome {
  if ('failure' in answered) return editFailed(withWayOn(answered.failure, project, call, deps), dryRun);
  const { would_change, applied_count, files } = answered.answer;
  const changed = applied_count > 0;
  const changedPaths = changed ? files.flatMap(pathsChangedBy) : [];
  if (changed) remember(files, project.id, call, deps);
  return {
    result: success({
      dry_run: dryRun,
      changed,
      would_change,
      applied_count,
      files: files.map((file) => ({ ...file }) as JsonObject),
      changed_paths: changedPaths,
      state_changed: changed,
      execution_state: 'completed',
    }),
    facts: {
      changedPaths,
      effect: { stateChanged: changed, executionState: 'completed' },
      contextResultSummary: { changes: files.length, applied: applied_count, dry_run: dryRun },
    },
  };
}

/** What holds for an edit that never reached the files. */
export const NOTHING_EDITED = { state_changed: false, changed: false, execution_state: 'not_started' } as const;

/** The refusal of a project that takes no edits, or null. */
export function refusedByProject(project: ResolvedProject): Failure | null {
  if (project.allowPatch) return null;
  return failure('policy_rejected', 'This project is registered without edits (allow_patch is false).', {
    reason_code: 'edits_not_allowed',
    ...NOTHING_EDITED,
  });
}

/** The outcome of an edit that was refused or went wrong. */
export function editFailed(result: Failure, dryRun: boolean): HandlerOutcome {
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
