import { z } from 'zod';
import { failure, success } from '../../../protocol/tool-result.js';
import { sessionOf, type CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import { closeoutOutput, closeoutOutputSchema } from '../closeout/closeout-output.js';
import { gatherCloseout } from '../closeout/gather-closeout.js';
import { captureReports, captureSession } from '../handoff/capture-session.js';
import { reportsChanged } from '../handoff/external-section.js';
import type { HandoffDeps } from '../handoff/gather-handoff.js';
import { lookAtValidation } from '../handoff/look-at-validation.js';

const MAX_OUTPUTS = 16;
const MAX_OUTPUT_BYTES = 512;

const part = (what: string) => z.boolean().default(true).meta({ description: what });

const input = z.strictObject({
  session_id: sessionSelector,
  project: projectSelector.optional().meta({ description: 'The Session’s own project when left out' }),
  summary_only: z.boolean().default(false).meta({ description: 'Leave out diff, facts and feedback' }),
  include_workspace: part('Look at the Git work tree'),
  include_diff: part('Show the changed lines, bounded'),
  include_validation_summary: part('Show the checks that ran'),
  include_hygiene: part('Name temporary, secret-like and very large files that lie around'),
  include_handoff: part('Add the handoff brief for whoever goes on'),
  outputs: z
    .array(
      z
        .string()
        .min(1)
        .refine((path) => Buffer.byteLength(path) <= MAX_OUTPUT_BYTES, `a path has at most ${MAX_OUTPUT_BYTES} bytes`),
    )
    .max(MAX_OUTPUTS)
    .default([])
    .meta({ description: 'Project-relative files that the task made; each gets a SHA-256 receipt' }),
});
type Input = z.output<typeof input>;

/** What a report is made from. */
export type FinishDeps = HandoffDeps;

/** `finish_coding_task`: an advisory report on a task (spec 06 §11). It closes and completes nothing. */
export function finishCodingTask(deps: FinishDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'finish_coding_task',
      title: 'Finish a coding task',
      summary: 'Reports how a task stands: evidence, work tree, Jobs, checks and outputs. Closes nothing.',
      category: 'workflow',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'target',
      project: 'session_default',
      path_hint: 'path_list',
      direct_rank: 96,
      git_like: true,
      change_summary_like: true,
      session_evidence: 'none',
      telemetry: 'finish',
      recorded_inputs: [
        'project',
        'summary_only',
        'include_workspace',
        'include_diff',
        'include_validation_summary',
        'include_hygiene',
        'include_handoff',
        'outputs',
      ],
      cli: { positionals: ['session_id'] },
      input,
      output: closeoutOutputSchema,
    },
    (questions, call) => finish(deps, questions, call),
  );
}

async function finish(deps: FinishDeps, questions: Input, call: CallContext): Promise<HandlerOutcome> {
  const session = sessionOf(call);
  const validation = await lookAtValidation(
    deps.terminalJobs,
    questions.include_validation_summary,
    session.sessionId,
    call.project,
    call.signal,
  );
  const captured = captureSession(deps, session);
  if (captured === null) return { result: failure('unknown_session_id', 'that Session is no longer retained', { state_changed: false }) };
  const { history, board, reports } = captured;
  if (history === null) {
    return { result: failure('storage_unavailable', 'the Session could not be read, so that nothing can be said of its task', { state_changed: false }) };
  }
  const looks = await gatherCloseout(
    deps.runner,
    session.sessionId,
    call.project,
    {
      workspace: questions.include_workspace,
      diff: questions.include_workspace && questions.include_diff && !questions.summary_only,
      hygiene: questions.include_hygiene,
      outputs: questions.outputs,
    },
    call.signal,
  );
  if (call.signal.aborted) {
    return { result: failure('cancelled', 'the report was cancelled; nothing was changed', { state_changed: false }) };
  }
  const facts = { history, board, validation, reports, reportsChanged: reportsChanged(reports, captureReports(deps, session)), ...looks };
  const output = closeoutOutput(facts, {
    summaryOnly: questions.summary_only,
    validation: questions.include_validation_summary,
    handoff: questions.include_handoff,
  });
  return {
    result: success(output),
    facts: { effect: { stateChanged: false }, contextResultSummary: { summary_only: questions.summary_only } },
  };
}
