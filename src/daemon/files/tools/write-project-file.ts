import { z } from 'zod';
import { readRevisionSchema } from '../../../protocol/runner/files.js';
import { fileText, MAX_WRITTEN_BYTES, writeFileMethod } from '../../../protocol/runner/edits.js';
import { failure } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { editFailed, editOutcome, editOutput, NOTHING_EDITED, refusedByProject, type EditDeps } from '../edit-outcome.js';
import { runnerRoot } from '../runner-root.js';
import { EDITING_TOOL } from './editing-tool.js';

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  path: z.string().min(1).meta({ description: 'Project-relative path' }),
  content: fileText('The whole file').refine((text) => Buffer.byteLength(text) <= MAX_WRITTEN_BYTES, 'is longer than 256 KiB'),
  overwrite: z.boolean().default(false).meta({ description: 'The file exists, and is replaced' }),
  expected_read_revision: readRevisionSchema.optional().meta({ description: 'With overwrite, and only then: the snapshot that is replaced' }),
});

/** `write_project_file`: one whole file, new or in the place of a named snapshot (spec 04 §7.6). */
export function writeProjectFile(deps: EditDeps): Tool {
  return defineTool(
    {
      ...EDITING_TOOL,
      name: 'write_project_file',
      title: 'Write a project file',
      summary: 'Writes one whole file: a new one, or in the place of a snapshot that was read.',
      description:
        'The content stands as it is given, line endings included. An existing file is replaced with overwrite and the ' +
        'read_revision that it still must have; its mode and its owner stay.',
      specialist: true,
      path_hint: 'single_path',
      telemetry: 'edit_advanced',
      recorded_inputs: ['project', 'path', 'overwrite'],
      cli: { positionals: ['path'] },
      input,
      output: editOutput,
    },
    async (args, call) => {
      const project = projectOf(call);
      const { path, content, overwrite, expected_read_revision } = args;
      const guarded = expected_read_revision !== undefined;
      const refused =
        refusedByProject(project) ??
        (guarded === overwrite
          ? null
          : failure('invalid_arguments', 'overwrite and expected_read_revision go together: a file that exists is replaced as the one that was read.', NOTHING_EDITED));
      if (refused !== null) return editFailed(refused, false);
      const answered = await deps.runner.call(
        writeFileMethod,
        { root: runnerRoot(project), project: project.id, path, content, ...(guarded ? { expected_read_revision } : {}) },
        { signal: call.signal },
      );
      return editOutcome(answered, { project, call, dryRun: false, deps });
    },
  );
}
