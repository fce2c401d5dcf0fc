import { z } from 'zod';
import { editFilesMethod, fileChangeSchema, MAX_CHANGES, MAX_EDIT_REQUEST_BYTES, type FileChange } from '../../../protocol/runner/edits.js';
import { failure, type Failure } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { editFailed, editOutcome, editOutput, NOTHING_EDITED, refusedByProject, type EditDeps } from '../edit-outcome.js';
import { runnerRoot } from '../runner-root.js';
import { EDITING_TOOL } from './editing-tool.js';

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  changes: z.array(fileChangeSchema).min(1).max(MAX_CHANGES),
  dry_run: z.boolean().default(false).meta({ description: 'Check everything, write nothing' }),
  include_diff: z.boolean().default(false),
});

/** `edit_project_files`: exact edits of several files, all or none (spec 04 §7.6). */
export function editProjectFiles(deps: EditDeps): Tool {
  return defineTool(
    {
      ...EDITING_TOOL,
      name: 'edit_project_files',
      title: 'Edit project files',
      summary: 'Creates, edits, renames and deletes files in one batch that applies whole or not at all.',
      description:
        'All edits of a file are matched exactly against one snapshot; nothing is guessed. Line endings, final newline, mode ' +
        'and links stay. A text that stands more than once needs occurrence, line_scope or expected_match_count. Send the ' +
        'read_revision that read_files gave as expected_read_revision; replace_range needs it. A conflict says in ' +
        'conflict_recovery how to go on. Text fields are at most 512 KiB, all of them 1 MiB. ' +
        'include_diff adds to each file what the change does to its text.',
      path_hint: 'path_list',
      direct_rank: 25,
      telemetry: 'edit',
      recorded_inputs: ['project', 'dry_run'],
      input,
      output: editOutput,
    },
    async (args, call) => {
      const project = projectOf(call);
      const refused = refusedByProject(project) ?? tooMuchText(args.changes);
      if (refused !== null) return editFailed(refused, args.dry_run);
      const { changes, dry_run, include_diff } = args;
      const answered = await deps.runner.call(
        editFilesMethod,
        { root: runnerRoot(project), project: project.id, changes, dry_run, include_diff },
        { signal: call.signal },
      );
      return editOutcome(answered, { project, call, dryRun: dry_run, deps });
    },
  );
}

function tooMuchText(changes: readonly FileChange[]): Failure | null {
  const bytes = changes.reduce((sum, change) => sum + textBytes(change), 0);
  if (bytes <= MAX_EDIT_REQUEST_BYTES) return null;
  return failure('invalid_arguments', `The texts of the changes take ${bytes} bytes, more than 1 MiB; send them in several calls.`, NOTHING_EDITED);
}

/** The UTF-8 bytes of all text in a change, however deep it sits. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + textBytes(member), 0);
}
