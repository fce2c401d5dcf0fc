import { diffPageMethod, type DiffFiles, type DiffPage, type DiffScope } from '../../protocol/runner/git-diff.js';
import { failure, success, type Failure, type Json, type JsonObject } from '../../protocol/tool-result.js';
import { runnerRoot } from '../files/index.js';
import { projectOf, type CallContext } from '../kernel/call-context.js';
import type { HandlerOutcome } from '../kernel/tool.js';
import type { RunnerPort } from '../runner-link/port.js';
import { decodeContinuation, encodeContinuation, requestDigest, type Continuation } from './continuation.js';
import { fitInOrder } from './fit-in-order.js';

/** What a page of a diff is asked for with. */
export interface PageRequest {
  readonly tool: string;
  readonly scope: DiffScope;
  readonly paths: readonly string[];
  readonly maxHunks: number;
  readonly maxHunkLines: number;
  /** UTF-8 bytes of the whole result's JSON. */
  readonly maxPageBytes: number;
  readonly continuation: string | undefined;
  /** Whether a first page names the files. */
  readonly withFiles: boolean;
}

/** The part of a page that the names of files may take at most. */
const FILES_SHARE = 1 / 3;
/** Names, commits, counts and the token beside files and hunks, in bytes. */
const FRAME_BYTES = 1_500;

/**
 * One page of a diff, from its beginning or from where a continuation stands (spec 04
 * §7.7). A continuation is good for the snapshot, the project, the Session, the scope and
 * the paths that it was given for, and for nothing else.
 */
export async function pagedDiff(runner: RunnerPort, request: PageRequest, call: CallContext): Promise<HandlerOutcome> {
  const project = projectOf(call);
  const digest = requestDigest([
    request.tool,
    call.principal.principalKey,
    project.id,
    project.rootFingerprint,
    call.session?.sessionId ?? null,
    request.scope,
    request.paths,
  ]);
  const from = startOf(request.continuation, digest);
  if ('failure' in from) return { result: from.failure };
  const answered = await runner.call(
    diffPageMethod,
    {
      root: runnerRoot(project),
      scope: request.scope,
      paths: [...request.paths],
      expected_snapshot: from.start?.snapshot ?? null,
      skip_hunks: from.start?.hunks ?? 0,
      max_hunks: request.maxHunks,
      max_hunk_lines: request.maxHunkLines,
      max_bytes: request.maxPageBytes,
      include_files: request.withFiles && from.start === null,
    },
    { signal: call.signal },
  );
  if ('failure' in answered) return { result: answered.failure };
  return pageOutcome(answered.answer, request, digest, from.start?.hunks ?? 0);
}

function startOf(token: string | undefined, digest: string): { readonly start: Continuation | null } | { readonly failure: Failure } {
  if (token === undefined) return { start: null };
  const start = decodeContinuation(token);
  if (start === null) {
    return { failure: failure('invalid_continuation', 'That continuation is none, or it is damaged; begin again without one.') };
  }
  if (start.request === digest) return { start };
  return {
    failure: failure(
      'continuation_mismatch',
      'That continuation belongs to another request: project, Session, scope and paths must be those that it was given for.',
    ),
  };
}

function pageOutcome(page: DiffPage, request: PageRequest, digest: string, given: number): HandlerOutcome {
  const files = page.files === null ? null : fittedFiles(page.files, request.maxPageBytes * FILES_SHARE);
  const room = request.maxPageBytes - FRAME_BYTES - (files === null ? 0 : Buffer.byteLength(JSON.stringify(files)));
  const hunks = fitInOrder(page.hunks, room).kept;
  if (hunks.length === 0 && page.hunks.length > 0) return { result: recordTooLarge(page) };
  const more = page.more_hunks || hunks.length < page.hunks.length;
  const next: Continuation = { snapshot: page.snapshot, request: digest, hunks: given + hunks.length };
  return {
    result: success({
      scope: request.scope.kind,
      ...(request.scope.kind === 'commits'
        ? { base_commit: request.scope.base, head_commit: request.scope.head }
        : { branch: page.branch, head: page.head }),
      snapshot: page.snapshot,
      ...files,
      hunks: hunks as Json,
      first_hunk: given,
      more_hunks: more,
      continuation: more ? encodeContinuation(next) : null,
    }),
    facts: {
      observedPaths: [...new Set(hunks.map(({ path }) => path))],
      contextResultSummary: { scope: request.scope.kind, hunks: hunks.length, more_hunks: more, changed_files: page.files?.total ?? null },
    },
  };
}

function fittedFiles(files: DiffFiles, room: number): JsonObject {
  const { kept } = fitInOrder(files.files, room);
  return {
    files: kept as Json,
    files_truncated: kept.length < files.total,
    counts: { files: files.total, untracked: files.untracked, binary: files.binary, protected: files.protected },
    diff_stat: { insertions: files.insertions, deletions: files.deletions },
  };
}

function recordTooLarge({ hunks }: DiffPage): Failure {
  const [hunk] = hunks;
  return failure('page_record_too_large', 'The next hunk does not fit into a page; ask for a larger page or for fewer lines of a hunk.', {
    path: hunk?.path,
    record_bytes: Buffer.byteLength(JSON.stringify(hunk)),
  });
}
