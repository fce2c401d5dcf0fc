import { z } from 'zod';
import { failure, success } from '../../../protocol/tool-result.js';
import { sessionOf, type CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import { handoffBriefSchema } from '../handoff/brief.js';
import { handoffBrief } from '../handoff/build-brief.js';
import { diagnosticView } from '../handoff/diagnostic-view.js';
import { gatherHandoff, type HandoffDeps } from '../handoff/gather-handoff.js';

const part = (what: string) => z.boolean().default(true).meta({ description: what });

const input = z.strictObject({
  session_id: sessionSelector,
  project: projectSelector.optional().meta({ description: 'The Session’s own project when left out' }),
  include_workspace: part('Look at the Git work tree'),
  include_validation: part('Say how the task stands on validation'),
  include_checkpoints: part('With diagnostic: name the newest checkpoints'),
  diagnostic: z.boolean().default(false).meta({ description: 'Add the feedback, the newest events and the evidence of a closeout' }),
  limit: clamped(1, 100, 20),
});
type Input = z.output<typeof input>;

/** `read_session_handoff`: one bounded page from which a task is taken up (spec 06 §8, §10). It resolves and marks nothing. */
export function readSessionHandoff(deps: HandoffDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_session_handoff',
      title: 'Read a Session handoff',
      summary: 'One page to take a task up from: state, instructions, changes, failures, what is open, next actions.',
      description:
        'For a window, model or person that knows nothing of the task. At most 8 KiB; basis says what it lacks, and ' +
        'session_changed_during_snapshot in it means: read it again first. It acknowledges and resumes nothing; ' +
        'work_on_project with this session_id goes on.',
      category: 'workflow',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'target',
      project: 'session_default',
      recorder_project: 'same',
      direct_rank: 95,
      session_evidence: 'none',
      recorded_inputs: ['project', 'include_workspace', 'include_validation', 'include_checkpoints', 'diagnostic', 'limit'],
      cli: { positionals: ['session_id'] },
      input,
      output: z.strictObject({
        session_id: z.string(),
        project: z.string().nullable(),
        handoff_brief: handoffBriefSchema,
        continuation_feedback: z.looseObject({}).optional(),
        ledger: z.looseObject({}).optional(),
        closeout: z.looseObject({}).optional(),
      }),
    },
    (questions, call) => read(deps, questions, call),
  );
}

async function read(deps: HandoffDeps, questions: Input, call: CallContext): Promise<HandlerOutcome> {
  const session = sessionOf(call);
  const gathered = await gatherHandoff(
    deps,
    session,
    {
      workspace: questions.include_workspace,
      validation: questions.include_validation,
      checkpoints: questions.diagnostic && questions.include_checkpoints,
    },
    call,
  );
  if (gathered === null) return { result: failure('unknown_session_id', 'that Session is no longer retained', { state_changed: false }) };
  if (call.signal.aborted) return { result: failure('cancelled', 'the handoff was cancelled; nothing was changed', { state_changed: false }) };
  const brief = handoffBrief(gathered.facts);
  return {
    result: success({
      session_id: session.sessionId,
      project: session.project,
      handoff_brief: brief,
      ...(questions.diagnostic ? diagnosticView(gathered, questions.limit) : {}),
    }),
    facts: { effect: { stateChanged: false }, contextResultSummary: { progress_state: brief.progress.state, complete: brief.basis.complete } },
  };
}
