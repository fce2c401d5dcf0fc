import { z } from 'zod';
import { applyPatchMethod, fileText, MATCHING_MODES, MAX_PATCH_BYTES } from '../../../protocol/runner/edits.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { editFailed, editOutcome, editOutput, refusedByProject, type EditDeps } from '../edit-outcome.js';
import { runnerRoot } from '../runner-root.js';
import { EDITING_TOOL } from './editing-tool.js';

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  patch: fileText('From *** Begin Patch to *** End Patch')
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= MAX_PATCH_BYTES, `is longer than ${MAX_PATCH_BYTES} bytes`),
  matching_mode: z.enum(MATCHING_MODES).default('unique').meta({ description: 'How its lines find theirs in the files' }),
  dry_run: z.boolean().default(false).meta({ description: 'Check everything, write nothing' }),
  include_diff: z.boolean().default(false),
});

/** `apply_patch`: a patch of the `*** Begin Patch` format, all or none (spec 04 §7.6). */
export function applyPatch(deps: EditDeps): Tool {
  return defineTool(
    {
      ...EDITING_TOOL,
      name: 'apply_patch',
      title: 'Apply a patch',
      summary: 'Applies a patch of the *** Begin Patch format whole or not at all.',
      description:
        'Sections: *** Add File: PATH with + lines; *** Delete File: PATH; *** Update File: PATH with an optional *** Move to: PATH ' +
        'and hunks of @@ CONTEXT, then lines that begin with a blank, - or +; *** End of File after a hunk ties it to the end. ' +
        'Lines are looked for exactly, then without blanks at the end, then on both sides, then with typographic characters as ' +
        'ASCII. unique wants one place at the first of these that finds any; exact_unique looks exactly only; first_match takes ' +
        'the first. A refusal gives positions.',
      specialist: true,
      category: 'patch',
      path_hint: 'patch',
      telemetry: 'edit',
      recorded_inputs: ['project', 'matching_mode', 'dry_run'],
      input,
      output: editOutput,
    },
    async (args, call) => {
      const project = projectOf(call);
      const refused = refusedByProject(project);
      if (refused !== null) return editFailed(refused, args.dry_run);
      const { patch, matching_mode, dry_run, include_diff } = args;
      const answered = await deps.runner.call(
        applyPatchMethod,
        { root: runnerRoot(project), project: project.id, patch, matching_mode, dry_run, include_diff },
        { signal: call.signal },
      );
      return editOutcome(answered, { project, call, dryRun: dry_run, deps });
    },
  );
}
