import { z } from 'zod';
import { commitPathsMethod } from '../../../protocol/runner/git-writes.js';
import { failure, success, type Failure } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { projectOf, type CallContext } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { exceedsCharacters } from '../../redaction/index.js';
import { commitInput, writePathsInput } from '../commit-input.js';
import type { Committers } from '../committers.js';
import type { GitDeps } from '../index.js';
import { refusedByRegistration, writeFailed, WRITING_TOOL } from '../writing-tool.js';

const MAX_MESSAGE_CHARACTERS = 1_000;

/** `commit_git_paths`: commits whole files on an expected HEAD (spec 04 §7.7). */
export function commitGitPaths(deps: GitDeps & { readonly committers: Committers }): Tool {
  return defineTool(
    {
      ...WRITING_TOOL,
      name: 'commit_git_paths',
      title: 'Commit git paths',
      summary: 'Commits the named files as they are, when HEAD is the expected commit and nothing is staged.',
      description:
        'Runs no hook, signs nothing and pushes nothing. Folders, protected or ignored names, and files that do not differ from HEAD ' +
        'are refused, and then nothing is committed. The commit takes the identity of the Git configuration.',
      category: 'git',
      scopes: { kind: 'all', scopes: ['project:write', 'job:run'] },
      recorded_inputs: ['project', 'expected_head', 'paths'],
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        expected_head: commitInput.meta({ description: 'The full name of the commit that HEAD must be' }),
        paths: writePathsInput,
        message: z
          .string()
          .refine((text) => text.trim() !== '', 'a message says something')
          .refine((text) => !text.includes('\0'), 'a message has no NUL character')
          .refine((text) => !exceedsCharacters(text, MAX_MESSAGE_CHARACTERS), `a message has at most ${MAX_MESSAGE_CHARACTERS} characters`)
          .meta({ description: 'At most 1,000 characters' }),
      }),
      output: z.strictObject({
        commit: z.string(),
        parent: z.string(),
        branch: z.string().nullable(),
        files: z.array(z.strictObject({ path: z.string(), change: z.string() })),
        state_changed: z.literal(true),
      }),
    },
    async ({ expected_head, paths, message }, call) => {
      const project = projectOf(call);
      const refused = refusedByRegistration(project);
      if (refused !== null) return writeFailed(refused);
      const answered = await deps.runner.call(
        commitPathsMethod,
        { root: runnerRoot(project), expected_head, paths, message },
        { signal: call.signal },
      );
      if ('failure' in answered) return writeFailed(withCommitter(answered.failure, call, deps));
      const { commit, parent, branch, files } = answered.answer;
      deps.committers.committed(project.id, commit, {
        principalKey: call.principal.principalKey,
        sessionId: call.session?.sessionId ?? call.recorder,
        at: deps.now(),
      });
      return {
        result: success({ commit, parent, branch, files, state_changed: true }),
        facts: {
          // No file's content changed: what was checked before the commit is still checked.
          effect: { stateChanged: true, executionState: 'completed' },
          contextResultSummary: { commit, committed_files: files.length },
        },
      };
    },
  );
}

/** Decision 36 of spec 00: whose commit HEAD is, when it was a call of the same caller. */
function withCommitter(result: Failure, call: CallContext, deps: GitDeps & { readonly committers: Committers }): Failure {
  const { error_kind: kind, current_head: head } = result.output;
  if (kind !== 'head_mismatch' || typeof head !== 'string') return result;
  const committer = deps.committers.of(projectOf(call).id, head);
  const lastWriter =
    committer?.principalKey !== call.principal.principalKey
      ? 'external'
      : {
          session_ref: committer.sessionId === null ? null : deps.sessions.refFor(committer.sessionId, call.principal),
          at: committer.at,
        };
  return failure('head_mismatch', result.error, { ...result.output, last_writer: lastWriter });
}
