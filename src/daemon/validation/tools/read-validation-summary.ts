import { z } from 'zod';
import { failure, success } from '../../../protocol/tool-result.js';
import { sessionOf, type CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import type { SessionsDomain } from '../../sessions/index.js';
import { finishedCalls } from '../history/finished-calls.js';
import { validationDelta } from '../summary/validation-delta.js';
import { validationSummary, validationSummaryView } from '../summary/validation-summary.js';
import type { TerminalJobs } from '../terminal/reconcile-jobs.js';

/** What the summary is made from. */
export interface SummaryDeps {
  readonly sessions: Pick<SessionsDomain, 'snapshot'>;
  readonly terminalJobs: TerminalJobs;
}

/** `read_validation_summary` (spec 06 §4, §5): how a Session stands on validation, and what changed since the run before. */
export function readValidationSummary(deps: SummaryDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_validation_summary',
      title: 'Read the validation summary',
      summary: 'How a Session stands on validation: what passed, what fails, what changed since the run before.',
      description:
        'The ends of the Session’s Jobs are taken into its ledger first, each once. Checks that ran as plain commands are listed as such; they are no structured validation.',
      category: 'validation',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'target',
      project: 'session_default',
      session_evidence: 'none',
      recorded_inputs: ['project', 'limit'],
      cli: { positionals: ['session_id'] },
      input: z.strictObject({
        session_id: sessionSelector,
        project: projectSelector.optional().meta({ description: 'The Session’s own project when left out' }),
        limit: clamped(1, 100, 20),
      }),
      output: z.object({
        project: z.string().nullable(),
        session_id: z.string(),
        /** Whether the ends of all Jobs are in the summary. */
        jobs: z.object({ status: z.enum(['reconciled', 'incomplete', 'not_applicable']), reason_code: z.string().optional() }),
        validation: z.looseObject({ status: z.string(), events: z.array(z.looseObject({})) }),
        validation_delta: z.looseObject({}),
      }),
    },
    ({ limit }, call) => summarize(deps, limit, call),
  );
}

async function summarize({ sessions, terminalJobs }: SummaryDeps, limit: number, call: CallContext): Promise<HandlerOutcome> {
  const { sessionId } = sessionOf(call);
  const jobs = call.project === null ? null : await terminalJobs.reconcile(sessionId, call.project, call.signal);
  const snapshot = sessions.snapshot(sessionId);
  if (snapshot === null) return { result: failure('unknown_session_id', 'that Session is no longer retained', { state_changed: false }) };
  const calls = finishedCalls(snapshot);
  const summary = validationSummary(snapshot, calls);
  return {
    result: success({
      project: snapshot.session.project,
      session_id: sessionId,
      jobs:
        jobs === null
          ? { status: 'not_applicable' }
          : { status: jobs.status, ...(jobs.status === 'incomplete' ? { reason_code: jobs.reasonCode } : {}) },
      validation: validationSummaryView(summary, calls, limit),
      validation_delta: validationDelta(summary.events),
    }),
    facts: { effect: { stateChanged: false } },
  };
}
