import { z } from 'zod';
import type { ProjectId } from '../../../protocol/ids.js';
import { failure, success } from '../../../protocol/tool-result.js';
import { projectOf, sessionOf } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { reportView } from '../external-report.js';
import { recordReport, type RecordParts } from '../record-report.js';
import { reportProblem } from '../report-rules.js';
import { reportOutput } from './report-output.js';

/** `record_external_observation`: the ingress of adapters (spec 06 §12). It leaves nothing in any ledger. */
export function recordExternalObservation(parts: RecordParts): Tool {
  return defineTool(
    {
      name: 'record_external_observation',
      title: 'Record an external report',
      summary: 'Stores what a tool outside of wc is reported to have done. A report is a claim and proves nothing.',
      description: 'The same adapter_id and event_id with the same content is a replay and stores nothing again.',
      category: 'workflow',
      visibility: 'model_hidden',
      effect: 'mutate',
      risk: 'session_collaborate',
      approval: 'none',
      idempotency: 'fenced_replay',
      scopes: { kind: 'all', scopes: ['session:collaborate'] },
      session: 'target',
      project: 'required',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      recorder_evidence: 'none',
      recorded_inputs: [],
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector,
        adapter_id: z.string().meta({ description: 'Who reports: 64 lower-case hex digits' }),
        event_id: z.string().meta({ description: 'What is reported, within the adapter: 64 lower-case hex digits' }),
        observed_tool: z.string().meta({ description: '1 to 64 of A-Z a-z 0-9 _ . : -' }),
        exit_code: z.int().optional().meta({ description: 'Left out when the outcome is not known' }),
      }),
      output: z.strictObject({
        project: z.string(),
        session_id: z.string(),
        inserted: z.boolean(),
        observation: reportOutput,
        state_changed: z.boolean(),
      }),
    },
    async ({ adapter_id: adapterId, event_id: eventId, observed_tool: observedTool, exit_code: exitCode = null }, call) => {
      const { sessionId } = sessionOf(call);
      const project: ProjectId = projectOf(call).id;
      const problem = reportProblem({ adapterId, eventId, observedTool, exitCode });
      if (problem !== null) return { result: failure('invalid_external_observation', problem, { state_changed: false }) };
      const recorded = await recordReport(parts, { sessionId, adapterId, eventId, project, observedTool, exitCode });
      if ('failure' in recorded) return { result: recorded.failure };
      const { report, inserted } = recorded;
      return { result: success({ project, session_id: sessionId, inserted, observation: reportView(report), state_changed: inserted }) };
    },
  );
}
