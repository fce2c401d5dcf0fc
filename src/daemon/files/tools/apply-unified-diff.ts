import { z } from 'zod';
import { applyDiffMethod, fileText, MAX_PATCH_BYTES } from '../../../protocol/runner/edits.js';
import { errorKindOf } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import type { TelemetryFacts } from '../../kernel/telemetry-facts.js';
import { defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import { editFailed, editOutcome, editOutput, refusedByProject, type EditDeps } from '../edit-outcome.js';
import { runnerRoot } from '../runner-root.js';
import { EDITING_TOOL } from './editing-tool.js';

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  diff: fileText('As diff -u or git diff write it')
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= MAX_PATCH_BYTES, `is longer than ${MAX_PATCH_BYTES} bytes`),
  deny_sensitive_paths: z
    .boolean()
    .default(true)
    .meta({ description: 'False lets target and node_modules through; secrets and .git never pass' }),
});

/** `apply_unified_diff`: a unified diff, all or none, exactly where it says (spec 04 §7.6). */
export function applyUnifiedDiff(deps: EditDeps): Tool {
  return defineTool(
    {
      ...EDITING_TOOL,
      name: 'apply_unified_diff',
      title: 'Apply a unified diff',
      summary: 'Applies a unified diff whole or not at all, each hunk exactly where it says.',
      description:
        'New, changed, renamed and deleted regular files of text. No hunk is moved and nothing is fuzzy: one that does not fit ' +
        'refuses the diff, and candidate_ranges says where its lines stand. Binary content, links, copies and changed modes are refused.',
      specialist: true,
      category: 'patch',
      path_hint: 'patch',
      telemetry: 'edit_diff',
      recorded_inputs: ['project', 'deny_sensitive_paths'],
      input,
      output: editOutput,
    },
    async (args, call) => {
      const project = projectOf(call);
      const refused = refusedByProject(project);
      if (refused !== null) return withFinerOutcome(editFailed(refused, false));
      const { diff, deny_sensitive_paths } = args;
      const answered = await deps.runner.call(
        applyDiffMethod,
        { root: runnerRoot(project), project: project.id, diff, deny_sensitive_paths },
        { signal: call.signal },
      );
      return withFinerOutcome(editOutcome(answered, { project, call, dryRun: false, deps }));
    },
  );
}

/** What the audit tells apart among diffs that were not applied (spec 05 §6). */
const FINER_OUTCOMES: Readonly<Record<string, NonNullable<TelemetryFacts['edit_outcome']>>> = {
  policy_rejected: 'policy_blocked',
  invalid_patch: 'malformed',
  patch_not_applicable: 'not_applicable',
  edit_write_failed: 'apply_failed',
};

function withFinerOutcome(outcome: HandlerOutcome): HandlerOutcome {
  const finer = FINER_OUTCOMES[errorKindOf(outcome.result) ?? ''];
  return finer === undefined ? outcome : { ...outcome, facts: { ...outcome.facts, telemetry: { edit_outcome: finer } } };
}
